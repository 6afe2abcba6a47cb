#include <algorithm>
#include <optional>
#include <utility>

#include <sqlite3.h>

#include "base/error.hpp"
#include "data/copy/copy_source.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/read_only_uri.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/connection/statement_cache.hpp"
#include "sqlite/wal/checkpoint.hpp"
#include "sqlite/wal/wal_recovery.hpp"

namespace tenon::data::copying {

using schema::quoted;
using sqlite::Access;
using sqlite::AccessScope;
using sqlite::Connection;
using sqlite::Sql;

namespace {

// SQLite's own rules of affinity (datatype3.html, section 3.1); in a STRICT table they are exact.
Storage storage_of(std::string_view type, bool is_strict) {
  std::string upper;
  std::transform(type.begin(), type.end(), std::back_inserter(upper), [](unsigned char c) {
    return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  });
  const auto has = [&](const char* part) { return upper.find(part) != std::string::npos; };
  Storage storage = Storage::any;
  if (has("INT")) {
    storage = Storage::integer;
  } else if (has("CHAR") || has("CLOB") || has("TEXT")) {
    storage = Storage::text;
  } else if (has("BLOB")) {
    storage = Storage::blob;
  } else if (has("REAL") || has("FLOA") || has("DOUB")) {
    storage = Storage::number;
  }
  return is_strict ? storage : Storage::any;
}

// A statement that is bound and stepped many times.
class Statement {
 public:
  Statement(Connection& connection, const std::string& sql)
      : db_(connection.handle()), statement_(sqlite::prepare_one(db_, sql, false)) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void run(const std::vector<Cell>& cells) {
    sqlite::bind_cells(db_, statement_, cells, false);
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_DONE || code == SQLITE_ROW) {
      sqlite3_reset(statement_);
      return;
    }
    const SqlError error = sqlite::sqlite_error(db_, code);
    sqlite3_reset(statement_);
    throw SqlError(error);
  }
  bool next() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw sqlite::sqlite_error(db_, code);
    return code == SQLITE_ROW;
  }
  Cell cell(int column) const noexcept {
    const auto bytes = [&](const void* begin) {
      return std::string_view(static_cast<const char*>(begin),
                              static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    };
    switch (sqlite3_column_type(statement_, column)) {
      case SQLITE_INTEGER:
        return sqlite3_column_int64(statement_, column);
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement_, column);
      case SQLITE_TEXT:
        return bytes(sqlite3_column_text(statement_, column));
      case SQLITE_BLOB: {
        const void* begin = sqlite3_column_blob(statement_, column);
        return Cell::blob(begin ? bytes(begin) : std::string_view(""));
      }
      default:
        return {};
    }
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
};

class FileStream final : public RowStream {
 public:
  FileStream(Connection& connection, const Table& table, std::int64_t skip)
      : scope_(connection, Access::internal),
        statement_(connection, "SELECT " + column_list(table) + " FROM " + quoted(table.name) +
                                   (table.order.empty() ? "" : " ORDER BY " + table.order) +
                                   " LIMIT -1 OFFSET " + std::to_string(skip)),
        row_(table.columns.size()) {}

  const std::vector<Cell>* next() override {
    if (!statement_.next()) return nullptr;
    for (std::size_t i = 0; i < row_.size(); ++i)
      row_[i] = statement_.cell(static_cast<int>(i));
    return &row_;
  }

 private:
  AccessScope scope_;
  Statement statement_;
  std::vector<Cell> row_;
};

// A full-text table that has its texts itself: their rows are nowhere else.
void refuse_own_texts(Connection& connection) {
  Sql row(
      connection,
      "SELECT v.name FROM pragma_table_list v JOIN pragma_table_list t ON t.schema = 'main' AND "
      "t.name = v.name || '_content' AND t.type = 'shadow' WHERE v.schema = 'main' AND v.type = "
      "'virtual' ORDER BY 1");
  if (!row.next()) return;
  throw base::Error(
      422, "data.copy_refused",
      "The full-text table " + row.text(0) +
          " keeps texts of its own, which cannot be copied; one whose `content` names "
          "a table or a view can.");
}

std::vector<Table> read_tables(Connection& connection) {
  const AccessScope scope(connection, Access::internal);
  refuse_own_texts(connection);
  std::vector<Table> tables;
  Sql row(connection,
          "SELECT name, wr, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
          "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name COLLATE BINARY");
  while (row.next()) {
    Table table;
    table.name = row.text(0);
    if (is_recreated(table.name)) continue;
    const bool has_rowid = row.integer(1) == 0;
    std::string key;
    bool names_rowid = false;
    Sql column(connection,
               "SELECT name, type, pk FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY name "
               "COLLATE BINARY",
               {table.name});
    while (column.next()) {
      table.columns.push_back(
          {column.text(0), storage_of(column.text(1), row.integer(2) != 0), column.text(1)});
      names_rowid = names_rowid || column.text(0) == "rowid";
      if (column.integer(2) != 0)
        key.append(key.empty() ? "" : ", ").append(quoted(column.text(0)));
    }
    // A column with this name need not be the rowid.
    table.order = has_rowid && !names_rowid ? "rowid" : key;
    tables.push_back(std::move(table));
  }
  return tables;
}

bool has_table(Connection& connection, std::string_view name) {
  return Sql::number(connection,
                     "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                     {name}) != 0;
}

// A file; `Base` is CopySource or CopyTarget.
template <typename Base>
class File : public Base {
 public:
  explicit File(const Connection::Options& options) : connection_(options) {}

  std::vector<Table> tables() override { return read_tables(connection_); }

  std::int64_t count(const Table& table) override {
    const AccessScope scope(connection_, Access::internal);
    return Sql::number(connection_, "SELECT count(*) FROM " + quoted(table.name));
  }

  std::unique_ptr<RowStream> read(const Table& table, std::int64_t skip) override {
    return std::make_unique<FileStream>(connection_, table, skip);
  }

  LastNumbers last_numbers() override {
    const AccessScope scope(connection_, Access::internal);
    LastNumbers numbers;
    if (!has_table(connection_, "sqlite_sequence")) return numbers;
    Sql row(connection_, "SELECT name, seq FROM sqlite_sequence");
    while (row.next())
      numbers.emplace(row.text(0), row.integer(1));
    return numbers;
  }

  std::vector<std::string> migrations() override {
    const AccessScope scope(connection_, Access::internal);
    std::vector<std::string> all;
    if (!has_table(connection_, "tenon_migrations")) return all;
    Sql row(connection_,
            "SELECT owner || ' ' || number || ' ' || checksum FROM tenon_migrations ORDER BY "
            "owner, number");
    while (row.next())
      all.push_back(row.text(0));
    return all;
  }

  bool has_copy_state() override {
    const AccessScope scope(connection_, Access::internal);
    return has_table(connection_, copy_state_table);
  }

  std::string copy_state(std::string_view name) override {
    if (!has_copy_state()) return {};
    const AccessScope scope(connection_, Access::internal);
    Sql row(connection_, "SELECT value FROM tenon_copy WHERE name = ?1", {name});
    return row.next() ? row.text(0) : std::string();
  }

 protected:
  Connection connection_;
};

class ReadFile final : public File<CopySource> {
 public:
  using File::File;
};

class WrittenFile final : public File<CopyTarget> {
 public:
  explicit WrittenFile(const Connection::Options& options)
      : File(options), checkpointer_(options.path) {
    sqlite::recover_leftover_wal(connection_, options.path);
    sqlite3_db_config(connection_.handle(), SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
  }

  void create_copy_state() override {
    once([&] {
      run("CREATE TABLE IF NOT EXISTS tenon_copy (name TEXT PRIMARY KEY, value TEXT NOT NULL) "
          "STRICT, WITHOUT ROWID");
    });
  }

  void set_copy_state(std::string_view name, std::string_view value) override {
    once([&] { keep(name, value); });
  }

  void make(const std::vector<std::string>& statements) override {
    once([&] {
      for (const std::string& statement : statements)
        run(statement);
    });
  }

  void prepare(const std::vector<Table>& tables, std::string_view name) override {
    once([&] {
      std::vector<std::pair<std::string, std::string>> triggers;
      {
        Sql row(connection_, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
        while (row.next())
          triggers.emplace_back(row.text(0), row.text(1));
      }
      std::size_t number = 0;
      for (const auto& [trigger, sql] : triggers) {
        keep(std::string(later_prefix) + std::to_string(number++), sql);
        run("DROP TRIGGER " + quoted(trigger));
      }
      for (const Table& table : tables)
        run("DELETE FROM " + quoted(table.name));
      // Refuses what cannot be filled before anything is copied.
      fill_search_indexes();
      keep(name, "yes");
    });
  }

  void begin(const Table& table) override {
    undo();
    table_ = table;
    std::string values;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      values += i == 0 ? "?" : ", ?";
    control(Control::begin_write);
    const AccessScope scope(connection_, Access::internal);
    insert_.emplace(connection_, "INSERT INTO " + quoted(table.name) + " (" + column_list(table) +
                                     ") VALUES (" + values + ")");
  }

  void insert(const std::vector<Cell>& row) override {
    check_row(table_, row);
    try {
      insert_->run(row);
    } catch (const SqlError& error) {
      if (error.status() >= 500) throw;
      refuse_row(table_, row, "", error.detail());
    }
  }

  void commit(std::string_view name, std::string_view value) override {
    keep(name, value);
    insert_.reset();
    control(Control::commit);
    shorten_log();
  }

  void finish(const std::vector<Table>& tables, const LastNumbers& numbers,
              std::string_view name) override {
    once([&] {
      if (has_table(connection_, "sqlite_sequence")) restore_sequences(tables, numbers);
      std::vector<std::string> later;
      {
        Sql row(connection_,
                "SELECT value FROM tenon_copy WHERE substr(name, 1, length(?1)) = ?1 ORDER BY "
                "CAST(substr(name, length(?1) + 1) AS INTEGER)",
                {later_prefix});
        while (row.next())
          later.push_back(row.text(0));
      }
      for (const std::string& statement : later)
        run(statement);
      fill_search_indexes();
      check_references();
      run("DELETE FROM tenon_copy WHERE substr(name, 1, length(?1)) = ?1", {later_prefix});
      keep(name, "yes");
    });
    shorten_log();
  }

 private:
  void run(const std::string& sql, Cells cells = {}) {
    const AccessScope scope(connection_, Access::internal);
    Sql::run(connection_, sql, cells);
  }

  void control(Control what) {
    if (const int code = connection_.control(what); code != SQLITE_OK)
      throw sqlite::sqlite_error(connection_.handle(), code);
  }

  void undo() noexcept {
    insert_.reset();
    if (!connection_.is_autocommit()) connection_.control(Control::rollback);
  }

  template <typename Work>
  void once(Work&& work) {
    undo();
    control(Control::begin_write);
    try {
      const AccessScope scope(connection_, Access::internal);
      std::forward<Work>(work)();
      control(Control::commit);
    } catch (...) {
      undo();
      throw;
    }
  }

  void keep(std::string_view name, std::string_view value) {
    run("INSERT INTO tenon_copy (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET "
        "value = excluded.value",
        {name, value});
  }

  void shorten_log() {
    if (connection_.wal_pages() < checkpoint_pages) return;
    const sqlite::CheckpointResult result =
        checkpointer_.run(connection_, SQLITE_CHECKPOINT_TRUNCATE, connection_.busy_timeout());
    if (result.code != SQLITE_OK && (result.code & 0xff) != SQLITE_BUSY)
      throw sqlite::sqlite_error(result.db, result.code);
  }

  void restore_sequences(const std::vector<Table>& tables, const LastNumbers& numbers) {
    for (const Table& table : tables) {
      const auto found = numbers.find(table.name);
      if (found == numbers.end() ||
          Sql::number(connection_,
                      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND "
                      "upper(sql) LIKE '%AUTOINCREMENT%'",
                      {table.name}) == 0)
        continue;
      run("DELETE FROM sqlite_sequence WHERE name = ?1 AND seq < ?2", {table.name, found->second});
      run("INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM "
          "sqlite_sequence WHERE name = ?1)",
          {table.name, found->second});
    }
  }

  // Fills each index whose text is in a table or view from there. Tables of fts5vocab are virtual,
  // too, but store nothing.
  void fill_search_indexes() {
    std::vector<std::string> indexes;
    {
      Sql row(
          connection_,
          "SELECT v.name FROM pragma_table_list v JOIN pragma_table_list t ON t.schema = 'main' "
          "AND t.name = v.name || '_data' AND t.type = 'shadow' WHERE v.schema = 'main' AND "
          "v.type = 'virtual' ORDER BY 1");
      while (row.next())
        indexes.push_back(row.text(0));
    }
    for (const std::string& index : indexes) {
      try {
        run("INSERT INTO " + quoted(index) + " (" + quoted(index) + ") VALUES ('rebuild')");
      } catch (const SqlError& error) {
        if (error.status() >= 500 && error.code() != "data.sql") throw;
        throw base::Error(422, "data.copy_refused",
                          "The full-text table " + index + " cannot be filled (" + error.detail() +
                              "); one whose `content` names a table or a view can.");
      }
    }
  }

  void check_references() {
    Sql broken(connection_,
               "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check() GROUP BY 1, 2");
    if (!broken.next()) return;
    throw base::Error(409, "data.copy_refused",
                      broken.text(0) + ": " + std::to_string(broken.integer(2)) +
                          " rows refer to rows of " + broken.text(1) + " that are not there.");
  }

  Table table_;
  std::optional<Statement> insert_;
  sqlite::Checkpointer checkpointer_;
};

}  // namespace

std::unique_ptr<CopySource> read_file(const std::string& path) {
  Connection::Options options;
  options.path = sqlite::read_only_uri(path, false);
  options.is_uri = true;
  options.confinement = Confinement::plugin();
  return std::make_unique<ReadFile>(options);
}

std::unique_ptr<CopyTarget> write_file(const std::string& path) {
  constexpr int busy_timeout_milliseconds = 5000;
  Connection::Options options;
  options.path = path;
  options.role = sqlite::Role::writer;
  options.busy_milliseconds = busy_timeout_milliseconds;
  options.confinement = Confinement::plugin();
  return std::make_unique<WrittenFile>(options);
}

}  // namespace tenon::data::copying
