#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {

/// The JSON form of the rows of a query; see Rows::append_json().
enum class JsonShape : std::uint8_t {
  rows,  ///< an array of objects, one a row
  row,   ///< the first row as an object
};

/// Longest JSON text of a query, in bytes; beyond it 413 data.too_large.
inline constexpr std::size_t max_json_bytes = std::size_t{16} * 1024 * 1024;

/// The end of a page of rows.
struct JsonPageEnd {
  std::size_t rows = 0;  ///< in the page
  bool has_more = false;
  std::string keys;  ///< the last row's columns named "…:key" as a JSON array; empty without more
  bool flag = false;  ///< the first row's column named "…:flag"
};

/// Text that grows and keeps its memory. A writer reserves space for a whole value, so that no
/// bound is checked for each byte. One thread at a time.
class JsonText {
 public:
  std::string_view view() const noexcept { return {bytes_.get(), size_}; }
  std::size_t size() const noexcept { return size_; }
  /// Clears the text, and frees its memory if that is more than `keep` bytes.
  void clear(std::size_t keep = 256 * 1024) noexcept;

  /// Returns the address for the next `bytes` bytes. Call end() with the end of what was written.
  char* reserve(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return bytes_.get() + size_;
  }
  void end(const char* at) noexcept { size_ = static_cast<std::size_t>(at - bytes_.get()); }
  void put(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(reserve(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void put(char byte) {
    *reserve(1) = byte;
    ++size_;
  }

 private:
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// How a column is written, in addition to the kind of its value.
enum class JsonKind : std::uint8_t {
  value,
  boolean,
  json,
  key,  ///< no member: part of JsonPageEnd::keys
  flag  ///< no member: JsonPageEnd::flag
};

/// The members of a statement's rows, made once a statement.
struct JsonMembers {
  struct Member {
    std::string key;  ///< `{"id":` of the first, `,"title":` of the others; empty for a key
    JsonKind kind;
  };
  std::vector<Member> list;
  int prepared = -1;  ///< for the engine: what it was made for

  /// Adds the member for the next column.
  void add(std::string_view name);
};

}  // namespace tenon::data
