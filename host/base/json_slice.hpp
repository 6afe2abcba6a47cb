#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::base {

enum class JsonType : std::uint8_t { object, array, string, number, boolean, null };

/// A value inside a JSON text that check_json() took, read in place: nothing is built, and
/// text() is what was sent. Borrows the text. For a text that was not checked, everything but
/// memory safety is undefined.
class JsonSlice {
 public:
  /// The value of a whole text; white space around it is left out.
  explicit JsonSlice(std::string_view checked) noexcept;

  std::string_view text() const noexcept { return text_; }
  JsonType type() const noexcept;
  bool is_null() const noexcept { return type() == JsonType::null; }

  /// Only for JsonType::boolean.
  bool boolean() const noexcept { return text_.front() == 't'; }
  /// Only for JsonType::number. Nothing for what has a fraction or does not fit 64 bits; 1.0 and
  /// 1e2 are whole.
  std::optional<std::int64_t> integer() const noexcept;
  double number() const noexcept;
  /// Only for JsonType::string: without quotes and escapes.
  std::string string() const;

  /// Calls `take(std::string name, JsonSlice value)` for each member of an object in order.
  template <typename Take>
  void each_member(Take&& take) const {
    std::size_t at = first();
    while (at != end) {
      const JsonSlice name = value_at(at);
      const JsonSlice value = value_at(after(at, name));
      take(name.string(), value);
      at = next(value);
    }
  }
  /// Calls `take(JsonSlice value)` for each element of an array in order.
  template <typename Take>
  void each_element(Take&& take) const {
    std::size_t at = first();
    while (at != end) {
      const JsonSlice value = value_at(at);
      take(value);
      at = next(value);
    }
  }

 private:
  static constexpr std::size_t end = static_cast<std::size_t>(-1);

  /// Returns the position of the first value inside; `end` if there is none.
  std::size_t first() const noexcept;
  JsonSlice value_at(std::size_t at) const noexcept;
  /// Returns the position of a member's value, given its name.
  std::size_t after(std::size_t at, const JsonSlice& name) const noexcept;
  /// Returns the position of the value that follows `value`; `end` after the last.
  std::size_t next(const JsonSlice& value) const noexcept;
  std::size_t skip_space(std::size_t at) const noexcept;

  std::string_view text_;
};

}  // namespace tenon::base
