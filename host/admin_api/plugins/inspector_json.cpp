#include "admin_api/plugins/inspector_json.hpp"

#include <charconv>
#include <cstdint>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "http/parser/request.hpp"
#include "observability/log_line.hpp"
#include "observability/recorder.hpp"

namespace tenon::console {

namespace {

std::uint64_t read_number(std::string_view query, const char* name) {
  const std::string text = http::query_value(query, name);
  if (text.empty()) return 0;
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    const std::string message = std::string(name) + " is the number of a record.";
    throw base::Error(422, "plugins.inspector_cursor", message, {{name, "invalid", message}});
  }
  return number;
}

double milliseconds(std::int64_t nanoseconds) {
  const std::int64_t microseconds = nanoseconds / 1000;
  return static_cast<double>(microseconds) / 1000;
}

void write(base::JsonWriter& json, const observability::LogRecord& record) {
  json.begin_object()
      .member("number", record.number)
      .member("time", base::rfc3339(record.time_ms))
      .member("level", observability::level_name(record.level))
      .member("message", record.message)
      .member("request_id", record.request_id)
      .member("route", record.route)
      .key("fields")
      .begin_object();
  for (const auto& [name, value] : record.fields)
    json.member(name, value);
  json.end_object().end_object();
}

void write(base::JsonWriter& json, const observability::RequestRecord& record) {
  json.begin_object()
      .member("number", record.number)
      .member("time", base::rfc3339(record.time_ms))
      .member("method", record.method)
      .member("route", record.route)
      .member("path", record.path)
      .member("request_id", record.request_id)
      .member("user", record.user_id)
      .member("status", record.status)
      .member("duration_ms", milliseconds(record.duration_ns))
      .member("left_out_spans", record.left_out_spans)
      .key("spans")
      .begin_array();
  for (const observability::Span& span : record.spans) {
    json.begin_object()
        .member("name", span.name)
        .member("begin_ms", milliseconds(span.begin))
        .member("duration_ms", milliseconds(span.end - span.begin))
        .member("statement", span.statement)
        .member("failed", span.has_failed)
        .end_object();
  }
  json.end_array().end_object();
}

void write(base::JsonWriter& json, const observability::StatementRecord& record) {
  json.begin_object()
      .member("statement", record.sql)
      .member("count", record.count)
      .member("failed", record.failed)
      .member("total_ms", milliseconds(record.total_ns))
      .member("max_ms", milliseconds(record.max_ns))
      .end_object();
}

template <typename Record>
void write_all(base::JsonWriter& json, const char* name, const std::vector<Record>& records) {
  json.key(name).begin_array();
  for (const Record& record : records)
    write(json, record);
  json.end_array();
}

}  // namespace

std::string inspect(const std::string& plugin, std::string_view query) {
  const std::uint64_t log = read_number(query, "log");
  const std::uint64_t requests = read_number(query, "requests");
  observability::Recorder& recorder = observability::recorder();
  recorder.watch(plugin);
  const auto records = recorder.read(plugin, log, requests);
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  write_all(json, "log", records.log);
  write_all(json, "requests", records.requests);
  write_all(json, "statements", records.statements);
  json.member("left_out_statements", records.left_out_statements).end_object();
  return text;
}

}  // namespace tenon::console
