#include "data/schema/tables.hpp"

#include <algorithm>
#include <array>

namespace tenon::data::schema {

namespace {

constexpr std::array<std::string_view, 10> type_names = {
    "text",     "integer", "number", "boolean",   "date",
    "datetime", "json",    "choice", "reference", "user"};
constexpr std::array<std::string_view, 3> rule_names = {"restrict", "clear", "cascade"};

Field stamp(std::string_view name) {
  Field field;
  field.name = name;
  field.type = FieldType::datetime;
  field.required = true;
  field.default_value = std::string(now_default);
  return field;
}

Field optional_user(std::string_view name) {
  Field field;
  field.name = name;
  field.type = FieldType::user;
  return field;
}

template <typename List>
auto find_named(const List& list, std::string_view name) noexcept -> decltype(list.data()) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(FieldType type) noexcept {
  return type_names[static_cast<std::size_t>(type)];
}
std::string_view name_of(OnDelete rule) noexcept {
  return rule_names[static_cast<std::size_t>(rule)];
}

std::optional<FieldType> type_named(std::string_view name) noexcept {
  const auto* found = std::find(type_names.begin(), type_names.end(), name);
  if (found == type_names.end()) return std::nullopt;
  return static_cast<FieldType>(found - type_names.begin());
}

std::optional<OnDelete> rule_named(std::string_view name) noexcept {
  const auto* found = std::find(rule_names.begin(), rule_names.end(), name);
  if (found == rule_names.end()) return std::nullopt;
  return static_cast<OnDelete>(found - rule_names.begin());
}

const Field* Table::find(std::string_view wanted) const noexcept {
  return find_named(fields, wanted);
}

std::vector<Field> Table::all_fields() const {
  std::vector<Field> all = fields;
  if (timestamps) {
    all.push_back(stamp("created"));
    all.push_back(stamp("updated"));
  }
  if (authorship) {
    all.push_back(optional_user("created_by"));
    all.push_back(optional_user("updated_by"));
  }
  if (version) {
    Field field;
    field.name = "version";
    field.type = FieldType::integer;
    field.required = true;
    field.default_value = std::int64_t{1};
    field.min = std::int64_t{1};
    all.push_back(field);
  }
  return all;
}

const Table* Tables::find(std::string_view wanted) const noexcept {
  return find_named(tables, wanted);
}

}  // namespace tenon::data::schema
