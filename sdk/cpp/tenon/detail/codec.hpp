#pragma once

#ifdef TENON_WITHOUT_JSON
#error \
    "tenon/tables.hpp and tenon/setting.hpp need tenon/json.hpp: do not define TENON_WITHOUT_JSON"
#endif

#include <cmath>
#include <concepts>
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

namespace tenon::detail {

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};
/// The value type of an optional; any other type unchanged.
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

template <class T>
inline constexpr bool is_change = false;
template <class T>
inline constexpr bool is_change<Change<T>> = true;

/// The values of a filter, in order.
class Values {
 public:
  template <class V>
  void add(V value) {
    values_.emplace_back(std::move(value));
  }
  void append(const Values& more) {
    values_.insert(values_.end(), more.values_.begin(), more.values_.end());
  }

  /// Returns arguments that borrow the texts. They are valid while this object exists and does not
  /// change.
  Arguments arguments() const {
    Arguments arguments;
    for (const auto& value : values_) {
      if (const auto* text = std::get_if<std::string>(&value)) {
        arguments.borrow(*text);
      } else {
        std::visit(
            [&](const auto& plain) {
              if constexpr (!std::same_as<std::remove_cvref_t<decltype(plain)>, std::string>)
                arguments.add(plain);
            },
            value);
      }
    }
    return arguments;
  }

 private:
  std::vector<std::variant<std::int64_t, double, std::string>> values_;
};

/// Converts a value to the JSON of a request body.
template <class T>
Json json_of(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? json_of(*value) : Json();
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& one : value)
      list.push_back(json_of(one));
    return list;
  } else if constexpr (std::same_as<T, File>) {
    return {{value.is_upload ? "upload" : "id", value.id}};
  } else if constexpr (std::same_as<T, JsonText>) {
    return parse_json(value.text);
  } else if constexpr (std::same_as<T, Time>) {
    return rfc3339(value);
  } else if constexpr (std::same_as<T, Date> || Choice<T>) {
    return std::string(tenon::to_text(value));
  } else if constexpr (is_record_id<T>) {
    return value.text();
  } else if constexpr (std::floating_point<T>) {
    // JSON cannot represent it, and the text would be null.
    if (!std::isfinite(value)) throw Misuse("a number in a record is not finite");
    return value;
  } else {
    return value;
  }
}

/// Returns the value parsed from a text of the host. Throws Misuse if it is empty.
template <class T>
T parsed(std::optional<T> value, const std::string& text) {
  if (!value) throw Misuse("'" + text + "' is not a valid value of its field");
  return *std::move(value);
}

/// Converts a value of a response. It may be null only for an optional or a vector.
template <class T>
T value_of(const Json& json) {
  if constexpr (is_optional<T>) {
    if (json.is_null()) return std::nullopt;
    return value_of<typename T::value_type>(json);
  } else if constexpr (is_vector<T>) {
    T values;
    if (json.is_null()) return values;
    for (const Json& one : json)
      values.push_back(value_of<typename T::value_type>(one));
    return values;
  } else if constexpr (std::same_as<T, File>) {
    // A pending write may contain only the id of a file.
    return {json.at("id").get<std::string>(), json.value("name", ""), json.value("type", ""),
            json.value("size", std::int64_t{0})};
  } else if constexpr (std::same_as<T, JsonText>) {
    return {to_text(json)};
  } else if constexpr (std::same_as<T, Time> || std::same_as<T, Date> || Choice<T>) {
    const auto& text = json.get_ref<const std::string&>();
    if constexpr (std::same_as<T, Time>)
      return parsed(parse_rfc3339(text), text);
    else if constexpr (std::same_as<T, Date>)
      return parsed(parse_date(text), text);
    else
      return parsed(parse_choice<T>(text), text);
  } else if constexpr (is_record_id<T>) {
    return T(json.get<std::string>());
  } else {
    return json.get<T>();
  }
}

/// Whether JSON of a record has all fields. Pending writes may lack some.
enum class Fields : std::uint8_t { all, some };

template <class M>
void read_field(M& member, const Json& record, std::string_view name, Fields fields) {
  const auto found = record.find(name);
  const bool is_empty = found == record.end() || (found->is_null() && !std::same_as<M, JsonText>);
  if (!is_empty) {
    member = value_of<M>(*found);
  } else if constexpr (!is_optional<M> && !is_vector<M>) {
    if (fields == Fields::all)
      throw Misuse("the field '" + std::string(name) + "' of a record is empty");
  }
}

/// Reads a record of T. Throws Misuse if it does not match tables.json.
template <class T>
typename T::Record read_record(const Json& json, Fields fields = Fields::all) {
  typename T::Record record{};
  try {
    T::Info::visit_record(record, [&](std::string_view name, auto& member) {
      read_field(member, json, name, fields);
    });
  } catch (const Json::exception& error) {
    throw Misuse("a record of '" + std::string(T::Info::table) +
                 "' does not match tables.json: " + error.what());
  }
  return record;
}

/// Returns the value to write of a member of a New or Patch, or null if it is not set.
template <class M>
const auto* written(const M& member) {
  if constexpr (is_change<M>) {
    return member.is_set() ? &member.value() : nullptr;
  } else if constexpr (is_optional<M>) {
    return member ? &*member : nullptr;
  } else if constexpr (is_vector<M>) {
    return member.empty() ? nullptr : &member;
  } else {
    return &member;
  }
}

/// Returns the request body of a New or Patch.
template <class T, class R>
Json body_of(const R& record) {
  Json body = Json::object();
  T::Info::visit_fields(record, [&](std::string_view name, const auto& member) {
    if (const auto* value = written(member); value != nullptr)
      body[std::string(name)] = json_of(*value);
  });
  return body;
}

/// Reads the fields that a request body sets.
template <class T>
typename T::Patch read_patch(const Json& json) {
  typename T::Patch patch;
  T::Info::visit_fields(patch, [&](std::string_view name, auto& member) {
    using Value = std::remove_cvref_t<decltype(member.value())>;
    if (const auto found = json.find(name); found != json.end()) member = value_of<Value>(*found);
  });
  return patch;
}

}  // namespace tenon::detail
