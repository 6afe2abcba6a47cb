#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/engine/changed_tables.hpp"
#include "schema/ddl.hpp"
#include "schema/tables.hpp"
#include "sqlite/connection/read_only_uri.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/engine/metadata_store.hpp"
#include "sqlite/snapshot/snapshot.hpp"

namespace tenon::data::sqlite {

namespace {

using Columns = std::vector<StoredColumn>;

// Records between two looks at the clock.
constexpr std::int64_t records_between_looks = 256;

// An empty database instead of a file that does not exist.
constexpr const char* no_file = "file::memory:";

std::unique_ptr<Connection> open_uri(const std::string& uri) {
  return std::make_unique<Connection>(Connection::Options{
      .path = uri, .confinement = Confinement::plugin(), .role = Role::reader, .is_uri = true});
}

std::unique_ptr<Connection> open_snapshot(const std::string& path) {
  try {
    return open_uri(read_only_uri(path, false));
  } catch (const SqlError& error) {
    throw base::Error(409, "data.snapshot_refused",
                      path + " cannot be read as a database: " + error.detail() + ".");
  }
}

schema::Tables declared(Connection& connection) {
  const std::string text = MetadataStore(connection).get("tables");
  return text.empty() ? schema::Tables{} : schema::parse_tables(text);
}

// Empty if there is no such table. The types of SQLite's columns do not restrict the values.
Columns columns_of(Connection& connection, const std::string& table) {
  Columns columns;
  Sql row(connection, "SELECT name FROM pragma_table_info(?1)", {table});
  while (row.next())
    columns.push_back({row.text(0), ""});
  return columns;
}

// Returns the columns of a table that the host made; empty for others.
Columns columns_of_records(Connection& connection, const std::string& table) {
  Columns columns = columns_of(connection, table);
  const bool has_rowid = std::any_of(columns.begin(), columns.end(),
                                     [](const auto& column) { return column.name == "rowid"; });
  return has_rowid ? columns : Columns{};
}

// A condition that holds where one of the columns has another value than its default.
std::string is_filled_sql(Connection& connection, const std::string& table,
                          const std::vector<std::string>& columns) {
  std::string condition;
  for (const std::string& column : columns) {
    Sql row(connection,
            "SELECT coalesce('(' || dflt_value || ')', 'NULL') FROM pragma_table_info(?1) WHERE "
            "name = ?2",
            {table, column});
    if (!row.next()) continue;
    condition +=
        (condition.empty() ? "" : " OR ") + schema::quoted(column) + " IS NOT " + row.text(0);
  }
  return condition.empty() ? "0" : condition;
}

std::vector<std::string> tables_of(Connection& connection) {
  std::vector<std::string> names;
  Sql row(connection,
          "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name "
          "NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  while (row.next())
    names.push_back(row.text(0));
  return names;
}

std::string_view bytes_of(sqlite3_stmt* statement, int column) {
  const auto* begin = static_cast<const char*>(sqlite3_column_blob(statement, column));
  const int size = sqlite3_column_bytes(statement, column);
  return begin == nullptr ? std::string_view()
                          : std::string_view(begin, static_cast<std::size_t>(size));
}

/// The rows of one table, one after the other.
class RowReader {
 public:
  RowReader(Connection& connection, const std::string& selected, const std::string& table,
            const char* order)
      : db_(connection.handle()) {
    const std::string sql = "SELECT " + selected + " FROM " + schema::quoted(table) + order;
    const int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement_, nullptr);
    if (code != SQLITE_OK) throw sqlite_error(db_, code);
    next();
  }
  ~RowReader() { sqlite3_finalize(statement_); }
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  bool is_at_end() const noexcept { return is_at_end_; }
  void next() {
    const int code = sqlite3_step(statement_);
    is_at_end_ = code == SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw sqlite_error(db_, code);
  }
  std::int64_t integer(int column) const noexcept {
    return sqlite3_column_int64(statement_, column);
  }
  std::string_view text(int column) const noexcept { return bytes_of(statement_, column); }
  bool is_same(const RowReader& other, int column) const noexcept {
    const int type = sqlite3_column_type(statement_, column);
    if (type != sqlite3_column_type(other.statement_, column)) return false;
    if (type == SQLITE_INTEGER) return integer(column) == other.integer(column);
    if (type == SQLITE_FLOAT) {
      const double left = sqlite3_column_double(statement_, column);
      const double right = sqlite3_column_double(other.statement_, column);
      return !(left < right) && !(right < left);
    }
    return type == SQLITE_NULL || text(column) == other.text(column);
  }
  // All of the row as one text.
  std::string all() const {
    std::string all;
    for (int i = 0; i < sqlite3_column_count(statement_); ++i) {
      const int type = sqlite3_column_type(statement_, i);
      std::string value(bytes_of(statement_, i));
      if (type == SQLITE_FLOAT) {
        const double number = sqlite3_column_double(statement_, i);
        value.assign(reinterpret_cast<const char*>(&number), sizeof number);
      }
      all += std::to_string(type) + " " + std::to_string(value.size()) + " " + value;
    }
    return all;
  }

 private:
  sqlite3* const db_;
  sqlite3_stmt* statement_ = nullptr;
  bool is_at_end_ = false;
};

// Indexes of the columns that are read of a record.
enum Index : int { at_rowid, at_identity, at_name, at_filled, at_values };

class Comparison {
 public:
  Comparison(Connection& now, Connection& then, std::int64_t until)
      : now_(now), then_(then), until_(until) {}

  std::vector<TableChanges> run() {
    const auto pairs = paired_tables(declared(now_), declared(then_));
    for (const PairedTable& pair : pairs)
      compare(pair, &Comparison::compare_records);
    for (const PairedTable& pair : undeclared_tables(tables_of(now_), tables_of(then_), pairs))
      compare(pair, &Comparison::compare_rows);
    return std::move(changes_);
  }

 private:
  using Compare = void (Comparison::*)(const PairedTable&, TableChanges&);

  void compare(const PairedTable& pair, Compare work) {
    TableChanges found;
    found.table = pair.title;
    if (is_time_over())
      found.is_whole = false;
    else
      (this->*work)(pair, found);
    if (has_changes(found)) changes_.push_back(std::move(found));
  }

  bool is_time_over() const { return base::monotonic_nanoseconds() > until_; }

  void compare_records(const PairedTable& pair, TableChanges& found) {
    const Columns now = pair.now.empty() ? Columns{} : columns_of_records(now_, pair.now);
    const Columns then = pair.then.empty() ? Columns{} : columns_of_records(then_, pair.then);
    if (!now.empty() && !then.empty()) {
      walk(pair, paired_columns(pair, now, then), found);
    } else if (!now.empty()) {
      found.added = count(now_, pair.now, pair.named, found.added_ids);
    } else if (!then.empty()) {
      found.removed = count(then_, pair.then, pair.named, found.removed_ids);
    }
  }

  static std::int64_t count(Connection& connection, const std::string& table,
                            const std::string& named, std::vector<std::string>& names) {
    const std::string first = " ORDER BY rowid LIMIT " + std::to_string(max_named_records);
    for (RowReader rows(connection, schema::quoted(named), table, first.c_str()); !rows.is_at_end();
         rows.next())
      name_record(names, rows.text(0));
    return Sql::number(connection, "SELECT count(*) FROM " + schema::quoted(table));
  }

  void walk(const PairedTable& pair, const PairedColumns& columns, TableChanges& found) {
    const std::string who =
        "rowid, " + schema::quoted(pair.identity) + ", " + schema::quoted(pair.named) + ", ";
    std::string of_now = who + is_filled_sql(now_, pair.now, columns.added);
    std::string of_then = who + "0";
    for (const auto& column : columns.compared) {
      of_now += ", " + schema::quoted(column.now);
      of_then += ", " + schema::quoted(column.then);
    }
    found.not_compared = columns.not_compared;
    found.is_whole = columns.not_compared.empty();
    const int end = at_values + static_cast<int>(columns.compared.size());
    RowReader now(now_, of_now, pair.now, " ORDER BY rowid");
    RowReader then(then_, of_then, pair.then, " ORDER BY rowid");
    const auto is_added = [&] {
      ++found.added;
      name_record(found.added_ids, now.text(at_name));
    };
    const auto is_removed = [&] {
      ++found.removed;
      name_record(found.removed_ids, then.text(at_name));
    };
    for (std::int64_t seen = 1; !now.is_at_end() || !then.is_at_end(); ++seen) {
      if (seen % records_between_looks == 0 && is_time_over()) {
        found.is_whole = false;
        return;
      }
      if (then.is_at_end() ||
          (!now.is_at_end() && now.integer(at_rowid) < then.integer(at_rowid))) {
        is_added();
        now.next();
      } else if (now.is_at_end() || then.integer(at_rowid) < now.integer(at_rowid)) {
        is_removed();
        then.next();
      } else {
        if (!now.is_same(then, at_identity)) {
          // SQLite gave the number of one that is gone to a new one.
          is_added();
          is_removed();
        } else {
          int index = at_values;
          while (index < end && now.is_same(then, index))
            ++index;
          if (index < end) {
            ++found.changed;
            name_record(found.changed_ids, now.text(at_name));
          } else if (now.integer(at_filled) != 0) {
            ++found.new_values;
          }
        }
        now.next();
        then.next();
      }
    }
  }

  void compare_rows(const PairedTable& pair, TableChanges& found) {
    if (pair.now.empty() || pair.then.empty()) {
      const bool is_new = pair.then.empty();
      (is_new ? found.added : found.removed) =
          Sql::number(is_new ? now_ : then_, "SELECT count(*) FROM " + schema::quoted(pair.title));
      return;
    }
    const PairedColumns columns =
        paired_columns(pair, columns_of(now_, pair.now), columns_of(then_, pair.then));
    if (columns.compared.empty()) return;
    std::string selected;
    for (const auto& column : columns.compared)
      selected += (selected.empty() ? "" : ", ") + schema::quoted(column.now);
    RowDifference difference;
    const auto read = [&](Connection& connection, void (RowDifference::*add)(std::string_view)) {
      std::int64_t seen = 0;
      for (RowReader rows(connection, selected, pair.title, ""); !rows.is_at_end(); rows.next()) {
        if (++seen % records_between_looks == 0 && is_time_over()) return false;
        (difference.*add)(rows.all());
        if (!difference.is_known()) return false;
      }
      return true;
    };
    found.is_whole = read(then_, &RowDifference::add_then) && read(now_, &RowDifference::add_now);
    if (found.is_whole) difference.write_to(found);
    found.new_values =
        Sql::number(now_, "SELECT count(*) FROM " + schema::quoted(pair.now) + " WHERE " +
                              is_filled_sql(now_, pair.now, columns.added));
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
  const MetadataStore metadata(*connection);
  SnapshotFacts facts;
  facts.plugin = metadata.get("plugin");
  facts.version = metadata.get("version");
  for (const AppliedMigration& one : metadata.migrations(facts.plugin))
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

std::vector<TableChanges> diff_since(Engine& engine, const std::string& snapshot,
                                     std::chrono::milliseconds timeout) {
  const auto then = open_snapshot(snapshot);
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(timeout);
  std::vector<TableChanges> changes;
  engine.with_read_connection([&](Connection& now) { changes = compare(now, *then, until); });
  return changes;
}

std::vector<TableChanges> diff_file_since(const std::string& path, bool has_writer,
                                          const std::string& snapshot,
                                          std::chrono::milliseconds timeout) {
  const auto then = snapshot.empty() ? open_uri(no_file) : open_snapshot(snapshot);
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(timeout);
  const auto now =
      open_uri(std::filesystem::exists(path) ? read_only_uri(path, has_writer) : no_file);
  return compare(*now, *then, until);
}

}  // namespace tenon::data::sqlite
