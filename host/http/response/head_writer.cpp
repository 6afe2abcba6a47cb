#include "http/response/head_writer.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "base/clock.hpp"
#include "base/problem.hpp"
#include "http/parser/ascii.hpp"

namespace tenon::http {

namespace {

constexpr std::string_view reserved_names[] = {"connection",   "content-length",
                                               "date",         "transfer-encoding",
                                               "x-request-id", "x-content-type-options"};

bool is_reserved(std::string_view name) noexcept {
  for (const std::string_view reserved : reserved_names) {
    if (equals_ignoring_case(name, reserved)) return true;
  }
  return false;
}

// Status lines of all statuses, made once.
class StatusLines {
 public:
  StatusLines() {
    for (int status = first; status < first + count; ++status) {
      lines_[static_cast<std::size_t>(status - first)] =
          "HTTP/1.1 " + std::to_string(status) + " " + std::string(base::status_title(status)) +
          "\r\n";
    }
  }
  std::string_view of(int status) const noexcept {
    return lines_[static_cast<std::size_t>(status - first)];
  }

 private:
  static constexpr int first = 200;
  static constexpr int count = 400;
  std::array<std::string, count> lines_;
};

// Writes pieces one after another into room that was measured before.
class Pen {
 public:
  explicit Pen(char* at) noexcept : at_(at) {}
  Pen& write(std::string_view text) noexcept {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  Pen& write(std::uint64_t number) noexcept {
    at_ = std::to_chars(at_, at_ + max_digits, number).ptr;
    return *this;
  }
  const char* end() const noexcept { return at_; }

  static constexpr std::size_t max_digits = 20;

 private:
  char* at_;
};

constexpr std::string_view ok_line = "HTTP/1.1 200 OK\r\n";
constexpr std::string_view type_name = "Content-Type: ";
constexpr std::string_view length_name = "Content-Length: ";
constexpr std::string_view chunked_line = "Transfer-Encoding: chunked\r\n";
constexpr std::string_view close_line = "Connection: close\r\n";
constexpr std::string_view keep_alive_line = "Connection: keep-alive\r\n";
constexpr std::string_view vary_line = "Vary: Accept-Encoding\r\n";
constexpr std::string_view separator = ": ";
constexpr std::string_view header_line_end = "\r\n";
// Browsers must not guess another type than the response's Content-Type.
constexpr std::string_view last_lines = "X-Content-Type-Options: nosniff\r\nX-Request-Id: ";
constexpr std::string_view resource_policy = "Cross-Origin-Resource-Policy";
constexpr std::string_view resource_policy_line = "Cross-Origin-Resource-Policy: same-origin\r\n";
constexpr std::string_view content_policy = "Content-Security-Policy";
// A browser that shows the response as a document runs and loads nothing.
constexpr std::string_view content_policy_line =
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";
constexpr std::string_view transport_policy = "Strict-Transport-Security";
constexpr std::string_view transport_policy_line =
    "Strict-Transport-Security: max-age=31536000\r\n";
constexpr std::size_t max_constant_text =
    type_name.size() + length_name.size() + Pen::max_digits + chunked_line.size() +
    keep_alive_line.size() + vary_line.size() + last_lines.size() + resource_policy_line.size() +
    content_policy_line.size() + transport_policy_line.size() + 4 * header_line_end.size();

bool is_json(std::string_view content_type) noexcept {
  return content_type.starts_with("application/json") ||
         content_type.starts_with("application/problem+json");
}

bool is_named(std::string_view name, std::string_view expected) noexcept {
  return name.size() == expected.size() && equals_ignoring_case(name, expected);
}

// Not less than the size of the head, cheaply.
std::size_t bound_of(const Response& response, const HeadFrame& frame,
                     std::string_view status_line) noexcept {
  std::size_t size = max_constant_text + status_line.size() + frame.lead.size() +
                     frame.request_id.size() + response.content_type.size();
  if (response.prepared) size += response.prepared->size();
  for (const auto& [name, value] : response.fields)
    size += name.size() + value.size() + separator.size() + header_line_end.size();
  return size;
}

}  // namespace

std::string begin_head(std::int64_t unix_seconds) {
  std::string lines;
  return lines.append(ok_line)
      .append("Date: ")
      .append(base::http_date(unix_seconds))
      .append("\r\n");
}

bool is_writable(const Response& response) noexcept {
  if (response.is_checked) return true;
  if (response.status < 200 || response.status > 599 || !is_field_value(response.content_type))
    return false;
  for (const auto& [name, value] : response.fields) {
    if (name.empty() || !all_in(name, token_character) || !is_field_value(value)) return false;
  }
  return true;
}

void append_head(TextBuffer& out, const Response& response, const HeadFrame& frame) {
  static const StatusLines status_lines;
  const bool is_ok = response.status == 200;
  const std::string_view status_line =
      is_ok ? std::string_view() : status_lines.of(response.status);
  char* const begin = out.room(bound_of(response, frame, status_line));
  Pen pen(begin);
  if (is_ok)
    pen.write(frame.lead);
  else
    pen.write(status_line).write(frame.lead.substr(ok_line.size()));
  if (!response.content_type.empty())
    pen.write(type_name).write(response.content_type).write(header_line_end);
  if (frame.is_chunked) {
    pen.write(chunked_line);
  } else if (frame.has_length) {
    pen.write(length_name).write(frame.content_length).write(header_line_end);
  }
  if (frame.closes)
    pen.write(close_line);
  else if (frame.is_http10)
    pen.write(keep_alive_line);
  if (response.varies_by_encoding) pen.write(vary_line);
  if (response.prepared) pen.write(*response.prepared);
  bool needs_resource_policy = true;
  bool needs_content_policy = is_json(response.content_type);
  bool needs_transport_policy = frame.is_secure;
  for (const auto& [name, value] : response.fields) {
    if (is_reserved(name)) continue;
    pen.write(name).write(separator).write(value).write(header_line_end);
    if (is_named(name, resource_policy)) needs_resource_policy = false;
    if (is_named(name, content_policy)) needs_content_policy = false;
    if (is_named(name, transport_policy)) needs_transport_policy = false;
  }
  if (needs_resource_policy) pen.write(resource_policy_line);
  if (needs_content_policy) pen.write(content_policy_line);
  if (needs_transport_policy) pen.write(transport_policy_line);
  pen.write(last_lines).write(frame.request_id).write(header_line_end).write(header_line_end);
  out.wrote(static_cast<std::size_t>(pen.end() - begin));
}

}  // namespace tenon::http
