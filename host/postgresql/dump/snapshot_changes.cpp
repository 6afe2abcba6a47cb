#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/engine/changed_tables.hpp"
#include "data/engine/engine_core.hpp"
#include "data/sql_error.hpp"
#include "postgresql/client/session.hpp"
#include "postgresql/client/sql.hpp"
#include "postgresql/dump/snapshot.hpp"
#include "postgresql/dump/snapshot_file.hpp"
#include "postgresql/dump/stored_rows.hpp"
#include "postgresql/engine/metadata_store.hpp"
#include "schema/ddl.hpp"
#include "schema/tables.hpp"

namespace tenon::data::postgresql {

namespace {

using Columns = std::vector<StoredColumn>;

// Records between two looks at the clock.
constexpr std::int64_t records_between_looks = 256;

constexpr std::size_t no_table = static_cast<std::size_t>(-1);

schema::Tables parsed(const std::string& declared) {
  return declared.empty() ? schema::Tables{} : schema::parse_tables(declared);
}

/// Thrown when the time limit is reached.
struct TimedOut {};

/// The rows of a table as a snapshot has them: records in the order of their numbers.
class RowsThen {
 public:
  RowsThen(SnapshotReader& reader, std::size_t number) : reader_(reader) {
    reader_.begin_rows(number);
    next();
  }

  bool is_at_end() const noexcept { return is_at_end_; }
  const StoredRow& row() const noexcept { return rows_.row(); }
  void next() {
    while (!rows_.next()) {
      const std::string_view piece = reader_.next();
      if (piece.empty()) {
        is_at_end_ = true;
        return;
      }
      rows_.add(piece);
    }
  }

 private:
  SnapshotReader& reader_;
  StoredRowParser rows_;
  bool is_at_end_ = false;
};

// A row of which some columns are taken, as one text.
std::string all_of(const StoredRow& row, const std::vector<std::size_t>& indexes) {
  std::string all;
  for (const std::size_t index : indexes) {
    const auto& value = row[index];
    all += value ? std::to_string(value->size()) + " " : "- ";
    if (value) all += *value;
  }
  return all;
}

// Indexes of the columns that are read of a current record.
enum Index : std::size_t { at_rowid, at_identity, at_name, at_filled, at_values };

class Comparison {
 public:
  // `reader`: null for a snapshot without tables.
  Comparison(Connection& connection, Sql& sql, SnapshotReader* reader, std::int64_t until)
      : connection_(connection), sql_(sql), reader_(reader), until_(until) {}

  std::vector<TableChanges> run() {
    const auto now = parsed(MetadataStore(sql_).get("tables"));
    const auto pairs =
        paired_tables(now, parsed(reader_ ? reader_->schema().declared : std::string()));
    for (const PairedTable& pair : pairs)
      compare(pair, &Comparison::compare_records);
    for (const PairedTable& pair : undeclared_tables(tables_now(), tables_then(), pairs))
      compare(pair, &Comparison::compare_rows);
    return std::move(changes_);
  }

 private:
  using Compare = void (Comparison::*)(const PairedTable&, TableChanges&);

  std::vector<std::string> tables_now() {
    std::vector<std::string> names;
    Rows row = sql_.rows(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = "
        "quote_ident(current_schema())::regnamespace",
        {});
    while (row.next())
      names.emplace_back(row.text(0));
    return names;
  }

  std::vector<std::string> tables_then() const {
    std::vector<std::string> names;
    if (!reader_) return names;
    for (const DumpedTable& table : reader_->schema().dump.tables)
      names.push_back(table.name);
    return names;
  }

  Columns columns_now(const std::string& table) {
    Columns columns;
    Rows row = sql_.rows(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE "
        "a.attrelid = to_regclass(?1) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = "
        "'' ORDER BY a.attnum",
        {schema::quoted(table)});
    while (row.next())
      columns.push_back({std::string(row.text(0)), std::string(row.text(1))});
    return columns;
  }

  // Returns the columns of a table that the host made.
  Columns columns_of_records(const std::string& table) {
    Columns columns = columns_now(table);
    const bool has_rowid = std::any_of(columns.begin(), columns.end(),
                                       [](const auto& column) { return column.name == "rowid"; });
    return has_rowid ? columns : Columns{};
  }

  static Columns columns_of(const DumpedTable& table) {
    Columns columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      columns.push_back({table.columns[i], table.types[i]});
    return columns;
  }

  // A condition that holds where one of the columns has another value than its default. A default
  // that takes the next number of a sequence cannot be asked for without taking it.
  std::string is_filled_sql(const std::string& table, const std::vector<std::string>& columns) {
    std::string condition;
    for (const std::string& column : columns) {
      Rows row = sql_.rows(
          "SELECT coalesce('(' || pg_get_expr(d.adbin, d.adrelid) || ')', 'NULL') FROM "
          "pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
          "AND pg_get_expr(d.adbin, d.adrelid) NOT LIKE '%nextval(%' "
          "WHERE a.attrelid = to_regclass(?1) AND a.attname = ?2",
          {schema::quoted(table), column});
      if (!row.next()) continue;
      condition += (condition.empty() ? "" : " OR ") + schema::quoted(column) +
                   "::text IS DISTINCT FROM " + std::string(row.text(0)) + "::text";
    }
    return condition.empty() ? "false" : condition;
  }

  std::size_t number_then(const std::string& table) const {
    if (!reader_ || table.empty()) return no_table;
    const auto& tables = reader_->schema().dump.tables;
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&](const DumpedTable& one) { return one.name == table; });
    return found == tables.end() ? no_table : static_cast<std::size_t>(found - tables.begin());
  }

  // Returns the number of a table that the host made; else no_table.
  std::size_t number_of_records(const std::string& table) const {
    const std::size_t number = number_then(table);
    const bool is_ours = number != no_table && reader_->schema().dump.tables[number].has_rowid;
    return is_ours ? number : no_table;
  }

  void compare(const PairedTable& pair, Compare work) {
    TableChanges found;
    found.table = pair.title;
    if (is_timed_out_ || base::monotonic_nanoseconds() > until_) {
      found.is_whole = false;
      changes_.push_back(std::move(found));
      return;
    }
    try {
      (this->*work)(pair, found);
    } catch (const TimedOut&) {
      is_timed_out_ = true;
    } catch (const SqlError& error) {
      if (error.code() != "data.timeout") throw;
      is_timed_out_ = true;
    }
    if (is_timed_out_) found.is_whole = false;
    if (has_changes(found)) changes_.push_back(std::move(found));
  }

  void look_at_clock() {
    if (++seen_ % records_between_looks == 0 && base::monotonic_nanoseconds() > until_)
      throw TimedOut();
  }

  void compare_records(const PairedTable& pair, TableChanges& found) {
    const Columns now = pair.now.empty() ? Columns{} : columns_of_records(pair.now);
    const std::size_t then = number_of_records(pair.then);
    if (!now.empty() && then != no_table) {
      walk(pair, now, then, found);
    } else if (!now.empty()) {
      found.added = sql_.number("SELECT count(*) FROM " + schema::quoted(pair.now));
      Rows row =
          sql_.rows("SELECT " + schema::quoted(pair.named) + " FROM " + schema::quoted(pair.now) +
                        " ORDER BY \"rowid\" LIMIT " + std::to_string(max_named_records),
                    {});
      while (row.next())
        name_record(found.added_ids, row.text(0));
    } else if (then != no_table) {
      found.removed = reader_->schema().rows[then].rows;
      const std::size_t name = index_of(reader_->schema().dump.tables[then], pair.named);
      RowsThen before(*reader_, then);
      for (std::size_t i = 0; i < max_named_records && !before.is_at_end(); ++i, before.next())
        name_record(found.removed_ids, before.row()[name].value_or(""));
    }
  }

  // `take` gets each row as it is read.
  void copy_now(const std::string& selected, const std::string& table, const std::string& order,
                const std::function<void(const StoredRow&)>& take) {
    StoredRowParser rows;
    connection_.copy_out("COPY (SELECT " + selected + " FROM ONLY " + schema::quoted(table) +
                             order + ") TO STDOUT (FORMAT binary)",
                         until_, [&](std::string_view bytes) {
                           rows.add(bytes);
                           while (rows.next())
                             take(rows.row());
                         });
  }

  void walk(const PairedTable& pair, const Columns& now, std::size_t number, TableChanges& found) {
    const DumpedTable& table = reader_->schema().dump.tables[number];
    const PairedColumns columns = paired_columns(pair, now, columns_of(table));
    found.not_compared = columns.not_compared;
    found.is_whole = columns.not_compared.empty();
    std::string sent = "\"rowid\", " + schema::quoted(pair.identity) + ", " +
                       schema::quoted(pair.named) + ", " + is_filled_sql(pair.now, columns.added);
    std::vector<std::size_t> cells;
    for (const PairedColumn& one : columns.compared) {
      sent.append(", ").append(schema::quoted(one.now));
      cells.push_back(index_of(table, one.then));
    }
    const std::size_t rowid_then = index_of(table, "rowid");
    const std::size_t identity_then = index_of(table, pair.identity);
    const std::size_t name_then = index_of(table, pair.named);

    RowsThen before(*reader_, number);
    const auto rowid_before = [&] { return number_in(*before.row()[rowid_then]); };
    const auto is_removed = [&] {
      ++found.removed;
      name_record(found.removed_ids, before.row()[name_then].value_or(""));
    };
    const auto take = [&](const StoredRow& row) {
      look_at_clock();
      const std::int64_t rowid = number_in(*row[at_rowid]);
      const std::string_view name = row[at_name].value_or("");
      for (; !before.is_at_end() && rowid_before() < rowid; before.next()) {
        look_at_clock();
        is_removed();
      }
      if (before.is_at_end() || rowid_before() > rowid) {
        ++found.added;
        name_record(found.added_ids, name);
        return;
      }
      if (row[at_identity] != before.row()[identity_then]) {
        ++found.added;
        name_record(found.added_ids, name);
        is_removed();
      } else {
        std::size_t i = 0;
        while (i < cells.size() && row[at_values + i] == before.row()[cells[i]])
          ++i;
        if (i < cells.size()) {
          ++found.changed;
          name_record(found.changed_ids, name);
        } else if (row[at_filled] != std::string_view("\0", 1)) {
          ++found.new_values;
        }
      }
      before.next();
    };
    copy_now(sent, pair.now, " ORDER BY \"rowid\"", take);
    for (; !before.is_at_end(); before.next()) {
      look_at_clock();
      is_removed();
    }
  }

  void compare_rows(const PairedTable& pair, TableChanges& found) {
    const std::size_t number = number_then(pair.then);
    if (number == no_table) {
      found.added = sql_.number("SELECT count(*) FROM ONLY " + schema::quoted(pair.now));
      return;
    }
    if (pair.now.empty()) {
      found.removed = reader_->schema().rows[number].rows;
      return;
    }
    const DumpedTable& table = reader_->schema().dump.tables[number];
    const PairedColumns columns = paired_columns(pair, columns_now(pair.now), columns_of(table));
    found.not_compared = columns.not_compared;
    if (columns.compared.empty()) {
      found.is_whole = columns.not_compared.empty();
      return;
    }
    std::string sent;
    std::vector<std::size_t> cells_now;
    std::vector<std::size_t> cells_then;
    for (const PairedColumn& one : columns.compared) {
      sent.append(sent.empty() ? "" : ", ").append(schema::quoted(one.now));
      cells_now.push_back(cells_now.size());
      cells_then.push_back(index_of(table, one.then));
    }
    RowDifference difference;
    for (RowsThen before(*reader_, number); !before.is_at_end(); before.next()) {
      look_at_clock();
      difference.add_then(all_of(before.row(), cells_then));
    }
    copy_now(sent, pair.now, "", [&](const StoredRow& row) {
      look_at_clock();
      difference.add_now(all_of(row, cells_now));
    });
    difference.write_to(found);
    found.is_whole = found.is_whole && columns.not_compared.empty();
    found.new_values = sql_.number("SELECT count(*) FROM ONLY " + schema::quoted(pair.now) +
                                   " WHERE " + is_filled_sql(pair.now, columns.added));
  }

  static std::size_t index_of(const DumpedTable& table, const std::string& column) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), column);
    if (found == table.columns.end())
      throw base::Error(409, "data.snapshot_refused", table.name + " has no " + column + ".");
    return static_cast<std::size_t>(found - table.columns.begin());
  }

  Connection& connection_;
  Sql& sql_;
  SnapshotReader* const reader_;
  const std::int64_t until_;
  bool is_timed_out_ = false;
  std::int64_t seen_ = 0;
  std::vector<TableChanges> changes_;
};

}  // namespace

SnapshotFacts snapshot_facts(const std::string& path) {
  const SnapshotReader reader(path);
  const StoredSchema& stored = reader.schema();
  SnapshotFacts facts;
  facts.plugin = stored.plugin;
  facts.version = stored.version;
  facts.migration = stored.migration;
  facts.bytes = reader.bytes();
  struct stat file {};
  if (::stat(path.c_str(), &file) == 0) facts.time = file.st_mtim.tv_sec;
  for (const auto& table : parsed(stored.declared).tables) {
    const auto& tables = stored.dump.tables;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].name == table.name) facts.tables.push_back({table.name, stored.rows[i].rows});
    }
  }
  return facts;
}

std::vector<TableChanges> diff_since(const PostgresqlSchema& location, const std::string& snapshot,
                                     std::chrono::milliseconds timeout) {
  std::optional<SnapshotReader> reader;
  if (!snapshot.empty()) reader.emplace(snapshot);
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(timeout);
  Connection connection(owner_options(location, true));
  Session session(connection, {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
  session.begin();
  constexpr std::int64_t asking = 10'000'000'000;
  Sql sql(session, std::max(until, base::monotonic_nanoseconds()) + asking);
  return Comparison(connection, sql, reader ? &*reader : nullptr, until).run();
}

}  // namespace tenon::data::postgresql
