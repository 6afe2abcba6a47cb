#include "records/dialect.hpp"

#include "data/schema/ddl.hpp"
#include "data/sql_error.hpp"
#include "records/limits.hpp"

namespace tenon::records::dialect {

using data::schema::quoted;

namespace {

// What FTS5 puts around a word that it found: characters that Unicode keeps for such use
// (U+FDD0, U+FDD1) and that JSON need not escape. A text that has them itself is cut there.
constexpr std::string_view match_begin = "char(64976)";
constexpr std::string_view match_end = "char(64977)";

std::string phrase(const SearchTerm& term) {
  return quoted(term.text) + (term.is_beginning ? " *" : "");
}

std::string replaced(const std::string& value, std::string_view from, std::string_view to) {
  return "replace(" + value + ", " + std::string(from) + ", '" + std::string(to) + "')";
}

// Of a marked text the JSON array of its pieces, without empty ones.
std::string pieces(const std::string& marked) {
  std::string json = "'[{\"text\":' || json_quote(" + marked + ") || ',\"match\":false}]'";
  json = replaced(json, match_begin, R"(","match":false},{"text":")");
  json = replaced(json, match_end, R"(","match":true},{"text":")");
  json = replaced(json, R"('{"text":"","match":false},')", "");
  return replaced(json, R"(',{"text":"","match":false}')", "");
}

}  // namespace

std::string parameter(std::size_t number) {
  return "?" + std::to_string(number);
}

std::string link_value(const std::string& table, const data::schema::Field& field) {
  return "(SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM " +
         quoted(data::schema::link_table(table, field.name)) +
         " WHERE \"record\" = \"t\".\"id\" ORDER BY \"position\"))";
}

std::string is_member(std::string_view column, std::size_t number) {
  return std::string(column) + " IN (SELECT \"value\" FROM json_each(" + parameter(number) + "))";
}

std::string match_expression(const std::vector<SearchTerm>& terms,
                             const std::vector<SearchField>& fields) {
  std::string expression = "{";
  for (const SearchField& field : fields)
    expression.append(field.column == fields.front().column ? "" : " ").append(quoted(field.name));
  // Beside another phrase an empty one asks for nothing, and alone it finds nothing.
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

void append_weight(std::string& ranking, std::int64_t weight) {
  ranking.append(ranking.empty() ? "bm25(" : ", ").append(std::to_string(weight)).append(".0");
}
void end_ranking(std::string& ranking) {
  ranking += ")";
}

std::string highlight(const std::string& table, const std::vector<SearchField>& fields,
                      std::size_t parameter) {
  const std::string index = quoted(data::schema::search_table(table));
  std::string members;
  for (const SearchField& field : fields) {
    const std::string marked = "snippet(\"h\"." + index + ", " + std::to_string(field.column) +
                               ", " + std::string(match_begin) + ", " + std::string(match_end) +
                               ", '…', " + std::to_string(max_snippet_words) + ")";
    members.append(members.empty() ? "" : " || ")
        .append("CASE WHEN instr(")
        .append(marked)
        .append(", ")
        .append(match_begin)
        .append(") > 0 THEN ',\"")
        .append(field.name)
        .append("\":' || ")
        .append(pieces(marked))
        .append(" ELSE '' END");
  }
  return "(SELECT '{' || substr(" + members + ", 2) || '}' FROM " + index + " AS \"h\" WHERE " +
         "\"h\"." + index + " MATCH " + records::dialect::parameter(parameter) +
         " AND \"h\".\"rowid\" = \"t\".\"rowid\")";
}

std::string is_found(const std::string& table, std::size_t parameter) {
  const std::string index = quoted(data::schema::search_table(table));
  return "\"t\".\"rowid\" IN (SELECT \"rowid\" FROM " + index + " WHERE " + index + " MATCH " +
         records::dialect::parameter(parameter) + ")";
}

std::string from_found(const std::string& table, std::size_t parameter, std::size_t ranking) {
  const std::string index = quoted(data::schema::search_table(table));
  // CROSS: the search index first, then the records that it names.
  return " FROM " + index + " AS \"s\" CROSS JOIN " + quoted(table) +
         " AS \"t\" ON \"t\".\"rowid\" = \"s\".\"rowid\" WHERE \"s\"." + index + " MATCH " +
         records::dialect::parameter(parameter) + " AND " + std::string(rank) + " MATCH " +
         records::dialect::parameter(ranking);
}

std::string beginning(const std::string& value, std::size_t characters) {
  return "substr(" + value + ", 1, " + std::to_string(characters) + ")";
}

bool is_sum_overflow(const data::SqlError& error) noexcept {
  return error.detail().find("integer overflow") != std::string::npos;
}

}  // namespace tenon::records::dialect
