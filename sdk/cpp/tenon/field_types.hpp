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

/// The id of a record of the table `T`, as text. Ids of different tables are different types. Empty
/// if default-constructed.
template <class T>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) noexcept : text_(std::move(text)) {}

  /// Makes a new id with new_id().
  static Id make() { return Id(new_id()); }
  /// Parses an id. Returns empty if the text is not an id.
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

struct CoreUsers;   ///< tag of `core:users` for Id
struct CoreGroups;  ///< tag of `core:groups` for Id
using UserId = Id<CoreUsers>;
using GroupId = Id<CoreGroups>;

/// A day of the Gregorian calendar, without time and time zone.
using Date = std::chrono::year_month_day;

/// Formats a date as 2026-11-20. Years 0000…9999.
inline std::string to_text(Date date) {
  return rfc3339(Time(std::chrono::sys_days(date))).substr(0, 10);
}

/// Parses a date. Returns empty if the text is not a valid date.
inline std::optional<Date> parse_date(std::string_view text) {
  const auto time = parse_rfc3339(std::string(text) + "T00:00:00Z");
  if (text.size() != 10 || !time) return std::nullopt;
  return Date(std::chrono::floor<std::chrono::days>(*time));
}

/// The text of a JSON value. `parse_json(value.text)` parses it. Writing a record with text that is
/// not JSON throws Error 400 "request.json".
struct JsonText {
  std::string text;

  bool operator==(const JsonText&) const = default;
};

/// A file of a record: the data that the record stores. The content is in Blobs under `id`. When a
/// record is written, only `id` counts; it must be a file that this field of the record already
/// has.
struct File {
  std::string id;  ///< of the blob
  std::string name;
  std::string type;        ///< media type
  std::int64_t size = 0;   ///< bytes
  bool is_upload = false;  ///< `id` is that of an upload, which becomes the file

  /// Makes a File from an upload of the user who writes the record.
  static File of_upload(std::string id) { return {std::move(id), {}, {}, 0, true}; }

  bool operator==(const File&) const = default;
};

/// An enum that tenon-types generated from a choice field. choices_of() returns its texts and is
/// found by argument-dependent lookup.
template <class T>
concept Choice = std::is_enum_v<T> && requires(T value) {
  { choices_of(value)[0] } -> std::convertible_to<std::string_view>;
};

/// Returns the text of a choice, as in tables.json.
template <Choice T>
constexpr std::string_view to_text(T choice) {
  constexpr auto texts = choices_of(T{});
  return texts[static_cast<std::size_t>(choice)];
}

/// Returns the choice with this text, or empty.
template <Choice T>
constexpr std::optional<T> parse_choice(std::string_view text) {
  constexpr auto texts = choices_of(T{});
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == text) return static_cast<T>(i);
  }
  return std::nullopt;
}

/// A field of a patch. The field does not change unless a value is assigned. The value may be
/// nullopt if the field may be empty.
template <class T>
class Change {
 public:
  Change() = default;
  // Implicit, so that `{.title = "x"}` works.
  // NOLINTBEGIN(google-explicit-constructor,bugprone-forwarding-reference-overload)
  template <class U>
  requires(!std::same_as<std::remove_cvref_t<U>, Change> && std::convertible_to<U, T>)
      Change(U&& value)
      : value_(std::in_place, std::forward<U>(value)) {}
  // NOLINTEND(google-explicit-constructor,bugprone-forwarding-reference-overload)

  bool is_set() const noexcept { return value_.has_value(); }
  /// Returns the value. Requires is_set().
  const T& value() const { return *value_; }

 private:
  std::optional<T> value_;
};

}  // namespace tenon
