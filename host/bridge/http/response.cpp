#include "bridge/http/response.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/problem.hpp"
#include "bridge/spans.hpp"
#include "http/parser/ascii.hpp"
#include "observability/log.hpp"
#include "observability/recorder.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/manifest/policy_headers.hpp"

namespace tenon::plugins {

namespace {

// Fields that the HTTP server writes itself, fields of the connection, and fields of the host's
// sessions.
constexpr std::array<std::string_view, 16> forbidden_fields{
    "connection",       "content-length",
    "content-type",     "date",
    "keep-alive",       "proxy-authenticate",
    "proxy-connection", "server",
    "set-cookie",       "te",
    "trailer",          "transfer-encoding",
    "upgrade",          "x-content-type-options",
    "x-request-id",     "strict-transport-security"};
constexpr std::array<std::string_view, 6> problem_members{"type", "title",  "status",
                                                          "code", "detail", "request_id"};
constexpr std::size_t max_name_bytes = 64;

bool is_token(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_name_bytes &&
         http::all_in(text, http::token_character);
}

bool is_forbidden(std::string_view name) noexcept {
  return std::any_of(forbidden_fields.begin(), forbidden_fields.end(),
                     [name](auto field) { return http::equals_ignoring_case(name, field); });
}

// Once a minute for each plugin: each response of a route would log it.
void log_dropped(std::string_view field) {
  static std::mutex& mutex = *new std::mutex;
  static auto& logged = *new std::map<std::string, std::int64_t, std::less<>>;
  constexpr std::int64_t pause = 60'000'000'000;
  const observability::Work* const work = observability::current_work();
  const std::string_view plugin = work ? work->plugin : std::string_view();
  {
    const std::lock_guard lock(mutex);
    const std::int64_t now = base::monotonic_nanoseconds();
    const auto [last, is_first] = logged.try_emplace(std::string(plugin), now);
    if (!is_first && now - last->second < pause) return;
    last->second = now;
  }
  observability::log_warning(
      "a response header of a plugin was dropped, for its manifest does not declare it",
      {{"plugin", plugin}, {"header", field}});
}

// Names the wrong part of a response in the log: the plugin only gets the code.
[[gnu::cold]] tenon_code refuse(tenon_code code, std::string_view field, std::string_view reason) {
  observability::log_error("the host rejected a response of the plugin",
                           {{"field", field}, {"reason", reason}});
  return code;
}

constexpr std::string_view bad_span = "The span has a size and no data.";
constexpr std::string_view too_long = "It is longer than 8 KiB.";
static_assert(max_field_bytes == 8 * 1024);

// Returns why a header field is rejected; empty if it is valid.
std::string fault_of_field(std::string_view name, std::string_view value) {
  if (!is_token(name))
    return "The name is empty, too long, or has a character that is not allowed.";
  if (is_forbidden(name)) return "The host sets this field itself.";
  return http::is_field_value(value) ? "" : "The value has a character that is not allowed.";
}

// "fields[2] (x-count)"
std::string position_of(const char* list, std::uint32_t index, std::string_view name) {
  std::string text = list + ("[" + std::to_string(index) + "]");
  if (is_token(name)) text.append(" (").append(name).append(")");
  return text;
}

// Most responses have one of these types, which need no check of their characters.
bool put_usual_type(std::string_view given, std::string& type) {
  const auto put = [&given, &type](std::string_view usual) {
    if (given != usual) return false;
    type.clear();  // together quicker than assign()
    type.append(usual);
    return true;
  };
  switch (given.size()) {
    case std::string_view("text/plain").size():
      return put("text/plain");
    case std::string_view("application/json").size():
      return put("application/json");
    case std::string_view("text/plain; charset=utf-8").size():
      return put("text/plain; charset=utf-8");
    default:
      return false;
  }
}

// Media types that a browser could run in our origin when it opens the address: …html…, …xml….
bool is_active(std::string_view content_type) noexcept {
  if (content_type == "application/json") return false;
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  for (std::size_t i = 2; i < type.size(); ++i) {
    // Only the two cases of a letter map to it.
    if ((type[i] | 0x20) != 'l' || (type[i - 1] | 0x20) != 'm') continue;
    if (http::to_lower(type[i - 2]) == 'x' ||
        (i > 2 && http::to_lower(type[i - 2]) == 't' && http::to_lower(type[i - 3]) == 'h'))
      return true;
  }
  return false;
}

tenon_code read_fields(const tenon_http_field* fields, std::uint32_t count,
                       const Manifest& manifest, http::Response& response) {
  if (count > max_response_fields) {
    return refuse(
        TENON_E_TOO_LARGE, "field_count",
        std::to_string(count) + " is more than " + std::to_string(max_response_fields) + ".");
  }
  if (count != 0 && !fields)
    return refuse(TENON_E_INVALID, "fields", "It is NULL, but field_count is not 0.");
  if (count != 0) response.fields.reserve(response.fields.size() + count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const tenon_http_field& field = fields[i];
    if (!is_sound(field.name) || !is_sound(field.value))
      return refuse(TENON_E_INVALID, position_of("fields", i, {}), bad_span);
    const std::string_view name = view(field.name);
    const std::string_view value = view(field.value);
    if (value.size() > max_field_bytes)
      return refuse(TENON_E_TOO_LARGE, position_of("fields", i, name), too_long);
    if (!is_token(name) || is_forbidden(name) || !http::is_field_value(value))
      return refuse(TENON_E_INVALID, position_of("fields", i, name), fault_of_field(name, value));
    if (is_policy_header(name) && !manifest.declares_header(name)) {
      log_dropped(name);
      continue;
    }
    response.fields.emplace_back(name, value);
  }
  // Content of a plugin never runs as a document of this origin.
  if (is_active(response.content_type))
    response.with("Content-Security-Policy", "sandbox; default-src 'none'");
  return TENON_OK;
}

bool has_no_body(std::uint32_t status) noexcept {
  return status == 204 || status == 304;
}

[[gnu::cold]] tenon_code refuse_response(const tenon_http_response* given) {
  if (!given || given->size < sizeof(tenon_http_response))
    return refuse(TENON_E_INVALID, "size", "The response is NULL or too small.");
  if (!is_sound(given->content_type)) return refuse(TENON_E_INVALID, "content_type", bad_span);
  if (!is_sound(given->body)) return refuse(TENON_E_INVALID, "body", bad_span);
  if (given->content_type.size > max_field_bytes)
    return refuse(TENON_E_TOO_LARGE, "content_type", too_long);
  if (given->body.size > max_response_bytes) {
    return refuse(TENON_E_TOO_LARGE, "body",
                  "It is larger than 64 MiB. Stream it with begin, write and end.");
  }
  if (has_no_body(given->status))
    return refuse(TENON_E_INVALID, "body", "A response with status 204 or 304 has no body.");
  return refuse(TENON_E_INVALID, "status",
                std::to_string(given->status) + " is not a status from 200 to 599.");
}

// Appends the members of `extra` to those of the document.
tenon_code add_members(std::string_view extra, std::string& document) {
  const auto members = base::parse_json_object(extra, {.max_bytes = max_extra_bytes});
  for (const std::string& name : members->getNames()) {
    if (name == "errors" ||
        std::find(problem_members.begin(), problem_members.end(), name) != problem_members.end()) {
      return refuse(TENON_E_INVALID, "extra", "The host sets the member \"" + name + "\" itself.");
    }
  }
  if (members->size() == 0) return TENON_OK;
  const std::size_t start = extra.find('{') + 1;
  document.back() = ',';
  document += extra.substr(start, extra.rfind('}') - start);
  document += '}';
  return TENON_OK;
}

}  // namespace

tenon_code read_response(const tenon_http_response* given, const Manifest& manifest,
                         http::Response& response, std::string_view& body) {
  // All that there is to know of it: nothing is copied first, which would have to wait for the
  // caller's stores.
  static_assert(TENON_NEED(tenon_http_response, body) == sizeof(tenon_http_response));
  if (!given || given->size < sizeof(tenon_http_response)) return refuse_response(given);
  const tenon_span given_type = given->content_type;
  const tenon_span given_body = given->body;
  const std::uint32_t status = given->status;
  const std::uint32_t field_count = given->field_count;
  if (status < 200 || status > 599 || !is_sound(given_type) || !is_sound(given_body) ||
      given_type.size > max_field_bytes || given_body.size > max_response_bytes ||
      (given_body.size != 0 && has_no_body(status)))
    return refuse_response(given);
  const std::string_view type = view(given_type);
  body = view(given_body);
  response.status = static_cast<int>(status);
  const bool is_usual = put_usual_type(type, response.content_type);
  if (!is_usual) {
    if (!http::is_field_value(type))
      return refuse(TENON_E_INVALID, "content_type", "It has a character that is not allowed.");
    response.content_type.assign(type);
  }
  response.fields.clear();
  if (!is_usual || field_count != 0) {
    const tenon_code code = read_fields(given->fields, field_count, manifest, response);
    if (code != TENON_OK) return code;
  }
  response.is_checked = true;
  return TENON_OK;
}

tenon_code read_problem(const tenon_http_problem* given, const Manifest& manifest,
                        std::string_view request_id, http::Response& response) {
  if (!given || given->size < TENON_NEED(tenon_http_problem, message))
    return refuse(TENON_E_INVALID, "size", "The problem is NULL or too small.");
  const auto known = copy_in(given);
  if (known.status < 400 || known.status > 599) {
    return refuse(TENON_E_INVALID, "status",
                  std::to_string(known.status) + " is not a status from 400 to 599.");
  }
  if (!is_sound(known.code)) return refuse(TENON_E_INVALID, "code", bad_span);
  if (!is_sound(known.message)) return refuse(TENON_E_INVALID, "message", bad_span);
  if (!is_sound(known.extra)) return refuse(TENON_E_INVALID, "extra", bad_span);
  if (!is_token(view(known.code))) {
    return refuse(TENON_E_INVALID, "code",
                  "It is empty, longer than 64 bytes, or has a character that is not allowed.");
  }
  if (known.error_count != 0 && !known.errors)
    return refuse(TENON_E_INVALID, "errors", "It is NULL, but error_count is not 0.");
  if (known.error_count > max_problem_errors) {
    return refuse(TENON_E_TOO_LARGE, "error_count",
                  std::to_string(known.error_count) + " is more than " +
                      std::to_string(max_problem_errors) + ".");
  }
  if (known.message.size > max_field_bytes) return refuse(TENON_E_TOO_LARGE, "message", too_long);
  std::vector<base::FieldError> fields;
  fields.reserve(known.error_count);
  for (std::uint32_t i = 0; i < known.error_count; ++i) {
    const tenon_http_field_error& error = known.errors[i];
    if (!is_sound(error.field) || !is_sound(error.code) || !is_sound(error.message))
      return refuse(TENON_E_INVALID, position_of("errors", i, {}), bad_span);
    fields.push_back({std::string(view(error.field)), std::string(view(error.code)),
                      std::string(view(error.message))});
  }
  const base::Error error(static_cast<int>(known.status), std::string(view(known.code)),
                          std::string(view(known.message)), std::move(fields));
  response = http::problem_response(error, request_id);
  if (const tenon_code code = read_fields(known.fields, known.field_count, manifest, response);
      code != TENON_OK)
    return code;
  if (known.extra.size == 0) return TENON_OK;
  auto& document = std::get<std::string>(response.body);
  return add_members(view(known.extra), document);
}

void add_development(http::Response& response, std::string_view plugin,
                     std::string_view request_id) {
  if (!observability::recorder().is_development() || response.status < 500) return;
  auto* const document = std::get_if<std::string>(&response.body);
  if (document == nullptr || !document->ends_with('}')) return;
  std::string text;
  base::JsonWriter json(text);
  json.begin_array();
  for (const auto& record : observability::recorder().errors_of(plugin, request_id)) {
    json.begin_object().member("message", record.message);
    for (const auto& [name, value] : record.fields)
      json.member(name, value);
    json.end_object();
  }
  json.end_array();
  document->back() = ',';
  *document += "\"development\":" + text + "}";
}

}  // namespace tenon::plugins
