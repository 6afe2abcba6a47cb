#include "observability/otlp.hpp"

#include <array>
#include <cstdint>

#include "base/json_writer.hpp"

namespace tenon::observability {

namespace {

// Numbers of the protocol's enumerations.
constexpr int kind_internal = 1;
constexpr int kind_server = 2;
constexpr int kind_client = 3;
constexpr int status_error = 2;

std::array<char, 16> hex(std::uint64_t number) {
  static constexpr char digits[] = "0123456789abcdef";
  std::array<char, 16> text{};
  for (std::size_t i = text.size(); i-- > 0; number >>= 4)
    text[i] = digits[number & 15];
  return text;
}

void write_id(base::JsonWriter& json, std::string_view name, std::uint64_t id) {
  const auto text = hex(id);
  json.member(name, std::string_view(text.data(), text.size()));
}

void write_attribute(base::JsonWriter& json, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  json.begin_object().member("key", name).key("value").begin_object();
  json.member("stringValue", value).end_object().end_object();
}

// 64-bit numbers are text in the protocol's JSON.
void write_attribute(base::JsonWriter& json, std::string_view name, std::int64_t value) {
  json.begin_object().member("key", name).key("value").begin_object();
  json.member("intValue", std::to_string(value)).end_object().end_object();
}

void write_times(base::JsonWriter& json, const Trace& trace, std::int64_t begin, std::int64_t end) {
  json.member("startTimeUnixNano", std::to_string(trace.unix_time(begin)));
  json.member("endTimeUnixNano", std::to_string(trace.unix_time(end)));
}

void write_status(base::JsonWriter& json, bool has_failed) {
  json.key("status").begin_object();
  if (has_failed) json.member("code", status_error);
  json.end_object();
}

void write_request(base::JsonWriter& json, const Trace& trace) {
  const TracedRequest& request = trace.request;
  json.begin_object().member("traceId", trace.id());
  write_id(json, "spanId", trace.root());
  if (!trace.parent().empty()) json.member("parentSpanId", trace.parent());
  json.member("name",
              request.route.empty() ? request.method : request.method + " " + request.route);
  json.member("kind", kind_server);
  write_times(json, trace, request.begin, request.end);
  json.key("attributes").begin_array();
  write_attribute(json, "http.request.method", request.method);
  write_attribute(json, "http.route", request.route);
  write_attribute(json, "url.path", request.path);
  if (request.status != 0)
    write_attribute(json, "http.response.status_code", std::int64_t{request.status});
  write_attribute(json, "client.address", request.peer);
  write_attribute(json, "tenon.plugin", request.plugin);
  write_attribute(json, "tenon.request_id", request.request_id);
  if (trace.dropped_spans() != 0) {
    write_attribute(json, "tenon.dropped_spans", static_cast<std::int64_t>(trace.dropped_spans()));
  }
  json.end_array();
  write_status(json, request.status >= 500);
  json.end_object();
}

void write_span(base::JsonWriter& json, const Trace& trace, const Span& span) {
  json.begin_object().member("traceId", trace.id());
  write_id(json, "spanId", span.id);
  write_id(json, "parentSpanId", span.parent);
  json.member("name", span.name);
  json.member("kind", span.statement.empty() ? kind_internal : kind_client);
  write_times(json, trace, span.begin, span.end);
  json.key("attributes").begin_array();
  if (!span.statement.empty()) {
    write_attribute(json, "db.system.name", "sqlite");
    write_attribute(json, "db.namespace", span.database);
    write_attribute(json, "db.query.text", span.statement);
  }
  json.end_array();
  write_status(json, span.has_failed);
  json.end_object();
}

}  // namespace

void append_otlp(std::string& out, std::span<const std::unique_ptr<Trace>> traces,
                 std::string_view version) {
  base::JsonWriter json(out);
  json.begin_object().key("resourceSpans").begin_array().begin_object();
  json.key("resource").begin_object().key("attributes").begin_array();
  write_attribute(json, "service.name", "tenon");
  write_attribute(json, "service.version", version);
  json.end_array().end_object();
  json.key("scopeSpans").begin_array().begin_object();
  json.key("scope").begin_object().member("name", "tenon").member("version", version).end_object();
  json.key("spans").begin_array();
  for (const auto& trace : traces) {
    write_request(json, *trace);
    for (const Span& span : trace->spans())
      write_span(json, *trace, span);
  }
  json.end_array().end_object().end_array();
  json.end_object().end_array().end_object();
}

}  // namespace tenon::observability
