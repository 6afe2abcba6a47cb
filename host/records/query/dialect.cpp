#include "records/query/dialect.hpp"

#include "base/json_writer.hpp"
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

std::string phrase(const SearchTerm& term) {
  return quoted(term.text) + (term.is_beginning ? " *" : "");
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

std::string asked(const std::vector<SearchTerm>& terms, const std::vector<SearchField>& fields) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("fields").begin_array();
  for (const SearchField& field : fields)
    json.value(static_cast<std::int64_t>(field.column));
  json.end_array().key("terms").begin_array();
  for (const SearchTerm& term : terms) {
    json.begin_object().member("text", term.text).member("beginning", term.is_beginning);
    json.member("excluded", term.is_excluded).end_object();
  }
  json.end_array().end_object();
  return text;
}

std::string match_expression(data::Dialect engine, const std::vector<SearchTerm>& terms,
                             const std::vector<SearchField>& fields) {
  if (is_postgresql(engine)) return asked(terms, fields);
  std::string expression = "{";
  for (const SearchField& field : fields)
    expression.append(field.column == fields.front().column ? "" : " ").append(quoted(field.name));
  // An empty phrase restricts nothing if there is another phrase, and finds nothing alone.
  expression += "} : ((\"\"";
  for (const SearchTerm& term : terms) {
    if (!term.is_excluded) expression.append(" ").append(phrase(term));
  }
  expression += ")";
  for (const SearchTerm& term : terms) {
    if (term.is_excluded) expression.append(" NOT ").append(phrase(term));
  }
  return expression += ")";
}

std::string highlight(data::Dialect engine, const std::vector<SearchField>& fields,
                      std::size_t parameter) {
  const std::string asked = records::dialect::parameter(parameter);
  const std::string max_words = std::to_string(max_snippet_words);
  std::string members;
  if (!is_postgresql(engine)) {
    for (const SearchField& field : fields)
      members.append(", '").append(field.name).append("', \"t\".").append(quoted(field.name));
    return "tenon_search_highlight(" + asked + ", " + max_words + members + ")";
  }
  for (const SearchField& field : fields) {
    members.append(members.empty() ? "" : " || ")
        .append("coalesce(',\"")
        .append(field.name)
        .append("\":' || tenon_search_pieces(\"t\".")
        .append(quoted(field.name))
        .append(", ")
        .append(asked)
        .append(", ")
        .append(max_words)
        .append("), '')");
  }
  return "('{' || substr(" + members + ", 2) || '}')";
}

std::string is_found(data::Dialect engine, const std::string& table, std::size_t parameter) {
  const std::string index = quoted(data::schema::search_table(table));
  if (is_postgresql(engine)) {
    return "\"t\".\"rowid\" IN (SELECT \"rowid\" FROM " + index +
           " WHERE \"words\" @@ tenon_search_query(" + records::dialect::parameter(parameter) +
           "))";
  }
  return "\"t\".\"rowid\" IN (SELECT \"rowid\" FROM " + index + " WHERE " + index + " MATCH " +
         records::dialect::parameter(parameter) + ")";
}

std::string from_found(data::Dialect engine, const std::string& table, std::size_t parameter,
                       std::size_t ranking) {
  const std::string index = quoted(data::schema::search_table(table));
  const std::string asked = records::dialect::parameter(parameter);
  if (is_postgresql(engine)) {
    // OFFSET: made once, not for each record.
    return " FROM (SELECT tenon_search_query(" + asked + ") AS \"found\", tenon_search_parts(" +
           asked + ") AS \"parts\", tenon_search_weights(" + asked + ", " +
           records::dialect::parameter(ranking) +
           ") AS \"weights\" OFFSET 0) AS \"q\" CROSS JOIN " + index + " AS \"s\" JOIN " +
           quoted(table) +
           " AS \"t\" ON \"t\".\"rowid\" = \"s\".\"rowid\" WHERE \"s\".\"words\" @@ "
           "\"q\".\"found\"";
  }
  // CROSS: the search index first, then the records that it names.
  return " FROM " + index + " AS \"s\" CROSS JOIN " + quoted(table) +
         " AS \"t\" ON \"t\".\"rowid\" = \"s\".\"rowid\" WHERE \"s\"." + index + " MATCH " + asked;
}

std::string rank(data::Dialect engine, const std::string& table, std::size_t ranking,
                 bool is_compared) {
  if (is_postgresql(engine)) return R"(tenon_search_rank("s"."words", "q"."parts", "q"."weights"))";
  return (is_compared ? "tenon_rank(\"s\"." : "tenon_order(\"s\".") +
         quoted(data::schema::search_table(table)) + ", " + data::schema::literal(table) + ", " +
         parameter(ranking) + ")";
}

std::string from_best(const std::string& table, std::size_t parameter, std::size_t ranking) {
  // CROSS: what is found first, then the records that it names.
  return " FROM tenon_found(" + data::schema::literal(table) + ", " +
         records::dialect::parameter(parameter) + ", " + records::dialect::parameter(ranking) +
         ") AS \"p\" CROSS JOIN " + quoted(table) +
         " AS \"t\" WHERE \"t\".\"rowid\" = \"p\".\"rowid\"";
}

std::string beginning(const std::string& value, std::size_t characters) {
  return "substr(" + value + ", 1, " + std::to_string(characters) + ")";
}

bool is_sum_overflow(data::Dialect engine, const data::SqlError& error) noexcept {
  if (is_postgresql(engine)) return error.detail().starts_with("22003");
  return error.detail().find("integer overflow") != std::string::npos;
}

}  // namespace tenon::records::dialect
