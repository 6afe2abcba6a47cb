// Pairs of tables.json: planning an upgrade from one to the other never fails; what is accepted
// gives exactly the declared tables and keeps the records.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include <sqlite3.h>
#include <unistd.h>

#include "base/error.hpp"
#include "property.hpp"
#include "schema/ddl.hpp"
#include "schema/diff.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/schema/apply.hpp"
#include "sqlite/schema/catalog.hpp"
#include "sqlite/schema/renames.hpp"

namespace {

using namespace tenon::data;
using namespace tenon::data::schema;
using namespace tenon::data::sqlite;

// The input as a row of small choices; zeros after its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t below(std::size_t bound) { return at_ < size_ ? data_[at_++] % bound : 0; }
  bool one_in(std::size_t n) { return below(n) == 1; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

std::string numbered(const char* name, std::size_t number) {
  return name + std::to_string(number);
}

Field make_field(Choices& choices, const std::string& name, const Tables& tables) {
  Field field;
  field.name = name;
  field.type = static_cast<FieldType>(choices.below(12));
  const bool is_choice = field.type == FieldType::choice;
  if (is_choice || field.type == FieldType::reference || field.type == FieldType::user ||
      field.type == FieldType::blob)
    field.many = choices.one_in(2);
  if (is_choice) {
    for (std::size_t i = 0; i <= choices.below(3); ++i)
      field.choices.push_back(numbered("c", i));
  }
  if (field.type == FieldType::reference) {
    const std::size_t target = choices.below(4);
    field.table = target == 3             ? "core:groups"
                  : tables.tables.empty() ? "core:users"
                                          : tables.tables[target % tables.tables.size()].name;
    if (field.many && field.refers_to_own()) field.on_delete = OnDelete::clear;
  }
  if (field.type == FieldType::computed) {
    field.expression = "1";
    field.read_only = true;
    return field;
  }
  const bool has_key =
      !field.many && field.type != FieldType::json && field.type != FieldType::blob;
  if (has_key) {
    field.unique = choices.one_in(5);
    field.indexed = choices.one_in(4);
  }
  field.required = choices.one_in(4) && field.on_delete != OnDelete::clear;
  if (field.type == FieldType::integer) {
    if (choices.one_in(3)) field.min = static_cast<std::int64_t>(choices.below(3));
    if (choices.one_in(3)) field.default_value = std::int64_t{7};
  }
  if (field.type == FieldType::text && choices.one_in(3)) field.max = std::int64_t{4};
  return field;
}

Tables make_tables(Choices& choices) {
  Tables tables;
  const std::size_t count = 1 + choices.below(3);
  for (std::size_t t = 0; t < count; ++t) {
    tables.tables.emplace_back();
    tables.tables.back().name = numbered("t", t);
  }
  for (Table& table : tables.tables) {
    table.timestamps = choices.one_in(6);
    table.version = choices.one_in(6);
    const std::size_t fields = choices.below(5);
    for (std::size_t f = 0; f < fields; ++f)
      table.fields.push_back(make_field(choices, numbered("f", f), tables));
  }
  return tables;
}

void rename_table(Tables& tables, Table& table) {
  const std::string old = table.name;
  table.formerly = {old};
  table.name = "r" + old;
  for (Table& other : tables.tables) {
    for (Field& field : other.fields) {
      if (field.table == old) field.table = table.name;
    }
  }
}

void drop_field(Table& table, std::size_t at) {
  table.fields.erase(table.fields.begin() + static_cast<std::ptrdiff_t>(at));
}

Tables changed(Choices& choices, Tables tables) {
  for (std::size_t t = 0; t < tables.tables.size(); ++t) {
    if (choices.one_in(3)) rename_table(tables, tables.tables[t]);
    Table& table = tables.tables[t];
    table.timestamps = table.timestamps || choices.one_in(6);
    for (std::size_t f = 0; f < table.fields.size(); ++f) {
      Field& field = table.fields[f];
      switch (choices.below(8)) {
        case 1:
          if (field.type == FieldType::computed) break;
          field.formerly = {field.name};
          field.name = "r" + field.name;
          break;
        case 2: {
          field = make_field(choices, field.name, tables);
          break;
        }
        case 3:
          field.required = field.type != FieldType::computed && !field.required &&
                           field.on_delete != OnDelete::clear;
          break;
        case 4:
          if (field.type == FieldType::choice || field.type == FieldType::user ||
              field.type == FieldType::blob)
            field.many = true;
          if (field.many) field.unique = field.indexed = false;
          break;
        case 5:
          if (field.type == FieldType::text) field.max = std::int64_t{2};
          field.description = "changed";
          break;
        case 6:
          drop_field(table, f--);
          break;
        default:
          break;
      }
    }
    if (choices.one_in(3)) table.fields.push_back(make_field(choices, "added", tables));
  }
  if (choices.one_in(4)) {
    tables.tables.emplace_back();
    tables.tables.back().name = "new";
  }
  return tables;
}

// One connection to a file of its own; every input is a transaction that is undone.
class Subject {
 public:
  Subject()
      : path_((std::filesystem::temp_directory_path() /
               ("tenon-fuzz-" + std::to_string(::getpid()) + ".db"))
                  .string()) {
    Connection::Options options;
    options.path = path_;
    options.role = Role::writer;
    options.confinement = Confinement::plugin();
    connection_ = std::make_unique<Connection>(options);
    sqlite3_db_config(connection_->handle(), SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
  }
  ~Subject() {
    connection_.reset();
    std::filesystem::remove(path_);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  Connection& connection() { return *connection_; }

 private:
  const std::string path_;
  std::unique_ptr<Connection> connection_;
};

std::string id_of(std::size_t number) {
  return "00000000-0000-7000-8000-00000000000" + std::to_string(number);
}

std::string value_sql(Choices& choices, const Field& field) {
  if (choices.one_in(4)) return "NULL";
  switch (field.type) {
    case FieldType::integer:
      return choices.one_in(3) ? "9007199254740993" : std::to_string(choices.below(9));
    case FieldType::number:
      return "0.1";
    case FieldType::boolean:
      return std::to_string(choices.below(2));
    case FieldType::date:
      return "'2026-11-20'";
    case FieldType::datetime:
      return "'2026-11-20T08:15:30.000Z'";
    case FieldType::json:
      return "'[]'";
    case FieldType::choice:
      return field.many ? (choices.one_in(2) ? "'[\"c0\"]'" : "'[]'") : "'c0'";
    case FieldType::blob:
      return field.many ? "'[{}]'" : "'{}'";
    case FieldType::reference:
      return field.refers_to_own() ? "NULL" : "'x'";
    default:
      return choices.one_in(2) ? "'text'" : "'x'";
  }
}

// Records that the tables take; those that they refuse are left out.
void fill(Connection& connection, Choices& choices, const Tables& tables) {
  for (const Table& table : tables.tables) {
    const std::size_t rows = choices.below(4);
    for (std::size_t row = 0; row < rows; ++row) {
      std::string columns = "\"id\"";
      std::string values = literal(id_of(row));
      for (const Field& field : table.fields) {
        if (!field.has_column()) continue;
        columns += ", " + tenon::data::schema::quoted(field.name);
        values += ", " + value_sql(choices, field);
      }
      try {
        Sql::run(connection, "INSERT INTO " + tenon::data::schema::quoted(table.name) + " (" +
                                 columns + ") VALUES (" + values + ")");
      } catch (const tenon::base::Error& error) {
        TENON_HOLDS(error.code() == "data.required" || error.code() == "data.check" ||
                    error.code() == "data.unique");
        continue;
      }
      for (const Field& field : table.fields) {
        if (!field.is_link() || field.refers_to_own() || choices.one_in(2)) continue;
        Sql::run(connection,
                 "INSERT INTO " + tenon::data::schema::quoted(link_table(table.name, field.name)) +
                     " (record, target, position) VALUES (" + literal(id_of(row)) + ", 'x', 0)");
      }
    }
  }
}

std::int64_t rows_of(Connection& connection, std::string_view table) {
  return Sql::number(connection, "SELECT count(*) FROM " + tenon::data::schema::quoted(table));
}

void check_indexes(Connection& connection, std::string_view table,
                   const std::vector<PlannedIndex>& planned) {
  auto names = read_planned_indexes(connection, table);
  TENON_HOLDS(names.size() == planned.size());
  for (const auto& index : planned)
    TENON_HOLDS(std::find(names.begin(), names.end(), index.name) != names.end());
}

void check_tables(Connection& connection, const Tables& declared) {
  std::size_t expected = 0;
  for (const Table& table : declared.tables) {
    const auto actual = read_table(connection, table.name);
    TENON_HOLDS(actual && actual->has_our_shape);
    std::vector<Field> fields;
    for (const auto& column : actual->columns) {
      for (const Field& field : table.column_fields()) {
        if (field.name == column.name) fields.push_back(field);
      }
    }
    TENON_HOLDS(fields.size() == table.column_fields().size());
    TENON_HOLDS(fields.size() + 2 == actual->columns.size());
    TENON_HOLDS(actual->sql == create_sql(table.name, fields));
    check_indexes(connection, table.name, planned_indexes(table));
    ++expected;
    for (const Field& field : table.fields) {
      if (!field.is_link()) continue;
      const auto link = link_table(table.name, field.name);
      const auto made = read_table(connection, link);
      TENON_HOLDS(made && made->sql == create_link_sql(table.name, field));
      check_indexes(connection, link, link_indexes(table.name, field.name));
      ++expected;
    }
  }
  TENON_HOLDS(Sql::number(connection, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'") ==
              static_cast<std::int64_t>(expected));
  TENON_HOLDS(Sql::number(connection, "SELECT count(*) FROM pragma_foreign_key_check()") == 0);
  // Every CHECK of every row.
  TENON_HOLDS(Sql::number(connection,
                          "SELECT count(*) FROM pragma_integrity_check() WHERE integrity_check <> "
                          "'ok'") == 0);
  Plan again;
  tenon::data::schema::SqliteCatalog catalog(connection);
  add_differences(catalog, declared, declared, {}, Moment::planning, again);
  TENON_HOLDS(again.steps.empty() && again.refusals.empty());
}

void upgrade(Connection& connection, Choices& choices, const Tables& old, const Tables& now) {
  add_tables_and_fields(connection, {}, old);
  apply_constraints(connection, old);
  fill(connection, choices, old);
  check_tables(connection, old);
  Plan plan;
  tenon::data::schema::SqliteCatalog catalog(connection);
  const Renames renames = find_renames(catalog, now, plan.refusals);
  const Tables stored = renamed(old, renames);
  add_differences(catalog, stored, now, renames, Moment::planning, plan);
  TENON_HOLDS(!plan.to_text().empty());
  if (plan.is_refused()) return;
  std::vector<std::int64_t> rows;
  for (const Table& table : stored.tables)
    rows.push_back(rows_of(connection, renames.table_in_file(table.name)));
  apply_renames(connection, renames);
  add_tables_and_fields(connection, stored, now);
  Plan rest;
  add_differences(catalog, stored, now, {}, Moment::after_migrations, rest);
  for (const Refusal& refusal : rest.refusals)
    std::fprintf(stderr, "%s.%s: %s\n", refusal.table.c_str(), refusal.field.c_str(),
                 refusal.reason.c_str());
  TENON_HOLDS(rest.refusals.empty());
  apply_constraints(connection, now);
  check_tables(connection, now);
  for (std::size_t t = 0; t < stored.tables.size(); ++t)
    TENON_HOLDS(rows_of(connection, stored.tables[t].name) == rows[t]);
}

bool is_taken(const Tables& tables) {
  try {
    return parse_tables(to_json(tables)) == tables;
  } catch (const tenon::base::Error&) {
    return false;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Subject subject;
  Choices choices(data, size);
  const Tables old = make_tables(choices);
  const Tables now = changed(choices, old);
  if (!is_taken(old) || !is_taken(now)) return 0;
  Connection& connection = subject.connection();
  const AccessScope scope(connection, Access::internal);
  TENON_HOLDS(connection.control(Control::begin_write) == SQLITE_OK);
  try {
    upgrade(connection, choices, old, now);
  } catch (const tenon::base::Error& error) {
    std::fprintf(stderr, "%s\n%s\n%s\n", error.what(), to_json(old).c_str(), to_json(now).c_str());
    std::abort();
  }
  TENON_HOLDS(connection.control(Control::rollback) == SQLITE_OK);
  return 0;
}
