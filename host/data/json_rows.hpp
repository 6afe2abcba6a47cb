#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {

/// What the rows of a query become; see Rows::append_json().
enum class JsonShape : std::uint8_t {
  rows,  ///< an array of objects, one a row
  row,   ///< the first row as an object
};

/// Longest JSON text of a query, bytes; more is answered with 413 data.too_large.
inline constexpr std::size_t max_json_bytes = std::size_t{16} * 1024 * 1024;

/// Where a page of rows ended.
struct JsonPageEnd {
  std::size_t rows = 0;  ///< in the page
  bool has_more = false;
  std::string keys;  ///< the last row's columns named "…:key" as a JSON array; empty without more
  bool flag = false;  ///< the first row's column named "…:flag"
};

/// Text that grows and keeps its memory. Whoever writes makes room for a whole value, so that no
/// bound is checked for a byte. One thread at a time.
class JsonText {
 public:
  std::string_view view() const noexcept { return {bytes_.get(), size_}; }
  std::size_t size() const noexcept { return size_; }
  /// Forgets the text, and its memory where that is more than `keep` bytes.
  void clear(std::size_t keep = 256 * 1024) noexcept;

  /// Where the next `bytes` bytes may be written; end() then says how far it was.
  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return bytes_.get() + size_;
  }
  void end(const char* at) noexcept { size_ = static_cast<std::size_t>(at - bytes_.get()); }
  void put(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void put(char byte) {
    *room(1) = byte;
    ++size_;
  }

 private:
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// What a column becomes, beside what its value says.
enum class JsonKind : std::uint8_t {
  value,
  boolean,
  json,
  key,  ///< no member: it tells where a page ended
  flag  ///< no member: JsonPageEnd::flag
};

/// The members of a statement's rows, made once a statement.
struct JsonMembers {
  struct Member {
    std::string key;  ///< `{"id":` of the first, `,"title":` of the others; of a key nothing
    JsonKind kind;
  };
  std::vector<Member> list;
  int prepared = -1;  ///< for the engine: what it was made for

  /// A member for the next column.
  void add(std::string_view name);
};

}  // namespace tenon::data
