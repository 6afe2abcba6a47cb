#include "records/api/page.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"
#include "records/query/query_text.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

using data::schema::Value;
using dialect::parameter;

constexpr std::string_view rowid = "\"t\".\"rowid\"";

[[noreturn]] void refuse_cursor() {
  throw base::Error(400, "records.bad_cursor",
                    "The cursor does not belong to this list. Begin without one.");
}

bool is_null(const Value& value) noexcept {
  return value.index() == 0;
}

// Row values are one range of an index; they know no null and one direction.
bool has_row_value(const Sort& sort) {
  return std::none_of(sort.keys.begin(), sort.keys.end(), [&](const SortKey& key) {
    return key.is_nullable || key.is_descending != sort.is_descending();
  });
}

void append_row_value(std::string& sql, const Sort& sort, std::size_t first) {
  std::string columns;
  std::string values;
  for (std::size_t i = 0; i < sort.keys.size(); ++i) {
    columns.append(sort.keys[i].column).append(", ");
    values.append(parameter(first + i)).append(", ");
  }
  const std::string last = parameter(first + sort.keys.size());
  sql.append("(").append(columns).append(rowid).append(") ");
  sql.append(sort.is_descending() ? "<" : ">").append(" (").append(values).append(last).append(")");
}

std::string key_after(const SortKey& key, const Value& value, const std::string& number) {
  if (is_null(value)) return key.is_descending ? "false" : key.column + " IS NOT NULL";
  if (!key.is_descending) return key.column + " > " + number;
  return "(" + key.column + " < " + number + " OR " + key.column + " IS NULL)";
}

Value value_of(const base::JsonSlice& json) {
  switch (json.type()) {
    case base::JsonType::null:
      return {};
    case base::JsonType::string:
      return json.string();
    case base::JsonType::number:
      if (const auto integer = json.integer()) return *integer;
      return json.number();
    default:
      refuse_cursor();
  }
}

}  // namespace

Sort parse_sort(const TableModel& table, const std::string& text,
                const expression::Context& context) {
  Sort sort;
  sort.engine = table.engine;
  sort.text = text;
  if (text.empty()) return sort;
  std::string_view rest = text;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const bool is_descending = part.starts_with('-');
    const std::string name(part.substr(is_descending ? 1 : 0));
    SortKey key{"\"t\"." + data::schema::quoted(name), is_descending, false};
    if (name != "id") {
      const FieldModel* field = table.find(name);
      if (!field || field->field.hidden) refuse_query("sort", "there is no field '" + name + "'");
      if (!field->can_sort) refuse_query("sort", "a list cannot be sorted by '" + name + "'");
      if (!is_seen_always(*field, context)) refuse_field("sort", name);
      key.is_nullable = !field->field.required;
    }
    const bool is_second = std::any_of(sort.keys.begin(), sort.keys.end(), [&](const auto& other) {
      return other.column == key.column;
    });
    if (is_second) refuse_query("sort", "'" + name + "' appears twice");
    sort.keys.push_back(std::move(key));
    if (sort.keys.size() > max_sort_keys)
      refuse_query("sort",
                   "a list is sorted by at most " + std::to_string(max_sort_keys) + " fields");
    if (part.size() == rest.size()) return sort;
    rest.remove_prefix(part.size() + 1);
  }
}

Sort rank_sort(data::Dialect engine) {
  Sort sort;
  sort.engine = engine;
  sort.keys.push_back({{}, false, false});
  sort.is_by_rank = true;
  return sort;
}

void append_key_columns(std::string& sql, const Sort& sort) {
  for (std::size_t i = 0; i < sort.keys.size(); ++i)
    sql.append(", ")
        .append(sort.keys[i].column)
        .append(" AS \"")
        .append(std::to_string(i))
        .append(":key\"");
  sql.append(", ").append(rowid).append(" AS \"rowid:key\"");
}

void append_order(std::string& sql, const Sort& sort) {
  sql += " ORDER BY ";
  for (const SortKey& key : sort.keys)
    sql.append(key.column).append(dialect::order(sort.engine, key.is_descending)).append(", ");
  sql.append(rowid).append(sort.is_descending() ? " DESC" : "");
}

std::string list_mark(const std::string& path, const Sort& sort, const std::string& filter,
                      const std::string& typed) {
  // None of the first three holds a NUL: the filter is compiled before.
  return base::short_hash(path + '\0' + sort.text + '\0' + filter + '\0' + typed);
}

std::string make_cursor(std::string_view mark, std::string_view keys) {
  std::string cursor = to_base64url(std::string(mark).append(keys));
  if (cursor.size() > max_cursor_bytes) cursor.clear();
  return cursor;
}

std::vector<Value> read_cursor(std::string_view cursor, std::string_view mark, const Sort& sort) {
  if (cursor.size() > max_cursor_bytes) refuse_cursor();
  const auto bytes = from_base64url(cursor);
  if (!bytes || !bytes->starts_with(mark)) refuse_cursor();
  const std::string_view json = std::string_view(*bytes).substr(mark.size());
  try {
    base::check_json(json);
  } catch (const base::Error&) {
    refuse_cursor();
  }
  const base::JsonSlice array(json);
  if (array.type() != base::JsonType::array) refuse_cursor();
  std::vector<Value> keys;
  array.each_element([&](const base::JsonSlice& key) { keys.push_back(value_of(key)); });
  if (keys.size() != sort.keys.size() + 1 || keys.back().index() != 1) refuse_cursor();
  if (sort.is_by_rank && keys.front().index() != 1) refuse_cursor();
  return keys;
}

void append_after(std::string& sql, const Sort& sort, const std::vector<Value>& keys,
                  std::size_t first_parameter) {
  if (has_row_value(sort)) {
    append_row_value(sql, sort, first_parameter);
    return;
  }
  sql += "(";
  std::string equal;
  for (std::size_t i = 0; i < sort.keys.size(); ++i) {
    const std::string number = parameter(first_parameter + i);
    sql.append("(").append(equal).append(key_after(sort.keys[i], keys[i], number)).append(") OR ");
    equal.append(sort.keys[i].column).append(dialect::is_same(sort.engine));
    equal.append(number).append(" AND ");
  }
  const std::string last = parameter(first_parameter + sort.keys.size());
  sql.append("(").append(equal).append(rowid);
  sql.append(sort.is_descending() ? " < " : " > ").append(last).append("))");
}

}  // namespace tenon::records
