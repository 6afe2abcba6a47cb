#include "http/head_parser.hpp"

#include <cstring>

#include <boost/beast/http/basic_parser.hpp>

#include "http/ascii.hpp"
#include "http/limits.hpp"

namespace tenon::http {

namespace {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

constexpr Refusal bad_line_ending{400, "http.bad_line_ending",
                                  "A line of the request head does not end in CR LF."};
constexpr Refusal folded_line{400, "http.folded_line",
                              "A header field goes on over several lines."};
constexpr Refusal too_many_fields{431, "http.too_many_fields",
                                  "The request has too many header fields."};
constexpr Refusal head_too_large{431, "http.head_too_large", "The request head is too large."};
constexpr Refusal target_too_long{414, "http.target_too_long", "The request target is too long."};
constexpr Refusal bad_syntax{400, "http.bad_request", "The request head is not valid HTTP."};
constexpr Refusal bad_version{505, "http.version_not_supported",
                              "Only HTTP/1.0 and HTTP/1.1 are spoken here."};
constexpr Refusal bad_length{400, "http.bad_content_length", "Content-Length is not one number."};
constexpr Refusal bad_framing{400, "http.bad_framing",
                              "The length of the request body is ambiguous."};
constexpr Refusal unknown_coding{501, "http.unknown_transfer_coding",
                                 "Only the transfer coding chunked is understood."};
constexpr Refusal bad_host{400, "http.bad_host", "The request needs exactly one valid Host field."};
constexpr Refusal repeated_field{400, "http.repeated_field",
                                 "A header field that must be single is repeated."};
constexpr Refusal unknown_expectation{417, "http.unknown_expectation",
                                      "Only the expectation 100-continue is understood."};

// Request line beyond the target: the longest method worth an answer, two spaces, "HTTP/1.1".
constexpr std::size_t request_line_overhead = 64 + 2 + 8;

// "… HTTP/" and three more characters at the end of a request line.
bool has_version(std::string_view line) noexcept {
  return line.size() > 9 && line.substr(line.size() - 9).starts_with(" HTTP/");
}

std::string_view to_std(beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

class BeastHead final : public bhttp::basic_parser<true> {
 public:
  BeastHead(std::vector<Field>& fields, Head& head, const Limits& limits)
      : fields_(fields), head_(head), limits_(limits) {
    header_limit(~std::uint32_t{0});
    body_limit(~std::uint64_t{0});  // none counts as less than every length
  }

  const Refusal* refusal() const noexcept { return refusal_; }

 private:
  using ErrorCode = beast::error_code;

  void refuse(const Refusal& refusal, ErrorCode& error) {
    refusal_ = &refusal;
    error = bhttp::error::bad_field;
  }

  void on_request_impl(bhttp::verb, beast::string_view method, beast::string_view target,
                       int version, ErrorCode& error) override {
    head_.method = to_std(method);
    head_.target = to_std(target);
    head_.is_http11 = version == 11;
    if (target.size() > limits_.target) refuse(target_too_long, error);
  }

  void on_field_impl(bhttp::field known, beast::string_view name, beast::string_view value,
                     ErrorCode& error) override {
    if (fields_.size() >= limits_.fields) return refuse(too_many_fields, error);
    // The bytes are the caller's own, given as mutable to parse_head.
    char* letters = const_cast<char*>(name.data());
    for (std::size_t i = 0; i < name.size(); ++i) {
      letters[i] = to_lower(letters[i]);
    }
    fields_.push_back({to_std(name), to_std(value)});
    switch (known) {
      case bhttp::field::host:
        return on_host(to_std(value), error);
      case bhttp::field::content_length:
        return on_content_length(to_std(value), error);
      case bhttp::field::transfer_encoding:
        return on_transfer_encoding(to_std(value), error);
      case bhttp::field::expect:
        return on_expect(to_std(value), error);
      case bhttp::field::connection:
        return on_connection(to_std(value));
      case bhttp::field::content_type:
        return on_single(seen_content_type_, error);
      case bhttp::field::authorization:
        return on_single(seen_authorization_, error);
      default:
        return;
    }
  }

  void on_single(bool& seen, ErrorCode& error) {
    if (seen) refuse(repeated_field, error);
    seen = true;
  }

  void on_host(std::string_view value, ErrorCode& error) {
    if (seen_host_ || !is_valid_host(value)) return refuse(bad_host, error);
    seen_host_ = true;
    head_.host = value;
  }

  void on_content_length(std::string_view value, ErrorCode& error) {
    if (seen_length_ || value.empty() || value.size() > 18) return refuse(bad_length, error);
    seen_length_ = true;
    for (const char digit : value) {
      if (digit < '0' || digit > '9') return refuse(bad_length, error);
      head_.content_length = head_.content_length * 10 + static_cast<std::uint64_t>(digit - '0');
    }
  }

  void on_transfer_encoding(std::string_view value, ErrorCode& error) {
    if (head_.is_chunked || seen_length_ || !head_.is_http11) return refuse(bad_framing, error);
    if (!equals_ignoring_case(value, "chunked")) return refuse(unknown_coding, error);
    head_.is_chunked = true;
  }

  void on_expect(std::string_view value, ErrorCode& error) {
    if (!head_.is_http11) return;
    if (!equals_ignoring_case(value, "100-continue")) return refuse(unknown_expectation, error);
    head_.expects_continue = true;
  }

  void on_connection(std::string_view options) noexcept {
    while (!options.empty())
      seen_close_ |= equals_ignoring_case(next_part(options, ','), "close");
  }

  void on_header_impl(ErrorCode& error) override {
    if (!seen_host_ && head_.is_http11) return refuse(bad_host, error);
    // Beast prefers keep-alive to close on HTTP/1.0; RFC 9112, section 9.3, the other way round.
    head_.keep_alive = keep_alive() && !seen_close_;
  }

  void on_response_impl(int, beast::string_view, int, ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(beast::string_view, ErrorCode&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, ErrorCode&) override {
    return 0;
  }
  void on_finish_impl(ErrorCode&) override {}

  std::vector<Field>& fields_;
  Head& head_;
  const Limits& limits_;
  const Refusal* refusal_ = nullptr;
  bool seen_host_ = false;
  bool seen_length_ = false;
  bool seen_close_ = false;
  bool seen_content_type_ = false;
  bool seen_authorization_ = false;
};

// Beast has one error for a wrong version and for what is no version at all; only the first is a
// 505.
bool names_another_version(std::span<const char> bytes) noexcept {
  const std::string_view head(bytes.data(), bytes.size());
  const std::string_view line = head.substr(0, head.find('\r'));
  if (line.size() < 9) return false;
  const std::string_view version = line.substr(line.size() - 9);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return version.starts_with(" HTTP/") && is_digit(version[6]) && version[7] == '.' &&
         is_digit(version[8]) && version != " HTTP/1.0" && version != " HTTP/1.1";
}

const Refusal& from_beast(const beast::error_code& error, std::span<const char> bytes) noexcept {
  if (error == bhttp::error::bad_version && names_another_version(bytes)) return bad_version;
  if (error == bhttp::error::bad_content_length) return bad_length;
  if (error == bhttp::error::bad_transfer_encoding) return bad_framing;
  if (error == bhttp::error::bad_line_ending) return bad_line_ending;
  return bad_syntax;
}

}  // namespace

HeadScanner::Result HeadScanner::refuse(const Refusal& refusal) noexcept {
  refusal_ = &refusal;
  return Result::refused;
}

HeadScanner::Result HeadScanner::scan(std::string_view bytes, const Limits& limits) noexcept {
  while (scanned_ < bytes.size()) {
    const void* found = std::memchr(bytes.data() + scanned_, '\n', bytes.size() - scanned_);
    if (found == nullptr) break;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    if (at == line_ || bytes[at - 1] != '\r') return refuse(bad_line_ending);
    if (lines_ == 0 && at - line_ > limits.target + request_line_overhead)
      return refuse(target_too_long);
    const bool is_empty = at - line_ == 1;
    // Another protocol would otherwise be waited for until the deadline.
    if (lines_ == 0 && !has_version(bytes.substr(line_, at - 1 - line_))) return refuse(bad_syntax);
    if (lines_ > 0 && (bytes[line_] == ' ' || bytes[line_] == '\t')) return refuse(folded_line);
    line_ = scanned_ = at + 1;
    if (is_empty) return line_ > limits.head ? refuse(head_too_large) : Result::complete;
    if (++lines_ > limits.fields + 1) return refuse(too_many_fields);
  }
  scanned_ = bytes.size();
  if (lines_ == 0 && bytes.size() > limits.target + request_line_overhead)
    return refuse(target_too_long);
  if (bytes.size() > limits.head) return refuse(head_too_large);
  return Result::more;
}

const Refusal* parse_head(std::span<char> bytes, const Limits& limits, std::vector<Field>& fields,
                          Head& head) {
  fields.clear();
  head = Head();
  BeastHead parser(fields, head, limits);
  beast::error_code error;
  const std::size_t used = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (parser.refusal() != nullptr) return parser.refusal();
  if (error) return &from_beast(error, bytes);
  if (used != bytes.size() || !parser.is_header_done()) return &bad_syntax;
  return nullptr;
}

bool is_valid_host(std::string_view host) noexcept {
  const auto is_alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (host.empty() || host.size() > 255) return false;
  std::size_t at = 0;
  if (host[0] == '[') {
    at = host.find(']');
    if (at == std::string_view::npos || at < 3) return false;
    for (const char c : host.substr(1, at - 1)) {
      if (!is_alphanumeric(c) && c != ':' && c != '.') return false;
    }
    ++at;
  } else {
    constexpr std::string_view others = "-._~";
    while (at < host.size() &&
           (is_alphanumeric(host[at]) || others.find(host[at]) != std::string_view::npos))
      ++at;
    if (at == 0) return false;
  }
  if (at == host.size()) return true;
  const std::string_view port = host.substr(at + 1);
  if (host[at] != ':' || port.empty() || port.size() > 5) return false;
  std::uint32_t number = 0;
  for (const char digit : port) {
    if (digit < '0' || digit > '9') return false;
    number = number * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return number > 0 && number < 65536;
}

}  // namespace tenon::http
