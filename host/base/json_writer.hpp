#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::base {

/// Room that write_json_string needs for `size` bytes of text.
constexpr std::size_t json_string_room(std::size_t size) noexcept {
  return 6 * size + 16;
}
/// As append_json_string without its quotes, into memory with json_string_room(text.size()) bytes.
/// The end of what was written.
char* write_json_string(char* out, std::string_view text) noexcept;

/// Appends `text` as a JSON string with its quotes (RFC 8259, section 7). Bytes that are not valid
/// UTF-8 become U+FFFD, so that the result is always valid JSON. `<` is written as \u003c, so that
/// the text is safe inside an HTML data block.
void append_json_string(std::string& out, std::string_view text);

/// Writes JSON by appending to a string that the caller owns; nothing is allocated but the string's
/// growth. Commas are placed by the writer. Misuse (a value where a key is due) is the caller's bug
/// and is not detected. Not thread-safe.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  /// NaN and the infinities have no JSON form and are written as null.
  JsonWriter& value(double number);
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) JsonWriter& value(Integer number) {
    if constexpr (std::is_signed_v<Integer>)
      return integer(static_cast<std::int64_t>(number));
    else
      return unsigned_integer(static_cast<std::uint64_t>(number));
  }
  JsonWriter& null();
  /// Appends text that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <typename Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

 private:
  JsonWriter& integer(std::int64_t number);
  JsonWriter& unsigned_integer(std::uint64_t number);
  void separate();

  std::string& out_;
};

}  // namespace tenon::base
