#include "records/query/dialect.hpp"

#include "base/json_writer.hpp"
#include "data/search.hpp"
#include "data/sql_error.hpp"
#include "postgresql/roles/room_migration.hpp"
#include "records/model/limits.hpp"
#include "schema/ddl.hpp"

namespace tenon::records::dialect {

using data::schema::quoted;

namespace {

bool is_postgresql(data::Dialect engine) noexcept {
  return engine == data::Dialect::postgresql;
}

}  // namespace

std::string parameter(std::size_t number) {
  return "?" + std::to_string(number);
}

std::string link_value(data::Dialect engine, const std::string& table,
                       const data::schema::Field& field) {
  if (is_postgresql(engine)) {
    return "(SELECT '[' || coalesce(string_agg(to_json(\"target\")::text, ',' ORDER BY "
           "\"position\"), "
           "'') || ']' FROM " +
           quoted(data::schema::link_table(table, field.name)) +
           " WHERE \"record\" = \"t\".\"id\")";
  }
  return "(SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM " +
         quoted(data::schema::link_table(table, field.name)) +
         " WHERE \"record\" = \"t\".\"id\" ORDER BY \"position\"))";
}

std::string is_member(data::Dialect engine, std::string_view column, std::size_t number) {
  if (is_postgresql(engine)) {
    return std::string(column) + " = ANY (ARRAY(SELECT json_array_elements_text(" +
           parameter(number) + "::json)))";
  }
  return std::string(column) + " IN (SELECT \"value\" FROM json_each(" + parameter(number) + "))";
}

std::string_view order(data::Dialect engine, bool is_descending) noexcept {
  if (is_postgresql(engine)) return is_descending ? " DESC NULLS LAST" : " NULLS FIRST";
  return is_descending ? " DESC" : "";
}

std::string_view join_in_order(data::Dialect engine) noexcept {
  return is_postgresql(engine) ? " JOIN " : " CROSS JOIN ";
}

std::string_view is_same(data::Dialect engine) noexcept {
  return is_postgresql(engine) ? " IS NOT DISTINCT FROM " : " IS ";
}

std::string sum(data::Dialect engine, const std::string& value, bool is_integer) {
  return "sum(" + value + (is_postgresql(engine) && is_integer ? ")::bigint" : ")");
}

std::string average(data::Dialect engine, const std::string& value) {
  return "avg(" + value + (is_postgresql(engine) ? "::double precision)" : ")");
}

std::string_view find_table(data::Dialect engine) noexcept {
  return is_postgresql(engine) ? "SELECT 1 WHERE to_regclass(?1) IS NOT NULL"
                               : "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
}

std::string host_table(data::Dialect engine, std::string_view statement) {
  return is_postgresql(engine) ? data::postgresql::room_migration(statement)
                               : std::string(statement);
}

std::string search_request(const std::vector<SearchTerm>& terms,
                           const std::vector<SearchField>& fields, std::size_t columns) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("fields").begin_array();
  std::string names;
  for (const SearchField& field : fields) {
    json.value(static_cast<std::int64_t>(field.column));
    names.append(names.empty() ? "" : " ").append(quoted(field.name));
  }
  json.end_array();
  if (fields.size() < columns) json.member("columns", names);
  json.key("terms").begin_array();
  for (const SearchTerm& term : terms) {
    json.begin_object().member("text", term.text).member("beginning", term.is_beginning);
    json.member("excluded", term.is_excluded).end_object();
  }
  json.end_array().end_object();
  return text;
}

std::string highlight(data::Dialect engine, const std::vector<SearchField>& fields,
                      std::size_t parameter) {
  const std::string request = records::dialect::parameter(parameter);
  const std::string words = std::to_string(max_snippet_words);
  std::string members;
  if (!is_postgresql(engine)) {
    for (const SearchField& field : fields)
      members.append(", '").append(field.name).append("', \"t\".").append(quoted(field.name));
    return "tenon_highlight(" + request + ", " + words + members + ")";
  }
  for (const SearchField& field : fields) {
    members.append(members.empty() ? "" : " || ")
        .append("coalesce(',\"")
        .append(field.name)
        .append("\":' || tenon_search_pieces(\"t\".")
        .append(quoted(field.name))
        .append(", ")
        .append(request)
        .append(", ")
        .append(words)
        .append("), '')");
  }
  return "('{' || substr(" + members + ", 2) || '}')";
}

std::string is_match(data::Dialect engine, const std::string& table, std::size_t request) {
  const std::string index = quoted(data::schema::search_table(table));
  const std::string condition = is_postgresql(engine)
                                    ? "\"words\" @@ tenon_search_query(" + parameter(request) + ")"
                                    : index + " MATCH tenon_match(" + data::schema::literal(table) +
                                          ", " + parameter(request) + ", 1)";
  return "\"t\".\"rowid\" IN (SELECT \"rowid\" FROM " + index + " WHERE " + condition + ")";
}

std::string with_query(data::Dialect engine, const std::string& table, std::size_t request,
                       bool is_complete) {
  if (is_postgresql(engine)) return "WITH \"q\" AS (SELECT 0 AS \"is_partial\")";
  // The expression ends with a space if it leaves words out.
  return "WITH \"q\"(\"match\") AS MATERIALIZED (SELECT tenon_match(" +
         data::schema::literal(table) + ", " + parameter(request) + (is_complete ? ", 1" : ", 0") +
         "))";
}

std::string_view is_partial(data::Dialect engine) noexcept {
  return is_postgresql(engine) ? R"((SELECT "is_partial" FROM "q"))"
                               : R"((SELECT substr("match", -1) = ' ' FROM "q"))";
}

std::string from_matches(data::Dialect engine, const std::string& table, std::size_t request) {
  const std::string index = quoted(data::schema::search_table(table));
  if (is_postgresql(engine)) {
    // Not from a CTE: the planner must see the words. It reads the newest records if the words are
    // frequent, else the index of words.
    return " FROM " + index + " AS \"s\" JOIN " + quoted(table) +
           " AS \"t\" ON \"t\".\"rowid\" = \"s\".\"rowid\" WHERE \"s\".\"words\" @@ "
           "tenon_search_query(" +
           parameter(request) + ")";
  }
  // CROSS JOIN: SQLite reads the search index first, then the records of its matches.
  return " FROM " + index + " AS \"s\" CROSS JOIN " + quoted(table) +
         " AS \"t\" ON \"t\".\"rowid\" = \"s\".\"rowid\" WHERE \"s\"." + index +
         " MATCH (SELECT \"match\" FROM \"q\")";
}

std::string ranked_matches(data::Dialect engine, const std::string& table,
                           const std::string& conditions, std::size_t request, std::size_t weights,
                           std::size_t fields) {
  const std::string recent = from_matches(engine, table, request) + conditions +
                             " ORDER BY \"s\".\"rowid\" DESC LIMIT " +
                             std::to_string(data::max_ranked_matches(engine));
  if (!is_postgresql(engine)) {
    return ", \"m\"(\"row\", \"rank\") AS MATERIALIZED (SELECT \"s\".\"rowid\", "
           "tenon_rank_order(\"s\"." +
           quoted(data::schema::search_table(table)) + ", " + parameter(weights) + ", " +
           parameter(request) + ")" + recent + ")";
  }
  // As tenon_search_rank(), whose call for each record would cost more than the rest of the
  // statement.
  std::string rank;
  for (std::size_t field = 1; field <= fields; ++field) {
    const std::string at = "[" + std::to_string(field) + "]";
    rank.append(rank.empty() ? "" : " + ")
        .append("\"weights\"" + at + " * ts_rank(\"words\", \"parts\"" + at + ", 1)");
  }
  return ", \"w\" AS MATERIALIZED (SELECT tenon_search_parts(" + parameter(request) +
         ") AS \"parts\", tenon_search_weights(" + parameter(request) + ", " + parameter(weights) +
         ") AS \"weights\"), \"m\" AS MATERIALIZED (SELECT \"row\", -(" + rank +
         ") AS \"rank\" FROM (SELECT \"s\".\"rowid\" AS \"row\", \"s\".\"words\"" + recent +
         ") AS \"recent\" CROSS JOIN \"w\")";
}

std::string beginning(const std::string& value, std::size_t characters) {
  return "substr(" + value + ", 1, " + std::to_string(characters) + ")";
}

bool is_sum_overflow(data::Dialect engine, const data::SqlError& error) noexcept {
  if (is_postgresql(engine)) return error.detail().starts_with("22003");
  return error.detail().find("integer overflow") != std::string::npos;
}

}  // namespace tenon::records::dialect
