#include "sqlite/schema/renames.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "data/sql_error.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/schema/catalog.hpp"

namespace tenon::data::schema {

namespace {

std::vector<std::string> link_tables_of(sqlite::Connection& connection, std::string_view table) {
  const std::string prefix = link_table(table, "");
  std::vector<std::string> names;
  sqlite::Sql row(
      connection,
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, length(?1)) = "
      "?1 ORDER BY name",
      {prefix});
  while (row.next())
    names.push_back(row.text(0));
  std::erase_if(names, [&](const auto& name) { return !is_link_table(connection, name); });
  return names;
}

void rename_table(sqlite::Connection& connection, const std::string& from, const std::string& to) {
  sqlite::Sql::run(connection, "ALTER TABLE " + quoted(from) + " RENAME TO " + quoted(to));
}

void apply_one(sqlite::Connection& connection, const Rename& rename) {
  if (rename.field.empty()) {
    const auto links = link_tables_of(connection, rename.from);
    rename_table(connection, rename.from, rename.table);
    const auto skipped = link_table(rename.from, "").size();
    for (const auto& link : links)
      rename_table(connection, link, link_table(rename.table, link.substr(skipped)));
    return;
  }
  const auto link = link_table(rename.table, rename.from);
  if (is_link_table(connection, link)) {
    rename_table(connection, link, link_table(rename.table, rename.field));
  } else {
    sqlite::Sql::run(connection, "ALTER TABLE " + quoted(rename.table) + " RENAME COLUMN " +
                                     quoted(rename.from) + " TO " + quoted(rename.field));
  }
}

bool is_space(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Returns the value of an option of CREATE VIRTUAL TABLE: content='notes', content = notes.
std::string option_of(std::string_view sql, std::string_view option) {
  for (auto at = sql.find(option); at != std::string_view::npos; at = sql.find(option, at + 1)) {
    const char before = at == 0 ? ' ' : sql[at - 1];
    std::size_t i = at + option.size();
    while (i < sql.size() && is_space(sql[i]))
      ++i;
    if ((before != '(' && before != ',' && !is_space(before)) || i == sql.size() || sql[i] != '=')
      continue;
    std::string name;
    for (++i; i < sql.size() && sql[i] != ',' && sql[i] != ')'; ++i) {
      if (!is_space(sql[i]) && std::string_view("'\"`[]").find(sql[i]) == std::string_view::npos)
        name += sql[i];
    }
    return name;
  }
  return {};
}

struct SearchTable {
  std::string name;
  std::string content;
};

std::vector<SearchTable> search_tables(sqlite::Connection& connection) {
  std::vector<SearchTable> tables;
  sqlite::Sql row(
      connection,
      "SELECT name, lower(sql) FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE "
      "VIRTUAL TABLE%' ORDER BY name");
  while (row.next()) {
    // The host recreates its own triggers under the new names.
    if (row.text(0).starts_with("tenon_")) continue;
    if (auto content = option_of(row.text(1), "content"); !content.empty())
      tables.push_back({row.text(0), std::move(content)});
  }
  return tables;
}

}  // namespace

void apply_renames(sqlite::Connection& connection, const Renames& renames) {
  for (const Rename& rename : renames.list) {
    try {
      apply_one(connection, rename);
    } catch (const SqlError& error) {
      if (error.code() != "data.sql") throw;
      throw base::Error(409, "data.migration_refused",
                        rename.table + (rename.field.empty() ? "" : "." + rename.field) +
                            ": it cannot be renamed from " + rename.from + ": " + error.detail() +
                            "; drop the trigger or view in a numbered migration of a version "
                            "before the one that renames, and create it again in this one.");
    }
  }
}

void refuse_stale_search(sqlite::Connection& connection, const Renames& renames,
                         std::vector<Refusal>& refusals) {
  if (renames.list.empty()) return;
  for (const SearchTable& search : search_tables(connection)) {
    const auto stale =
        std::find_if(renames.list.begin(), renames.list.end(), [&](const Rename& rename) {
          if (rename.field.empty()) return search.content == rename.from;
          return (search.content == rename.table ||
                  search.content == renames.table_in_file(rename.table)) &&
                 sqlite::Sql::number(connection,
                                     "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE name = ?2",
                                     {search.name, rename.from}) != 0;
        });
    if (stale == renames.list.end()) continue;
    refusals.push_back(
        {stale->table, stale->field,
         "the search table " + search.name + " reads " + stale->from +
             ", which has another name now; drop it and create it again in a numbered "
             "migration",
         std::nullopt});
  }
}

}  // namespace tenon::data::schema
