#include "http/parser/head_parser.hpp"

#include <algorithm>

#include "http/limits.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/text_scan.hpp"

namespace tenon::http {

namespace {

constexpr Refusal bad_line_ending{400, "http.bad_line_ending",
                                  "A line of the request head does not end in CR LF."};
constexpr Refusal folded_line{400, "http.folded_line", "A header field continues on another line."};
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

// Request line beyond the target: the longest method that gets a response, two spaces, "HTTP/1.1".
constexpr std::size_t request_line_overhead = 64 + 2 + 8;

// "… HTTP/" and three more characters at the end of a request line.
bool has_version(std::string_view line) noexcept {
  return line.size() > 9 && is_text(line.substr(line.size() - 9, 6), " HTTP/");
}

// Only another version of HTTP is a 505; what is no version at all is not.
bool names_another_version(std::span<const char> bytes) noexcept {
  const std::string_view head(bytes.data(), bytes.size());
  const std::string_view line = head.substr(0, head.find('\r'));
  if (line.size() < 9) return false;
  const std::string_view version = line.substr(line.size() - 9);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return version.starts_with(" HTTP/") && is_digit(version[6]) && version[7] == '.' &&
         is_digit(version[8]) && version != " HTTP/1.0" && version != " HTTP/1.1";
}

// Whether the `size` bytes at `begin` are what is_valid_host() says.
bool is_host_at(std::string_view bytes, std::size_t begin, std::size_t size) noexcept {
  const std::string_view host = bytes.substr(begin, size);
  if (host.empty() || host.size() > 255) return false;
  std::size_t at = 0;
  if (host[0] == '[') {
    at = host.find(']');
    if (at == std::string_view::npos || at < 3) return false;
    if (!all_in(host.substr(1, at - 1), address_character)) return false;
    ++at;
  } else {
    at = std::min(find_other<name_character>(bytes, begin) - begin, size);
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

// Of names that begin with "v" or "x".
bool is_forwarding_field(std::string_view name) noexcept {
  return name == "via" || name == "x-real-ip" || name.starts_with("x-forwarded");
}

class HeadReader {
 public:
  HeadReader(std::span<char> bytes, const Limits& limits, std::vector<Field>& fields, Head& head)
      : begin_(bytes.data()),
        at_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        limits_(limits),
        fields_(fields),
        head_(head) {}

  const Refusal* read() {
    if (const Refusal* refusal = read_request_line(); refusal != nullptr) return refusal;
    while (at_ != end_ && *at_ != '\r') {
      if (const Refusal* refusal = read_field(); refusal != nullptr) return refusal;
    }
    if (!take_line_end() || at_ != end_) return &bad_syntax;
    if (!has(Once::host) && head_.is_http11) return &bad_host;
    // RFC 9112, section 9.3: close comes first.
    head_.keep_alive = (head_.is_http11 || seen_keep_alive_) && !seen_close_;
    return nullptr;
  }

 private:
  // Fields of which there may be one.
  enum class Once : unsigned {
    host = 1,
    content_length = 2,
    transfer_encoding = 4,
    content_type = 8,
    authorization = 16
  };

  bool has(Once field) const noexcept { return (seen_ & static_cast<unsigned>(field)) != 0; }
  bool see(Once field) noexcept {
    const bool is_first = !has(field);
    seen_ |= static_cast<unsigned>(field);
    return is_first;
  }

  std::string_view all() const noexcept {
    return {begin_, static_cast<std::size_t>(end_ - begin_)};
  }
  std::size_t here() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  // Takes the characters of the set that come next.
  template <CharacterClass Set>
  std::string_view take() noexcept {
    const char* const begin = at_;
    at_ = begin_ + find_other<Set>(all(), here());
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  bool take_line_end() noexcept {
    if (end_ - at_ < 2 || at_[0] != '\r' || at_[1] != '\n') return false;
    at_ += 2;
    return true;
  }

  // Characters of the set up to the next space, which is taken too; empty where another character
  // comes.
  template <CharacterClass Set>
  std::string_view take_word() noexcept {
    const std::string_view word = take<Set>();
    if (at_ == end_ || *at_ != ' ') return {};
    ++at_;
    return word;
  }

  const Refusal* read_request_line() noexcept {
    const char* begin = at_;
    head_.method = take_word<token_character>();
    if (head_.method.empty()) return &bad_syntax;
    head_.target = take_word<visible_character>();
    if (head_.target.empty()) return &bad_syntax;
    constexpr std::size_t version_size = 8;
    if (static_cast<std::size_t>(end_ - at_) < version_size) return &bad_syntax;
    const std::string_view version(at_, version_size);
    head_.is_http11 = is_text(version, "HTTP/1.1");
    if (!head_.is_http11 && !is_text(version, "HTTP/1.0"))
      return names_another_version({begin, end_}) ? &bad_version : &bad_syntax;
    at_ += version_size;
    if (!take_line_end()) return &bad_syntax;
    return head_.target.size() > limits_.target ? &target_too_long : nullptr;
  }

  const Refusal* read_field() {
    const char* const begin = at_;
    at_ = begin_ + lower_token(begin_, all().size(), here());
    const std::string_view name(begin, static_cast<std::size_t>(at_ - begin));
    if (name.empty() || at_ == end_ || *at_ != ':') return &bad_syntax;
    ++at_;
    std::string_view value = take<value_character>();
    if (!take_line_end()) return &bad_syntax;
    value = trimmed(value);
    if (fields_.size() >= limits_.fields) return &too_many_fields;
    fields_.push_back({name, value});
    head_.name_lengths |= std::uint32_t{1} << (name.size() % 32);
    // Few names sort after "u"; understand() knows the other one.
    if (name.front() > 'u') [[unlikely]]
      head_.is_forwarded |= is_forwarding_field(name);
    return understand(name, value);
  }

  // Reads what the field says about the message and the connection.
  const Refusal* understand(std::string_view name, std::string_view value) noexcept {
    switch (name.size()) {
      case 4:
        return is_text(name, "host") ? on_host(value) : nullptr;
      case 6:
        return is_text(name, "expect") ? on_expect(value) : nullptr;
      case 9:
        head_.is_forwarded |= is_text(name, "forwarded");
        return nullptr;
      case 10:
        return is_text(name, "connection") ? on_connection(value) : nullptr;
      case 12:
        return is_text(name, "content-type") ? on_single(Once::content_type) : nullptr;
      case 13:
        return is_text(name, "authorization") ? on_single(Once::authorization) : nullptr;
      case 14:
        return is_text(name, "content-length") ? on_content_length(value) : nullptr;
      case 17:
        return is_text(name, "transfer-encoding") ? on_transfer_encoding(value) : nullptr;
      default:
        return nullptr;
    }
  }

  const Refusal* on_single(Once field) noexcept { return see(field) ? nullptr : &repeated_field; }

  const Refusal* on_host(std::string_view value) noexcept {
    const auto at = static_cast<std::size_t>(value.data() - begin_);
    if (!see(Once::host) || !is_host_at(all(), at, value.size())) return &bad_host;
    head_.host = value;
    return nullptr;
  }

  const Refusal* on_content_length(std::string_view value) noexcept {
    if (has(Once::transfer_encoding)) return &bad_framing;
    if (!see(Once::content_length) || value.empty() || value.size() > 18) return &bad_length;
    for (const char digit : value) {
      if (digit < '0' || digit > '9') return &bad_length;
      head_.content_length = head_.content_length * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return nullptr;
  }

  const Refusal* on_transfer_encoding(std::string_view value) noexcept {
    if (!see(Once::transfer_encoding) || has(Once::content_length) || !head_.is_http11)
      return &bad_framing;
    if (!equals_ignoring_case(value, "chunked")) return &unknown_coding;
    head_.is_chunked = true;
    return nullptr;
  }

  const Refusal* on_expect(std::string_view value) noexcept {
    if (!head_.is_http11) return nullptr;
    if (!equals_ignoring_case(value, "100-continue")) return &unknown_expectation;
    head_.expects_continue = true;
    return nullptr;
  }

  // RFC 9110, section 7.6.1: a list of tokens, in which empty elements count for nothing.
  const Refusal* on_connection(std::string_view options) noexcept {
    if (is_text(options, "keep-alive")) {
      seen_keep_alive_ = true;
      return nullptr;
    }
    while (!options.empty()) {
      const std::string_view option = next_part(options, ',');
      if (!all_in(option, token_character)) return &bad_syntax;
      seen_close_ |= equals_ignoring_case(option, "close");
      seen_keep_alive_ |= equals_ignoring_case(option, "keep-alive");
    }
    return nullptr;
  }

  char* const begin_;
  char* at_;
  char* const end_;
  const Limits& limits_;
  std::vector<Field>& fields_;
  Head& head_;
  unsigned seen_ = 0;
  bool seen_close_ = false;
  bool seen_keep_alive_ = false;
};

}  // namespace

HeadScanner::Result HeadScanner::refuse(const Refusal& refusal) noexcept {
  refusal_ = &refusal;
  return Result::refused;
}

HeadScanner::Result HeadScanner::scan(std::string_view bytes, const Limits& limits) noexcept {
  for (std::size_t at = find_newline(bytes, scanned_); at < bytes.size();
       at = find_newline(bytes, at + 1)) {
    if (at == line_ || bytes[at - 1] != '\r') return refuse(bad_line_ending);
    const bool is_empty = at - line_ == 1;
    if (lines_ == 0) {
      if (at - line_ > limits.target + request_line_overhead) return refuse(target_too_long);
      // Another protocol would otherwise be waited for until the deadline.
      if (!has_version(bytes.substr(line_, at - 1 - line_))) return refuse(bad_syntax);
    } else if (bytes[line_] == ' ' || bytes[line_] == '\t') {
      return refuse(folded_line);
    }
    line_ = at + 1;
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
  return HeadReader(bytes, limits, fields, head).read();
}

bool is_valid_host(std::string_view host) noexcept {
  return is_host_at(host, 0, host.size());
}

}  // namespace tenon::http
