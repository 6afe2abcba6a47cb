#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "http/parser/refusal.hpp"
#include "http/parser/request.hpp"

namespace tenon::http {

struct Limits;

/// Finds the end of a request head while its bytes arrive, and refuses what can be refused early: a
/// line that ends in a bare LF, a folded line, too many fields, too many bytes. Looks at every byte
/// once.
class HeadScanner {
 public:
  enum class Result : std::uint8_t { more, complete, refused };

  /// `bytes` begins with the first byte of the head; a later call gives the same bytes and more.
  Result scan(std::string_view bytes, const Limits& limits) noexcept;
  /// Bytes of the head with its empty line, after `complete`.
  std::size_t size() const noexcept { return line_; }
  const Refusal& refusal() const noexcept { return *refusal_; }
  void reset() noexcept { *this = HeadScanner(); }
  /// No byte has been looked at since reset().
  bool is_fresh() const noexcept { return scanned_ == 0 && line_ == 0; }

 private:
  Result refuse(const Refusal& refusal) noexcept;

  std::size_t line_ = 0;     // where the current line begins
  std::size_t scanned_ = 0;  // no LF before this in the current line
  std::size_t lines_ = 0;
  const Refusal* refusal_ = nullptr;
};

/// The facts of a head about its message. Views point into the head.
struct Head {
  std::string_view method;
  std::string_view target;
  std::string_view host;  ///< value of Host; empty only on HTTP/1.0
  std::uint64_t content_length = 0;
  std::uint32_t name_lengths = 0;  ///< of the fields, as Request::name_lengths
  bool is_http11 = false;
  bool is_chunked = false;
  bool keep_alive = false;
  bool expects_continue = false;
  /// Has a field that only proxies send: Forwarded, Via, X-Real-IP, or one whose name begins with
  /// X-Forwarded.
  bool is_forwarded = false;

  bool has_body() const noexcept { return is_chunked || content_length > 0; }
};

/// Parses a whole head (as HeadScanner found it) strictly: the grammar of RFC 9112 and RFC 9110
/// without its leniencies, that is without folding, bare LF, white space before a colon,
/// Transfer-Encoding other than exactly "chunked" on HTTP/1.1, together with Content-Length or
/// twice, and without repetition of a field that must be single. Lower-cases field names in place.
/// Null when all is well.
const Refusal* parse_head(std::span<char> bytes, const Limits& limits, std::vector<Field>& fields,
                          Head& head);

/// True for host[:port] as it may appear in Host: letters, digits, "-._~", or an IPv6 address in
/// brackets.
bool is_valid_host(std::string_view host) noexcept;

}  // namespace tenon::http
