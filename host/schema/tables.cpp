#include "schema/tables.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace tenon::data::schema {

namespace {

constexpr std::array<std::string_view, 12> type_names = {
    "text", "integer", "number",    "boolean", "date", "datetime",
    "json", "choice",  "reference", "user",    "blob", "computed"};
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

Target Field::target() const noexcept {
  if (type == FieldType::user) return {"core", "users"};
  const std::string_view whole = table;
  const auto colon = whole.find(':');
  if (colon == std::string_view::npos) return {{}, whole};
  return {whole.substr(0, colon), whole.substr(colon + 1)};
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

std::vector<Field> Table::column_fields() const {
  auto all = all_fields();
  std::erase_if(all, [](const Field& field) { return !field.has_column(); });
  return all;
}

const Table* Tables::find(std::string_view wanted) const noexcept {
  return find_named(tables, wanted);
}

std::string link_table(std::string_view table, std::string_view field) {
  return std::string(table).append("__").append(field);
}

std::vector<std::string> referred_plugins(const Tables& tables) {
  std::set<std::string> plugins;
  for (const Table& table : tables.tables) {
    for (const Field& field : table.fields) {
      const Target target = field.target();
      if (!target.is_own() && target.plugin != "core") plugins.emplace(target.plugin);
    }
  }
  return {plugins.begin(), plugins.end()};
}

}  // namespace tenon::data::schema
