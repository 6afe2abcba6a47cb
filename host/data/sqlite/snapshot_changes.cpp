#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "data/changed_tables.hpp"
#include "data/schema/ddl.hpp"
#include "data/schema/tables.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/ledger.hpp"
#include "data/sqlite/looking_uri.hpp"
#include "data/sqlite/snapshot.hpp"
#include "data/sqlite/sql.hpp"
#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

using Columns = std::vector<std::string>;

// Records between two looks at the clock.
constexpr std::int64_t records_between_looks = 256;

// What a file that is not there is taken for.
constexpr const char* nothing = "file::memory:";

std::unique_ptr<Connection> open_uri(const std::string& uri) {
  return std::make_unique<Connection>(Connection::Options{
      .path = uri, .confinement = Confinement::plugin(), .role = Role::reader, .is_uri = true});
}

std::unique_ptr<Connection> open_snapshot(const std::string& path) {
  try {
    return open_uri(looking_uri(path, false));
  } catch (const SqlError& error) {
    throw base::Error(409, "data.snapshot_refused",
                      path + " cannot be read as a database: " + error.detail() + ".");
  }
}

schema::Tables declared(Connection& connection) {
  const std::string text = Ledger(connection).get("tables");
  return text.empty() ? schema::Tables{} : schema::parse_tables(text);
}

// Empty where there is no such table, or it is not one that the host made.
Columns columns_of(Connection& connection, const std::string& table) {
  Columns columns;
  Sql row(connection, "SELECT name FROM pragma_table_info(?1) ORDER BY name", {table});
  while (row.next())
    columns.push_back(row.text(0));
  if (std::find(columns.begin(), columns.end(), "rowid") == columns.end()) columns.clear();
  return columns;
}

/// The records of one table in the order of their rowids.
class Records {
 public:
  Records(Connection& connection, const std::string& table, const std::string& identity,
          const Columns& columns)
      : db_(connection.handle()), columns_(static_cast<int>(columns.size())) {
    std::string sql = "SELECT rowid, " + schema::quoted(identity);
    for (const auto& column : columns)
      sql.append(", ").append(schema::quoted(column));
    sql.append(" FROM ").append(schema::quoted(table)).append(" ORDER BY rowid");
    const int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement_, nullptr);
    if (code != SQLITE_OK) throw sqlite_error(db_, code);
    next();
  }
  ~Records() { sqlite3_finalize(statement_); }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  bool is_over() const noexcept { return is_over_; }
  std::int64_t rowid() const noexcept { return sqlite3_column_int64(statement_, 0); }
  void next() {
    const int code = sqlite3_step(statement_);
    is_over_ = code == SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw sqlite_error(db_, code);
  }
  bool is_same_record(const Records& other) const noexcept { return is_same(other, 1); }
  bool is_unchanged(const Records& other) const noexcept {
    for (int i = 0; i < columns_; ++i) {
      if (!is_same(other, i + 2)) return false;
    }
    return true;
  }

 private:
  bool is_same(const Records& other, int column) const noexcept {
    const int type = sqlite3_column_type(statement_, column);
    if (type != sqlite3_column_type(other.statement_, column)) return false;
    if (type == SQLITE_INTEGER)
      return sqlite3_column_int64(statement_, column) ==
             sqlite3_column_int64(other.statement_, column);
    const auto bytes = [&](const Records& records) {
      const auto* begin = static_cast<const char*>(sqlite3_column_blob(records.statement_, column));
      const int size = sqlite3_column_bytes(records.statement_, column);
      return begin == nullptr ? std::string_view()
                              : std::string_view(begin, static_cast<std::size_t>(size));
    };
    if (type == SQLITE_FLOAT) {
      const double left = sqlite3_column_double(statement_, column);
      const double right = sqlite3_column_double(other.statement_, column);
      return !(left < right) && !(right < left);
    }
    return type == SQLITE_NULL || bytes(*this) == bytes(other);
  }

  sqlite3* const db_;
  const int columns_;
  sqlite3_stmt* statement_ = nullptr;
  bool is_over_ = false;
};

class Comparison {
 public:
  Comparison(Connection& now, Connection& then, std::int64_t until)
      : now_(now), then_(then), until_(until) {}

  std::vector<TableChanges> run() {
    for (const PairedTable& pair : paired_tables(declared(now_), declared(then_)))
      compare(pair);
    return std::move(changes_);
  }

 private:
  void compare(const PairedTable& pair) {
    TableChanges found;
    found.table = pair.title;
    const Columns now = pair.now.empty() ? Columns{} : columns_of(now_, pair.now);
    const Columns then = pair.then.empty() ? Columns{} : columns_of(then_, pair.then);
    if (base::monotonic_nanoseconds() > until_) {
      found.is_whole = false;
    } else if (!now.empty() && !then.empty()) {
      walk(pair, compared_columns(now, then), found);
    } else if (!now.empty()) {
      found.added = Sql::number(now_, "SELECT count(*) FROM " + schema::quoted(pair.now));
    } else if (!then.empty()) {
      found.removed = Sql::number(then_, "SELECT count(*) FROM " + schema::quoted(pair.then));
    }
    if (!found.is_whole || found.added + found.changed + found.removed != 0)
      changes_.push_back(std::move(found));
  }

  void walk(const PairedTable& pair, const Columns& columns, TableChanges& found) {
    Records now(now_, pair.now, pair.identity, columns);
    Records then(then_, pair.then, pair.identity, columns);
    for (std::int64_t seen = 1; !now.is_over() || !then.is_over(); ++seen) {
      if (seen % records_between_looks == 0 && base::monotonic_nanoseconds() > until_) {
        found.is_whole = false;
        return;
      }
      if (then.is_over() || (!now.is_over() && now.rowid() < then.rowid())) {
        ++found.added;
        now.next();
      } else if (now.is_over() || then.rowid() < now.rowid()) {
        ++found.removed;
        then.next();
      } else {
        if (!now.is_same_record(then)) {
          // SQLite gave the number of one that is gone to a new one.
          ++found.added;
          ++found.removed;
        } else if (!now.is_unchanged(then)) {
          ++found.changed;
        }
        now.next();
        then.next();
      }
    }
  }

  Connection& now_;
  Connection& then_;
  const std::int64_t until_;
  std::vector<TableChanges> changes_;
};

std::vector<TableChanges> compare(Connection& now, Connection& then, std::int64_t until) {
  const AccessScope now_scope(now, Access::internal);
  const AccessScope then_scope(then, Access::internal);
  if (const int code = now.control(Control::begin_read); code != SQLITE_OK)
    throw sqlite_error(now.handle(), code);
  return Comparison(now, then, until).run();
}

}  // namespace

SnapshotFacts snapshot_facts(const std::string& path) {
  const auto connection = open_snapshot(path);
  const AccessScope scope(*connection, Access::internal);
  const Ledger ledger(*connection);
  SnapshotFacts facts;
  facts.plugin = ledger.get("plugin");
  facts.version = ledger.get("version");
  for (const AppliedMigration& one : ledger.migrations(facts.plugin))
    facts.migration = std::max(facts.migration, one.number);
  struct stat file {};
  if (::stat(path.c_str(), &file) == 0) {
    facts.time = file.st_mtim.tv_sec;
    facts.bytes = static_cast<std::uint64_t>(file.st_size);
  }
  for (const auto& table : declared(*connection).tables) {
    facts.tables.push_back({table.name, Sql::number(*connection, "SELECT count(*) FROM " +
                                                                     schema::quoted(table.name))});
  }
  return facts;
}

std::vector<TableChanges> changes_since(Engine& engine, const std::string& snapshot,
                                        std::chrono::milliseconds longest) {
  const auto then = open_snapshot(snapshot);
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(longest);
  std::vector<TableChanges> changes;
  engine.read_aside([&](Connection& now) { changes = compare(now, *then, until); });
  return changes;
}

std::vector<TableChanges> file_changes_since(const std::string& path, bool is_live,
                                             const std::string& snapshot,
                                             std::chrono::milliseconds longest) {
  const auto then = snapshot.empty() ? open_uri(nothing) : open_snapshot(snapshot);
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(longest);
  const auto now = open_uri(std::filesystem::exists(path) ? looking_uri(path, is_live) : nothing);
  return compare(*now, *then, until);
}

}  // namespace tenon::data::sqlite
