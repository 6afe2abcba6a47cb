#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

namespace tenon {

/// The id of a record of the table `T`, as text. Ids of two tables do not mix. Empty when made
/// without a text.
template <class T>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) noexcept : text_(std::move(text)) {}

  /// A new one, see new_id().
  static Id make() { return Id(new_id()); }
  /// Empty when the text has not the form of an id.
  static std::optional<Id> parse(std::string_view text) {
    if (!is_id(text)) return std::nullopt;
    return Id(std::string(text));
  }

  const std::string& text() const noexcept { return text_; }

  friend bool operator==(const Id&, const Id&) = default;
  friend std::strong_ordering operator<=>(const Id& left, const Id& right) noexcept {
    return left.text_.compare(right.text_) <=> 0;
  }

 private:
  std::string text_;
};

struct CoreUsers;   ///< stands for `core:users` in Id
struct CoreGroups;  ///< stands for `core:groups` in Id
using UserId = Id<CoreUsers>;
using GroupId = Id<CoreGroups>;

/// A day of the Gregorian calendar, without a time or zone.
using Date = std::chrono::year_month_day;

/// 2026-11-20. Years 0000…9999.
inline std::string to_text(Date date) {
  return rfc3339(Time(std::chrono::sys_days(date))).substr(0, 10);
}

/// Empty when the text is no such day.
inline std::optional<Date> parse_date(std::string_view text) {
  const auto time = parse_rfc3339(std::string(text) + "T00:00:00Z");
  if (text.size() != 10 || !time) return std::nullopt;
  return Date(std::chrono::floor<std::chrono::days>(*time));
}

/// The text of a JSON value; `parse_json(value.text)` reads it. What is no JSON is refused with 400
/// "request.json" when it is written.
struct JsonText {
  std::string text;

  bool operator==(const JsonText&) const = default;
};

/// A file of a record: what the record keeps of it. The content is in Blobs, under `id`. Written,
/// `id` alone counts: of a file that the record has in this field.
struct File {
  std::string id;  ///< of the blob
  std::string name;
  std::string type;        ///< media type
  std::int64_t size = 0;   ///< bytes
  bool is_upload = false;  ///< `id` is that of an upload, which becomes the file

  /// An upload of whoever writes the record.
  static File of_upload(std::string id) { return {std::move(id), {}, {}, 0, true}; }

  bool operator==(const File&) const = default;
};

/// An enum that tenon-tables made of a choice field: choices_of() gives its texts, found beside it.
template <class T>
concept Choice = std::is_enum_v<T> && requires(T value) {
  { choices_of(value)[0] } -> std::convertible_to<std::string_view>;
};

/// The text of a choice, as tables.json has it.
template <Choice T>
constexpr std::string_view to_text(T choice) {
  constexpr auto texts = choices_of(T{});
  return texts[static_cast<std::size_t>(choice)];
}

/// The choice with this text, or empty.
template <Choice T>
constexpr std::optional<T> parse_choice(std::string_view text) {
  constexpr auto texts = choices_of(T{});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == text) return static_cast<T>(i);
  }
  return std::nullopt;
}

/// A field of a change: left as it is unless something is assigned, and that may be nullopt where
/// the field may be empty.
template <class T>
class Change {
 public:
  Change() = default;
  // `{.title = "x"}` is the point of it.
  // NOLINTBEGIN(google-explicit-constructor,bugprone-forwarding-reference-overload)
  template <class U>
  requires(!std::same_as<std::remove_cvref_t<U>, Change> && std::convertible_to<U, T>)
      Change(U&& value)
      : value_(std::in_place, std::forward<U>(value)) {}
  // NOLINTEND(google-explicit-constructor,bugprone-forwarding-reference-overload)

  bool is_set() const noexcept { return value_.has_value(); }
  /// Only where is_set().
  const T& value() const { return *value_; }

 private:
  std::optional<T> value_;
};

}  // namespace tenon
