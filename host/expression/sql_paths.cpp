#include <utility>

#include "expression/sql_writer.hpp"
#include "schema/ddl.hpp"

namespace tenon::expression {

namespace {

using data::schema::quoted;

std::string field_of(std::string_view alias, std::string_view field) {
  return quoted(alias) + "." + quoted(field);
}

}  // namespace

// A JSON array's members as rows with a column "value".
std::string SqlWriter::members(const std::string& column, const std::string& alias) const {
  if (is_sqlite()) return "json_each(" + column + ") AS " + quoted(alias);
  return "jsonb_array_elements_text(" + column + "::jsonb) AS " + quoted(alias) + "(\"value\")";
}

SqlWriter::Source SqlWriter::source(const Path& path) {
  Source source;
  std::string record = alias_;  // whose fields the next hop reads
  bool has_many = false;
  const auto join = [&](const std::string& what, const std::string& condition, bool is_outer) {
    if (source.from.empty()) {
      source.from = what;
      source.where = condition;
    } else {
      source.from.append(is_outer ? " LEFT JOIN " : " JOIN ").append(what);
      source.from.append(" ON ").append(condition);
    }
  };
  for (std::size_t i = 0; i < path.hops.size(); ++i) {
    const Hop& hop = path.hops[i];
    const bool is_last = i + 1 == path.hops.size();
    std::string held = field_of(record, hop.field);
    if (hop.is_many) {
      const std::string link = new_alias();
      join(quoted(data::schema::link_table(hop.table, hop.field)) + " AS " + quoted(link),
           field_of(link, "record") + " = " + field_of(record, "id"), false);
      held = field_of(link, "target");
      if (is_last && path.ends_on_link) {
        source.value = held;
        return source;
      }
    }
    record = new_alias();
    join(quoted(hop.target) + " AS " + quoted(record), field_of(record, "id") + " = " + held,
         has_many && !hop.is_many);
    has_many = has_many || hop.is_many;
  }
  const std::string last = field_of(record, path.field);
  source.value = last;
  if (path.is_members) {
    const std::string alias = new_alias();
    const bool is_alone = source.from.empty();
    source.from.append(is_alone ? "" : " CROSS JOIN ").append(members(last, alias));
    source.value = field_of(alias, "value");
  }
  return source;
}

std::string SqlWriter::column(const Path& path) {
  if (path.hops.empty()) return field_of(alias_, path.field);
  const Source at = source(path);
  return "(SELECT " + at.value + " FROM " + at.from + " WHERE " + at.where + ")";
}

std::string SqlWriter::any(const Typed& node) {
  const Source at = source(node.path);
  const std::string outer = std::exchange(member_, at.value);
  const std::string body = condition(node.parts[0], false);
  member_ = outer;
  return "(EXISTS (SELECT 1 FROM " + at.from + " WHERE " +
         (at.where.empty() ? body : at.where + " AND " + body) + "))";
}

std::string SqlWriter::is_empty(const Path& path) {
  const Source at = source(path);
  return "(NOT EXISTS (SELECT 1 FROM " + at.from + (at.where.empty() ? "" : " WHERE " + at.where) +
         "))";
}

}  // namespace tenon::expression
