// tables.json: what is taken reads back from its own JSON, and makes tables that SQLite takes and
// that their own defaults fit.

#include "schema/tables.hpp"

#include <algorithm>
#include <memory>

#include <sqlite3.h>

#include "base/error.hpp"
#include "property.hpp"
#include "schema/ddl.hpp"
#include "schema/field_text.hpp"

namespace {

using namespace tenon::data::schema;

class Memory {
 public:
  Memory() { TENON_HOLDS(sqlite3_open(":memory:", &database_) == SQLITE_OK); }
  ~Memory() { sqlite3_close(database_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
      std::fprintf(stderr, "%s\n%s\n", message, sql.c_str());
      TENON_HOLDS(message == nullptr);
    }
  }

 private:
  sqlite3* database_ = nullptr;
};

void check_limits(const Tables& tables) {
  TENON_HOLDS(tables.tables.size() <= max_tables);
  for (const Table& table : tables.tables) {
    TENON_HOLDS(!table.name.empty() && table.name.size() <= max_name_length);
    TENON_HOLDS(table.fields.size() <= max_fields && table.indexes.size() <= max_indexes);
    for (const Field& field : table.fields) {
      TENON_HOLDS(!field.name.empty() && field.name.size() <= max_name_length);
      TENON_HOLDS(field.name != "id" && field.name != "rowid");
      TENON_HOLDS(field.choices.size() <= max_choices);
      TENON_HOLDS(!field.refers_to_own() || tables.find(field.table) != nullptr);
      TENON_HOLDS(field.formerly.size() <= max_former_names);
      TENON_HOLDS(field.expression.size() <= max_expression_bytes);
      TENON_HOLDS(field.rules.read.size() <= max_expression_bytes);
      TENON_HOLDS(field.types.size() <= max_blob_types && field.max_bytes > 0);
      TENON_HOLDS(!(field.many && (field.unique || field.indexed)));
      for (const std::string& name : field.formerly)
        TENON_HOLDS(table.find(name) == nullptr);
      TENON_HOLDS(!describe(field).empty());
    }
    for (const Index& index : table.indexes)
      TENON_HOLDS(!index.fields.empty() && index.fields.size() <= max_index_fields);
  }
}

void check_sql(const Tables& tables) {
  Memory memory;
  for (const Table& table : tables.tables) {
    const std::vector<Field> fields = table.all_fields();
    memory.run(create_sql(table.name, fields));
    for (const PlannedIndex& index : planned_indexes(table))
      memory.run(index.sql);
    for (const Field& field : fields) {
      if (!field.is_link()) continue;
      memory.run(create_link_sql(table.name, field));
      for (const PlannedIndex& index : link_indexes(table.name, field.name))
        memory.run(index.sql);
    }
    const bool is_filled = std::all_of(
        table.fields.begin(), table.fields.end(),
        [](const Field& field) { return !field.required || field.default_value.index() != 0; });
    // The fields of the options are set by the host and have no default.
    if (is_filled && !table.timestamps && !table.authorship && !table.version) {
      memory.run("INSERT INTO " + quoted(table.name) +
                 " (\"id\") VALUES ('01234567-0123-0123-0123-0123456789ab')");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Tables tables;
  try {
    tables = parse_tables(tenon::fuzz::text_of(data, size));
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 422 && error.code() == "data.tables_invalid");
    TENON_HOLDS(error.message().starts_with("tables.json: "));
    return 0;
  }
  check_limits(tables);
  const std::string written = to_json(tables);
  try {
    const Tables again = parse_tables(written);
    TENON_HOLDS(again == tables && to_json(again) == written);
  } catch (const tenon::base::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), written.c_str());
    std::abort();
  }
  check_sql(tables);
  return 0;
}
