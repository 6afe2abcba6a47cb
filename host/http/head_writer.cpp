#include "http/head_writer.hpp"

#include <array>
#include <charconv>
#include <cstddef>

#include "base/problem.hpp"
#include "http/ascii.hpp"

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

bool has_control(std::string_view text) noexcept {
  for (const char c : text) {
    if (is_control(c) && c != '\t') return true;
  }
  return false;
}

bool is_token(std::string_view name) noexcept {
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == ':') return false;
  }
  return !name.empty();
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

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

}  // namespace

bool is_writable(const Response& response) noexcept {
  if (response.status < 200 || response.status > 599 || has_control(response.content_type))
    return false;
  for (const auto& [name, value] : response.fields) {
    if (!is_token(name) || has_control(value)) return false;
  }
  return true;
}

void append_head(std::string& out, const Response& response, const HeadFrame& frame) {
  static const StatusLines status_lines;
  out.append(status_lines.of(response.status)).append(frame.date_line);
  if (!response.content_type.empty())
    out.append("Content-Type: ").append(response.content_type).append("\r\n");
  if (frame.is_chunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (frame.has_length) {
    out.append("Content-Length: ");
    append_number(out, frame.content_length);
    out.append("\r\n");
  }
  if (frame.closes)
    out.append("Connection: close\r\n");
  else if (frame.is_http10)
    out.append("Connection: keep-alive\r\n");
  if (response.prepared) out.append(*response.prepared);
  for (const auto& [name, value] : response.fields) {
    if (!is_reserved(name)) out.append(name).append(": ").append(value).append("\r\n");
  }
  // No answer of this server is what its content type does not say.
  out.append("X-Content-Type-Options: nosniff\r\nX-Request-Id: ")
      .append(frame.request_id)
      .append("\r\n\r\n");
}

}  // namespace tenon::http
