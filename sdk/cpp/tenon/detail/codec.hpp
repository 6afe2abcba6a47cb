#pragma once

#ifdef TENON_WITHOUT_JSON
#error \
    "tenon/tables.hpp reads lists and files with tenon/json.hpp: do not define TENON_WITHOUT_JSON"
#endif

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tenon/cell.hpp>
#include <tenon/field_types.hpp>
#include <tenon/json.hpp>
#include <tenon/row.hpp>

namespace tenon::detail {

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};
/// What an optional is of; other types as they are.
template <class T>
using unwrapped = typename Unwrapped<T>::type;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_record_id = false;
template <class T>
inline constexpr bool is_record_id<Id<T>> = true;

/// Values on their way to a statement, in order. What is borrowed must outlive arguments().
class Values {
 public:
  void add(std::nullptr_t) { values_.emplace_back(nullptr); }
  void add(std::int64_t value) { values_.emplace_back(value); }
  void add(double value) { values_.emplace_back(value); }
  void keep(std::string value) { values_.emplace_back(std::move(value)); }
  void borrow(std::string_view value) { values_.emplace_back(value); }
  void append(const Values& more) {
    values_.insert(values_.end(), more.values_.begin(), more.values_.end());
  }

  /// For a statement, while this is there and not changed.
  Arguments arguments() const {
    Arguments arguments;
    for (const auto& value : values_) {
      if (const auto* text = std::get_if<std::string>(&value)) {
        arguments.borrow(*text);
      } else if (const auto* view = std::get_if<std::string_view>(&value)) {
        arguments.borrow(*view);
      } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        arguments.add(*integer);
      } else if (const auto* number = std::get_if<double>(&value)) {
        arguments.add(*number);
      } else {
        arguments.add(nullptr);
      }
    }
    return arguments;
  }

 private:
  std::vector<std::variant<std::nullptr_t, std::int64_t, double, std::string, std::string_view>>
      values_;
};

[[noreturn]] inline void wrong_text(const Row& row, std::size_t index, std::string_view wanted) {
  throw Misuse("column '" + std::string(row.name(index)) + "' holds another text than " +
               std::string(wanted));
}

/// A value as it stands inside a JSON text.
template <class T>
Json json_of(const T& value) {
  if constexpr (std::same_as<T, File>) {
    return {{"id", value.id}, {"name", value.name}, {"type", value.type}, {"size", value.size}};
  } else if constexpr (Choice<T>) {
    return std::string(to_text(value));
  } else {
    return value.text();
  }
}

template <class T>
T value_of(const Json& json) {
  if constexpr (std::same_as<T, File>) {
    return {json.at("id").get<std::string>(), json.at("name").get<std::string>(),
            json.at("type").get<std::string>(), json.at("size").get<std::int64_t>()};
  } else if constexpr (Choice<T>) {
    const auto choice = parse_choice<T>(json.get_ref<const std::string&>());
    if (!choice) throw Misuse("a list holds what is none of its choices");
    return *choice;
  } else {
    return T(json.get<std::string>());
  }
}

/// Adds the value of a column of the type T. Text is borrowed from `value` where it stands in it as
/// it goes into the column.
template <class T>
void add_value(Values& to, const T& value) {
  if constexpr (is_optional<T>) {
    value ? add_value(to, *value) : to.add(nullptr);
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& one : value)
      list.push_back(json_of(one));
    to.keep(to_text(list));
  } else if constexpr (std::same_as<T, File>) {
    to.keep(to_text(json_of(value)));
  } else if constexpr (std::same_as<T, Time>) {
    to.keep(rfc3339(value));
  } else if constexpr (std::same_as<T, Date>) {
    to.keep(tenon::to_text(value));
  } else if constexpr (std::same_as<T, JsonText>) {
    to.borrow(value.text);
  } else if constexpr (is_record_id<T>) {
    to.borrow(value.text());
  } else if constexpr (Choice<T>) {
    to.borrow(tenon::to_text(value));
  } else if constexpr (std::same_as<T, std::string>) {
    to.borrow(value);
  } else if constexpr (std::floating_point<T>) {
    to.add(static_cast<double>(value));
  } else {
    to.add(static_cast<std::int64_t>(value));
  }
}

/// Reads a column as T: empty only as optional or as a vector.
template <class T>
T read(const Row& row, std::size_t index) {
  if constexpr (is_optional<T>) {
    if (row.is_null(index)) return std::nullopt;
    return read<typename T::value_type>(row, index);
  } else if constexpr (is_vector<T>) {
    T values;
    if (row.is_null(index)) return values;
    const auto text = row.get<std::string_view>(index);
    if (text == "[]") return values;
    for (const Json& one : parse_json(text))
      values.push_back(value_of<typename T::value_type>(one));
    return values;
  } else if constexpr (std::same_as<T, File>) {
    return value_of<File>(parse_json(row.get<std::string_view>(index)));
  } else if constexpr (std::same_as<T, Date>) {
    const auto date = parse_date(row.get<std::string_view>(index));
    if (!date) wrong_text(row, index, "a day");
    return *date;
  } else if constexpr (std::same_as<T, JsonText>) {
    return {row.get<std::string>(index)};
  } else if constexpr (is_record_id<T>) {
    return T(row.get<std::string>(index));
  } else if constexpr (Choice<T>) {
    const auto choice = parse_choice<T>(row.get<std::string_view>(index));
    if (!choice) wrong_text(row, index, "its choices");
    return *choice;
  } else {
    return row.get<T>(index);
  }
}

}  // namespace tenon::detail
