#include "schema/ddl.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "base/join.hpp"

namespace tenon::data::schema {

namespace {

std::string wrapped(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out += quote;
}

std::string number_sql(double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  std::string text(digits.begin(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// CASE, because json_type() of what is no JSON is an error that names no field.
std::string json_check(const Field& field, const char* type) {
  const std::string name = quoted(field.name);
  std::string check = name + " IS NULL OR CASE WHEN json_valid(" + name + ") THEN json_type(" +
                      name + ") = '" + type + "'";
  if (field.many && field.required) check += " AND json_array_length(" + name + ") > 0";
  return check + " ELSE 0 END";
}

void also(std::string& check, const std::string& condition) {
  if (condition.empty()) return;
  if (!check.empty()) check += " AND ";
  check += condition;
}

}  // namespace

std::string quoted(std::string_view name) {
  return wrapped(name, '"');
}
std::string literal(std::string_view text) {
  return wrapped(text, '\'');
}

std::string value_sql(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    // The least integer has no literal of its own in SQL.
    if (*integer == INT64_MIN) return "(-9223372036854775807 - 1)";
    return std::to_string(*integer);
  }
  if (const auto* number = std::get_if<double>(&value)) return number_sql(*number);
  return literal(std::get<std::string>(value));
}

std::string list_sql(const std::vector<std::string>& texts) {
  return base::join(texts, [](const std::string& text) { return literal(text); });
}

std::string_view storage_of(FieldType type) noexcept {
  switch (type) {
    case FieldType::integer:
    case FieldType::boolean:
      return "INTEGER";
    case FieldType::number:
      return "REAL";
    default:
      return "TEXT";
  }
}

std::string default_sql(const Field& field) {
  if (field.default_value.index() == 0) return {};
  const auto* text = std::get_if<std::string>(&field.default_value);
  if (text && *text == now_default && field.type == FieldType::date) return "(date('now'))";
  if (text && *text == now_default && field.type == FieldType::datetime)
    return "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))";
  return value_sql(field.default_value);
}

std::string bounds_sql(const Field& field, const std::string& value) {
  std::string bounds;
  if (field.min.index() != 0) also(bounds, value + " >= " + value_sql(field.min));
  if (field.max.index() != 0) also(bounds, value + " <= " + value_sql(field.max));
  return bounds;
}

std::string_view action_of(OnDelete rule) noexcept {
  constexpr std::array<std::string_view, 3> actions = {"RESTRICT", "SET NULL", "CASCADE"};
  return actions[static_cast<std::size_t>(rule)];
}

std::string check_sql(const Field& field) {
  const std::string name = quoted(field.name);
  std::string check;
  std::string bounded = name;
  switch (field.type) {
    case FieldType::text:
      bounded = "length(" + name + ")";
      break;
    case FieldType::boolean:
      return name + " IN (0, 1)";
    case FieldType::date:
      // Adding nothing makes SQLite normalize: without it the 30th of February stays what it is.
      also(check, name + " GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'");
      also(check, name + " IS date(" + name + ", '+0 days')");
      break;
    case FieldType::datetime:
      also(check, name +
                      " GLOB "
                      "'[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]"
                      ".[0-9][0-9][0-9]Z'");
      also(check, name + " IS strftime('%Y-%m-%dT%H:%M:%fZ', " + name + ", '+0 days')");
      break;
    case FieldType::json:
      // SQLite 3.40 does not take NULL for valid.
      return name + " IS NULL OR json_valid(" + name + ")";
    case FieldType::blob:
      return json_check(field, field.many ? "array" : "object");
    case FieldType::choice:
      if (field.many) return json_check(field, "array");
      return name + " IN (" + list_sql(field.choices) + ")";
    default:
      break;
  }
  also(check, bounds_sql(field, bounded));
  return check;
}

std::string column_sql(const Field& field) {
  std::string sql = quoted(field.name);
  sql.append(" ").append(storage_of(field.type));
  if (field.required) sql += " NOT NULL";
  if (const auto value = default_sql(field); !value.empty()) sql.append(" DEFAULT ").append(value);
  if (const auto check = check_sql(field); !check.empty()) {
    // Named after the field: SQLite's message then names it.
    sql.append(" CONSTRAINT ")
        .append(quoted(field.name))
        .append(" CHECK (")
        .append(check)
        .append(")");
  }
  if (field.refers_to_own()) {
    sql.append(" REFERENCES ").append(quoted(field.table)).append("(\"id\") ON DELETE ");
    sql.append(action_of(field.on_delete));
  }
  return sql;
}

std::string create_sql(std::string_view table, std::span<const Field> fields) {
  std::string sql = "CREATE TABLE " + quoted(table) +
                    " (\n  \"rowid\" INTEGER PRIMARY KEY,\n"
                    "  \"id\" TEXT NOT NULL UNIQUE CONSTRAINT \"id\" CHECK (length(\"id\") = 36)";
  for (const auto& field : fields) {
    if (field.has_column()) sql.append(",\n  ").append(column_sql(field));
  }
  return sql += "\n) STRICT";
}

std::string create_link_sql(std::string_view table, const Field& field) {
  std::string sql = "CREATE TABLE " + quoted(link_table(table, field.name)) +
                    " (\n  \"rowid\" INTEGER PRIMARY KEY,\n  \"record\" TEXT NOT NULL REFERENCES " +
                    quoted(table) + "(\"id\") ON DELETE CASCADE,\n  \"target\" TEXT NOT NULL";
  if (field.refers_to_own()) {
    sql.append(" REFERENCES ").append(quoted(field.table)).append("(\"id\") ON DELETE ");
    sql.append(field.on_delete == OnDelete::clear ? "CASCADE" : "RESTRICT");
  }
  return sql += ",\n  \"position\" INTEGER NOT NULL\n) STRICT";
}

std::string index_name(std::string_view table, const std::vector<std::string>& fields,
                       bool unique) {
  std::string name = std::string(unique ? unique_prefix : index_prefix).append(table);
  for (const auto& field : fields)
    name.append("__").append(field);
  return name;
}

namespace {

PlannedIndex make_index(std::string_view table, std::vector<std::string> fields, bool unique) {
  PlannedIndex index;
  index.name = index_name(table, fields, unique);
  const std::string columns =
      base::join(fields, [](const std::string& field) { return quoted(field); });
  index.sql = std::string(unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ") + quoted(index.name) +
              " ON " + quoted(table) + " (" + columns + ")";
  index.unique = unique;
  index.fields = std::move(fields);
  return index;
}

}  // namespace

std::vector<PlannedIndex> planned_indexes(const Table& table) {
  std::vector<PlannedIndex> indexes;
  const auto plan = [&](std::vector<std::string> fields, bool unique) {
    const auto same = std::find_if(indexes.begin(), indexes.end(),
                                   [&](const auto& one) { return one.fields == fields; });
    if (same != indexes.end() && (same->unique || !unique)) return;
    if (same != indexes.end()) indexes.erase(same);
    indexes.push_back(make_index(table.name, std::move(fields), unique));
  };
  for (const auto& index : table.indexes)
    plan(index.fields, index.unique);
  for (const auto& field : table.fields) {
    if (field.unique || field.indexed) plan({field.name}, field.unique);
  }
  for (const auto& field : table.fields) {
    const bool leads = std::any_of(indexes.begin(), indexes.end(), [&](const auto& index) {
      return index.fields.front() == field.name;
    });
    if (field.refers_to_own() && !field.many && !leads) plan({field.name}, false);
  }
  return indexes;
}

std::vector<Field> searchable_fields(const Table& table) {
  std::vector<Field> fields;
  std::copy_if(table.fields.begin(), table.fields.end(), std::back_inserter(fields),
               [](const Field& field) { return field.searchable; });
  return fields;
}

std::string search_table(std::string_view table) {
  return "tenon_" + std::string(table) + "_search";
}

std::vector<PlannedIndex> link_indexes(std::string_view table, std::string_view field) {
  const std::string link = link_table(table, field);
  return {make_index(link, {"record", "target"}, true), make_index(link, {"target"}, false)};
}

}  // namespace tenon::data::schema
