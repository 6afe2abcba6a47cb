#include "postgresql/schema/apply.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/sql_error.hpp"
#include "postgresql/schema/catalog.hpp"
#include "postgresql/schema/ddl.hpp"
#include "schema/conversion.hpp"

namespace tenon::data::postgresql {

using schema::Conversion;
using schema::Field;
using schema::PlannedIndex;
using schema::quoted;
using schema::Table;
using schema::Tables;

namespace {

constexpr std::size_t mark_size = 32;

std::string mark_of(const std::string& definition) {
  return "tenon " + base::sha256_hex(definition).substr(0, mark_size);
}

std::vector<Field> links_of(const Table& table) {
  auto fields = table.all_fields();
  std::erase_if(fields, [](const Field& field) { return !field.is_link(); });
  return fields;
}

const Field* find(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

std::string alter(std::string_view table) {
  return "ALTER TABLE " + quoted(table) + " ";
}

void mark_column(Sql& sql, const std::string& table, const Field& field) {
  sql.run("COMMENT ON COLUMN " + quoted(table) + "." + quoted(field.name) + " IS " +
          schema::literal(mark_of(postgresql::column_sql(field))));
}

// Refuses views and triggers of the plugin that depend on a table or column and cannot follow.
template <typename Change>
void refuse_dependents(const std::string& location, const std::string& what, Change&& change) {
  try {
    std::forward<Change>(change)();
  } catch (const SqlError& error) {
    if (error.code() != "data.sql") throw;
    throw base::Error(409, "data.migration_refused",
                      location + ": " + what + ": " + error.detail() +
                          "; drop what depends on it in a numbered migration of a version before "
                          "this one.");
  }
}

// Renames an object of the table `table` where it has one of the old name.
void rename_constraint(Sql& sql, const std::string& table, const std::string& from,
                       const std::string& to) {
  const auto found = sql.number(
      "SELECT count(*) FROM pg_constraint WHERE conname = ?2 AND conrelid = to_regclass(?1)",
      {quoted(table), from});
  if (found != 0) sql.run(alter(table) + "RENAME CONSTRAINT " + quoted(from) + " TO " + quoted(to));
}

void rename_table(Sql& sql, const std::string& from, const std::string& to) {
  sql.run(alter(from) + "RENAME TO " + quoted(to));
}

void apply_one(Sql& sql, const schema::Rename& rename) {
  Catalog catalog(sql);
  if (rename.field.empty()) {
    const std::string prefix = schema::link_table(rename.from, "");
    std::vector<std::string> links;
    {
      Rows row = sql.rows(
          "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND "
          "starts_with(tablename, ?1) ORDER BY 1",
          {prefix});
      while (row.next())
        links.emplace_back(row.text(0));
    }
    std::erase_if(links, [&](const auto& name) { return !catalog.is_link_table(name); });
    rename_table(sql, rename.from, rename.table);
    for (const auto& link : links)
      rename_table(sql, link, schema::link_table(rename.table, link.substr(prefix.size())));
    return;
  }
  const auto link = schema::link_table(rename.table, rename.from);
  if (catalog.is_link_table(link)) {
    rename_table(sql, link, schema::link_table(rename.table, rename.field));
    return;
  }
  sql.run(alter(rename.table) + "RENAME COLUMN " + quoted(rename.from) + " TO " +
          quoted(rename.field));
  rename_constraint(sql, rename.table, rename.from, rename.field);
  rename_constraint(sql, rename.table, reference_name(rename.from), reference_name(rename.field));
}

// Planned indexes are named after their table and fields.
void rename_indexes(Sql& sql, const std::string& table) {
  Catalog catalog(sql);
  for (const auto& name : catalog.read_planned_indexes(table)) {
    const auto wanted = short_name(schema::index_name(table, catalog.read_index_fields(name),
                                                      name.starts_with(schema::unique_prefix)));
    if (wanted != name) sql.run("ALTER INDEX " + quoted(name) + " RENAME TO " + quoted(wanted));
  }
}

void drop_undeclared_indexes(Sql& sql, const std::string& table,
                             const std::vector<PlannedIndex>& planned) {
  for (const auto& name : Catalog(sql).read_planned_indexes(table)) {
    const bool stays = std::any_of(planned.begin(), planned.end(),
                                   [&](const auto& one) { return short_name(one.name) == name; });
    if (!stays) sql.run("DROP INDEX " + quoted(name));
  }
}

void make_missing_indexes(Sql& sql, const std::string& table,
                          const std::vector<PlannedIndex>& planned) {
  const auto existing = Catalog(sql).read_planned_indexes(table);
  for (const auto& index : planned) {
    if (std::find(existing.begin(), existing.end(), short_name(index.name)) == existing.end())
      sql.run(index_sql(table, index));
  }
}

void add_fields(Sql& sql, const Table& table, const schema::ActualTable& actual) {
  for (const Field& field : table.column_fields()) {
    if (actual.find(field.name)) continue;
    const auto value = postgresql::default_sql(field);
    sql.run(alter(table.name) + "ADD COLUMN " + quoted(field.name) + " " + type_sql(field.type) +
            (value.empty() ? "" : " DEFAULT " + value));
  }
}

void make_table(Sql& sql, const Table& table) {
  sql.run(create_sql(table));
  for (const Field& field : table.column_fields()) {
    if (!field.refers_to_own()) mark_column(sql, table.name, field);
  }
}

// Removes the current constraints of a field; apply_constraints() makes the declared ones.
std::string loosen(const std::string& field) {
  return "DROP CONSTRAINT IF EXISTS " + quoted(field) + ", DROP CONSTRAINT IF EXISTS " +
         quoted(reference_name(field));
}

void convert(Sql& sql, const std::string& table, const Field& old, const Field& now) {
  const std::string column = quoted(now.name);
  const std::string value = Catalog(sql).converted_sql(old, now, column);
  if (now.is_link()) {
    const auto link = quoted(schema::link_table(table, now.name));
    sql.run(postgresql::create_link_sql(table, now));
    sql.run("INSERT INTO " + link + " (\"record\", \"target\", \"position\") SELECT \"id\", " +
            column + ", 0 FROM " + quoted(table) + " WHERE " + column +
            " IS NOT NULL ORDER BY \"rowid\"");
    sql.run(alter(table) + "DROP COLUMN " + column);
    return;
  }
  sql.run(alter(table) + loosen(now.name) + ", ALTER COLUMN " + column + " DROP DEFAULT");
  sql.run(alter(table) + "ALTER COLUMN " + column + " TYPE " + type_sql(now.type) + " USING " +
          value);
  sql.run("COMMENT ON COLUMN " + quoted(table) + "." + column + " IS NULL");
}

void convert_fields(Sql& sql, const Table& stored, const Table& declared) {
  const auto actual = Catalog(sql).read_table(declared.name);
  if (!actual || !actual->has_our_shape) return;
  const auto old_fields = stored.all_fields();
  for (const Field& now : declared.all_fields()) {
    const Field* old = find(old_fields, now.name);
    const bool is_converted = old && old->has_column() && actual->find(now.name) &&
                              schema::conversion_of(*old, now) == Conversion::rebuild;
    if (!is_converted) continue;
    refuse_dependents(declared.name + "." + now.name, "its values cannot be converted",
                      [&] { convert(sql, declared.name, *old, now); });
  }
}

void apply_column_constraints(Sql& sql, const std::string& table, const Field& field) {
  const std::string column = quoted(field.name);
  const auto value = postgresql::default_sql(field);
  const auto check = postgresql::check_sql(field);
  const auto reference = reference_sql(field);
  std::string change = alter(table) + loosen(field.name);
  change += ", ALTER COLUMN " + column + (field.required ? " SET" : " DROP") + " NOT NULL";
  change += ", ALTER COLUMN " + column +
            (value.empty() ? std::string(" DROP DEFAULT") : " SET DEFAULT " + value);
  if (!check.empty()) change += ", ADD CONSTRAINT " + column + " CHECK (" + check + ") NOT VALID";
  if (!reference.empty()) {
    change += ", ADD CONSTRAINT " + quoted(reference_name(field.name)) + " FOREIGN KEY (" + column +
              ") " + reference + " NOT VALID";
  }
  sql.run(change);
  mark_column(sql, table, field);
}

void apply_table_constraints(Sql& sql, const Table& table) {
  std::vector<std::pair<std::string, std::string>> marks;
  {
    Rows row = sql.rows(
        "SELECT attname, coalesce(col_description(attrelid, attnum), '') FROM pg_attribute WHERE "
        "attrelid = to_regclass(?1) AND attnum > 0 AND NOT attisdropped",
        {quoted(table.name)});
    while (row.next())
      marks.emplace_back(row.text(0), row.text(1));
  }
  for (const Field& field : table.column_fields()) {
    const std::pair<std::string, std::string> wanted(field.name,
                                                     mark_of(postgresql::column_sql(field)));
    if (std::find(marks.begin(), marks.end(), wanted) == marks.end())
      apply_column_constraints(sql, table.name, field);
  }
}

void apply_link_constraints(Sql& sql, const Table& table, const Field& field) {
  const std::string link = schema::link_table(table.name, field.name);
  const std::string reference = link_reference_sql(field);
  const std::string mark = mark_of(postgresql::create_link_sql(table.name, field) + reference);
  const std::string found =
      sql.text("SELECT coalesce(obj_description(to_regclass(?1), 'pg_class'), '')", {quoted(link)});
  if (found == mark) return;
  const std::string name = quoted(reference_name("target"));
  sql.run(alter(link) + "DROP CONSTRAINT IF EXISTS " + name +
          (reference.empty() ? ""
                             : ", ADD CONSTRAINT " + name + " FOREIGN KEY (\"target\") " +
                                   reference + " NOT VALID"));
  sql.run("COMMENT ON TABLE " + quoted(link) + " IS " + schema::literal(mark));
}

}  // namespace

void apply_renames(Sql& sql, const schema::Renames& renames, const Tables& declared) {
  if (renames.list.empty()) return;
  for (const schema::Rename& rename : renames.list) {
    refuse_dependents(rename.table + (rename.field.empty() ? "" : "." + rename.field),
                      "it cannot be renamed from " + rename.from, [&] { apply_one(sql, rename); });
  }
  for (const Table& table : declared.tables) {
    rename_indexes(sql, table.name);
    for (const Field& field : links_of(table))
      rename_indexes(sql, schema::link_table(table.name, field.name));
  }
}

void add_tables_and_fields(Sql& sql, const Tables& stored, const Tables& declared) {
  Catalog catalog(sql);
  for (const Table& table : declared.tables) {
    if (const Table* old = stored.find(table.name)) convert_fields(sql, *old, table);
    const auto planned = planned_indexes(table);
    if (const auto actual = catalog.read_table(table.name)) {
      drop_undeclared_indexes(sql, table.name, planned);
      add_fields(sql, table, *actual);
    } else {
      make_table(sql, table);
      make_missing_indexes(sql, table.name, planned);
    }
    for (const Field& field : links_of(table)) {
      const auto link = schema::link_table(table.name, field.name);
      const auto indexes = schema::link_indexes(table.name, field.name);
      if (catalog.is_link_table(link)) {
        drop_undeclared_indexes(sql, link, indexes);
      } else {
        sql.run(postgresql::create_link_sql(table.name, field));
      }
      make_missing_indexes(sql, link, indexes);
    }
  }
}

void drop_orphaned_link_tables(Sql& sql, const Tables& stored, const Tables& declared) {
  Catalog catalog(sql);
  for (const Table& table : stored.tables) {
    if (declared.find(table.name) || catalog.read_table(table.name)) continue;
    for (const Field& field : links_of(table)) {
      const auto link = schema::link_table(table.name, field.name);
      if (catalog.is_link_table(link)) sql.run("DROP TABLE " + quoted(link));
    }
  }
}

void apply_constraints(Sql& sql, const Tables& declared) {
  for (const Table& table : declared.tables) {
    apply_table_constraints(sql, table);
    make_missing_indexes(sql, table.name, planned_indexes(table));
    for (const Field& field : links_of(table)) {
      apply_link_constraints(sql, table, field);
      make_missing_indexes(sql, schema::link_table(table.name, field.name),
                           schema::link_indexes(table.name, field.name));
    }
  }
}

void grant_rows(Sql& sql, const std::string& role) {
  std::vector<std::string> tables;
  {
    Rows row = sql.rows(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = "
        "quote_ident(current_schema())::regnamespace AND "
        "c.relkind IN ('r', 'v', 'm', 'p') AND NOT starts_with(c.relname, 'tenon_') AND NOT "
        "has_table_privilege(?1, c.oid, 'DELETE') ORDER BY 1",
        {role});
    while (row.next())
      tables.emplace_back(row.text(0));
  }
  for (const auto& table : tables) {
    sql.run("GRANT SELECT, INSERT, UPDATE, DELETE ON " + quoted(table) + " TO " + quoted(role));
  }
}

std::vector<std::pair<std::string, std::string>> unvalidated_constraints(Sql& sql) {
  std::vector<std::pair<std::string, std::string>> found;
  Rows row = sql.rows(
      "SELECT quote_ident(c.relname), quote_ident(k.conname) FROM pg_constraint k JOIN pg_class c "
      "ON c.oid = k.conrelid WHERE c.relnamespace = quote_ident(current_schema())::regnamespace "
      "AND NOT "
      "k.convalidated ORDER BY 1, 2");
  while (row.next())
    found.emplace_back(row.text(0), row.text(1));
  return found;
}

}  // namespace tenon::data::postgresql
