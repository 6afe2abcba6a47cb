#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/limits.hpp"
#include "http/parser/head_parser.hpp"
#include "http/parser/request.hpp"

namespace tenon::http {

/// Keeps the results of parse_head() for heads that came before. All requests of one client have
/// the same fields, so the bytes after the request line repeat and need not be parsed again.
/// Belongs to one I/O thread.
///
/// A head is found only where it is complete, ends with the bytes that came, and HeadScanner and
/// parse_head() would take it with the same result. Values of fields that are not known to be
/// public (Cookie, Authorization, any name that is not on the list) are not kept: their bytes are
/// zero here, and the bytes in their place are checked as parse_head() would.
class HeaderCache {
 public:
  static constexpr std::size_t heads = 32;        ///< kept; a newer one takes the place of another
  static constexpr std::size_t max_bytes = 1024;  ///< after the request line; others are not kept
  static constexpr std::size_t max_fields = 32;   ///< others are not kept
  static constexpr std::size_t max_unlisted = 4;  ///< values that are not kept, in a head that is
  static constexpr std::size_t lines = 64;        ///< request lines kept, in addition to the heads
  static constexpr std::size_t max_line_bytes = 128;  ///< others are not kept

 private:
  struct Tail;

 public:
  /// A head that is known; valid until put().
  class CachedHead {
   public:
    explicit operator bool() const noexcept { return tail_ != nullptr; }

    /// True when the request line is known, too: its target is a path and nothing else, which
    /// read_target() would take as it is. method() is set then.
    bool has_plain_path() const noexcept { return method_ != Method::other; }
    Method method() const noexcept { return method_; }

   private:
    friend class HeaderCache;
    const Tail* tail_ = nullptr;
    Method method_ = Method::other;
    std::uint32_t method_size_ = 0;
    std::uint32_t line_size_ = 0;  // of the request line with its end
  };

  /// `seed` is secret and random: no client can predict which heads replace each other.
  explicit HeaderCache(std::uint64_t seed) noexcept;
  ~HeaderCache();

  /// Looks for the head that `bytes` are; empty where they are none that is known.
  CachedHead find(std::string_view bytes, const Limits& limits) const noexcept;
  /// Produces what parse_head() makes of the same bytes: `text` becomes the head, which the views
  /// of `fields` and `head` point into. Throws std::bad_alloc.
  static void get(const CachedHead& found, std::string_view bytes, std::string& text,
                  std::vector<Field>& fields, Head& head);
  /// Takes `bytes` that were not found and that parse_head() turned into `text`, `fields` and
  /// `head`. Keeps them when they come a second time before another head that needs their slot.
  void put(std::string_view bytes, std::string_view text, std::span<const Field> fields,
           const Head& head) noexcept;
  /// Keeps the request line alone, where has_plain_path() is false.
  void put_line(const Head& head) noexcept;

 private:
  // A request line without a query, which may hold a secret.
  struct Line {
    std::array<char, max_line_bytes> text;
    std::uint8_t size = 0;  // with its end; 0: none
    std::uint8_t method_size = 0;
    Method method = Method::other;
    std::uint32_t candidate = 0;
  };
  struct Slot {
    std::unique_ptr<Tail> tail;
    std::uint32_t candidate = 0;  // some bits of what was not found here last
  };

  std::uint64_t hash_of(std::string_view text, std::size_t end_size) const noexcept;

  const std::uint64_t seed_;
  std::array<Line, lines> lines_;
  std::array<Slot, heads> slots_;
};

}  // namespace tenon::http
