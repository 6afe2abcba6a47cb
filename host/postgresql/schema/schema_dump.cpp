#include "postgresql/schema/schema_dump.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "postgresql/schema/schema_dump_sql.hpp"
#include "schema/ddl.hpp"

namespace tenon::data::postgresql {

namespace {

std::vector<std::string> texts(Sql& sql, std::string_view query) {
  std::vector<std::string> found;
  Rows row = sql.rows(query);
  while (row.next())
    found.emplace_back(row.text(0));
  return found;
}

void append(std::vector<std::string>& to, std::vector<std::string>&& statements) {
  to.insert(to.end(), std::make_move_iterator(statements.begin()),
            std::make_move_iterator(statements.end()));
}

[[noreturn]] void refuse(const std::string& what) {
  throw base::Error(409, "data.snapshot_refused", what);
}

void require_known(Sql& sql) {
  const auto unknown = texts(sql, catalog_sql::unknown);
  if (unknown.empty()) return;
  refuse("A snapshot cannot hold " + unknown.front() +
         ", which no migration of a plugin makes. Remove it, then try again.");
}

void require_alone(Sql& sql) {
  const auto outside = texts(sql, catalog_sql::outside);
  if (outside.empty()) return;
  refuse("Outside of the schema there is " + outside.front() +
         ", which uses its tables and would be lost when they are recreated. Remove it, then try "
         "again.");
}

/// Orders relations, each after those that it needs.
class Order {
 public:
  explicit Order(Sql& sql) {
    Rows row = sql.rows(catalog_sql::needs);
    while (row.next())
      needs_[std::string(row.text(0))].insert(std::string(row.text(1)));
  }

  // The statements of `made` by the names of their relations.
  std::vector<std::string> sorted(std::map<std::string, std::string> made) {
    std::vector<std::string> statements;
    while (!made.empty())
      take(made, std::string(made.begin()->first), statements);
    return statements;
  }

 private:
  void take(std::map<std::string, std::string>& made, const std::string& name,
            std::vector<std::string>& statements) {
    const auto found = made.find(name);
    if (found == made.end()) return;
    const std::string statement = std::move(found->second);
    made.erase(found);
    for (const std::string& one : needs_[name])
      take(made, one, statements);
    statements.push_back(statement);
  }

  std::map<std::string, std::set<std::string>> needs_;
};

std::map<std::string, std::string> named(Sql& sql, std::string_view query) {
  std::map<std::string, std::string> made;
  Rows row = sql.rows(query);
  while (row.next())
    made.emplace(row.text(0), row.text(1));
  return made;
}

// A sequence is not undone with what asked it, so its number is read and not copied.
std::vector<std::string> numbers(Sql& sql) {
  std::vector<std::string> statements;
  for (const std::string& name : texts(sql, catalog_sql::sequences)) {
    statements.push_back(
        sql.text("SELECT 'SELECT pg_catalog.setval(' || quote_literal(" + schema::literal(name) +
                 ") || ', ' || last_value || ', ' || is_called || ')' FROM " + name));
  }
  return statements;
}

std::vector<DumpedTable> tables(Sql& sql) {
  std::vector<DumpedTable> found;
  Rows row = sql.rows(catalog_sql::columns);
  while (row.next()) {
    if (found.empty() || found.back().name != row.text(0)) {
      found.emplace_back();
      found.back().name = row.text(0);
      found.back().has_rowid = row.boolean(3);
    }
    found.back().columns.emplace_back(row.text(1));
    found.back().types.emplace_back(row.text(2));
  }
  return found;
}

}  // namespace

std::vector<std::string> objects_of(Sql& sql) {
  return texts(sql, catalog_sql::objects);
}

std::vector<std::string> drop_statements(Sql& sql) {
  require_alone(sql);
  return texts(sql, catalog_sql::drop_statements);
}

SchemaDump dump_schema(Sql& sql, std::string_view role) {
  require_known(sql);
  require_alone(sql);
  Order order(sql);
  SchemaDump all;
  append(all.before, texts(sql, catalog_sql::functions));
  append(all.before, texts(sql, catalog_sql::new_sequences));
  append(all.before, order.sorted(named(sql, catalog_sql::new_tables)));
  append(all.before, texts(sql, catalog_sql::column_settings));
  all.tables = tables(sql);
  append(all.after, numbers(sql));
  append(all.after, texts(sql, catalog_sql::sequence_owners));
  append(all.after, texts(sql, catalog_sql::constraints));
  append(all.after, order.sorted(named(sql, catalog_sql::views)));
  append(all.after, texts(sql, catalog_sql::view_defaults));
  append(all.after, texts(sql, catalog_sql::indexes));
  append(all.after, texts(sql, catalog_sql::references));
  append(all.after, texts(sql, catalog_sql::triggers));
  append(all.after, texts(sql, catalog_sql::table_settings));
  append(all.after, texts(sql, catalog_sql::comments));
  all.objects = objects_of(sql);
  if (role.empty()) return all;
  Rows row = sql.rows(catalog_sql::rights, {role});
  while (row.next())
    all.rights.push_back({std::string(row.text(0)), std::string(row.text(1))});
  return all;
}

}  // namespace tenon::data::postgresql
