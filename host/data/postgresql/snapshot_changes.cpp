#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/changed_tables.hpp"
#include "data/engine_core.hpp"
#include "data/postgresql/ledger.hpp"
#include "data/postgresql/session.hpp"
#include "data/postgresql/snapshot.hpp"
#include "data/postgresql/snapshot_file.hpp"
#include "data/postgresql/sql.hpp"
#include "data/postgresql/stored_rows.hpp"
#include "data/schema/ddl.hpp"
#include "data/schema/tables.hpp"
#include "data/sql_error.hpp"

namespace tenon::data::postgresql {

namespace {

using Columns = std::vector<std::string>;

// Records between two looks at the clock.
constexpr std::int64_t records_between_looks = 256;

constexpr std::size_t no_table = static_cast<std::size_t>(-1);

schema::Tables parsed(const std::string& declared) {
  return declared.empty() ? schema::Tables{} : schema::parse_tables(declared);
}

/// The time is over.
struct Over {};

/// A table's columns by their names with their types, and at which place they are sent.
using Places = std::map<std::string, std::size_t>;

Columns names_of(const Places& places) {
  Columns names;
  for (const auto& [name, place] : places)
    names.push_back(name);
  return names;
}

/// The records of a table as a snapshot has them, in the order of their numbers.
class RecordsThen {
 public:
  RecordsThen(SnapshotReader& reader, std::size_t number, std::size_t rowid)
      : reader_(reader), rowid_(rowid) {
    reader_.begin_rows(number);
    next();
  }

  bool is_over() const noexcept { return is_over_; }
  std::int64_t rowid() const { return number_in(*rows_.row()[rowid_]); }
  const StoredRow& row() const noexcept { return rows_.row(); }
  void next() {
    while (!rows_.next()) {
      const std::string_view piece = reader_.next();
      if (piece.empty()) {
        is_over_ = true;
        return;
      }
      rows_.add(piece);
    }
  }

 private:
  SnapshotReader& reader_;
  const std::size_t rowid_;
  StoredRowParser rows_;
  bool is_over_ = false;
};

class Comparison {
 public:
  // `reader`: null for a snapshot without tables.
  Comparison(Connection& connection, Sql& sql, SnapshotReader* reader, std::int64_t until)
      : connection_(connection), sql_(sql), reader_(reader), until_(until) {}

  std::vector<TableChanges> run() {
    const auto now = parsed(Ledger(sql_).get("tables"));
    for (const PairedTable& pair :
         paired_tables(now, parsed(reader_ ? reader_->schema().declared : std::string())))
      compare(pair);
    return std::move(changes_);
  }

 private:
  Places places_now(const std::string& table) {
    Places places;
    bool has_rowid = false;
    Rows row = sql_.rows(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE "
        "a.attrelid = to_regclass(?1) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = "
        "'' ORDER BY a.attnum",
        {schema::quoted(table)});
    while (row.next()) {
      const std::string name(row.text(0));
      has_rowid = has_rowid || name == "rowid";
      const std::string key = name + " " + std::string(row.text(1));
      names_[key] = name;
      places.emplace(key, 0);
    }
    return has_rowid ? places : Places{};
  }

  // Of a table that the host made; else no_table.
  std::size_t number_then(const std::string& table) const {
    const auto& tables = reader_->schema().description.tables;
    const auto found = std::find_if(tables.begin(), tables.end(), [&](const DescribedTable& one) {
      return one.name == table && one.has_rowid;
    });
    return found == tables.end() ? no_table : static_cast<std::size_t>(found - tables.begin());
  }

  void compare(const PairedTable& pair) {
    TableChanges found;
    found.table = pair.title;
    if (is_over_ || base::monotonic_nanoseconds() > until_) {
      found.is_whole = false;
      changes_.push_back(std::move(found));
      return;
    }
    const Places now = pair.now.empty() ? Places{} : places_now(pair.now);
    const std::size_t then = pair.then.empty() ? no_table : number_then(pair.then);
    if (!now.empty() && then != no_table) {
      try {
        walk(pair, now, then, found);
      } catch (const Over&) {
        is_over_ = true;
      } catch (const SqlError& error) {
        if (error.code() != "data.timeout") throw;
        is_over_ = true;
      }
      found.is_whole = !is_over_;
    } else if (!now.empty()) {
      found.added = sql_.number("SELECT count(*) FROM " + schema::quoted(pair.now));
    } else if (then != no_table) {
      found.removed = reader_->schema().rows[then].rows;
    }
    if (!found.is_whole || found.added + found.changed + found.removed != 0)
      changes_.push_back(std::move(found));
  }

  void look_at_clock() {
    if (++seen_ % records_between_looks == 0 && base::monotonic_nanoseconds() > until_)
      throw Over();
  }

  void walk(const PairedTable& pair, const Places& now, std::size_t number, TableChanges& found) {
    const DescribedTable& table = reader_->schema().description.tables[number];
    Places then;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      then.emplace(table.columns[i] + " " + table.types[i], i);
    const Columns compared = compared_columns(names_of(now), names_of(then));
    // What is sent of now: the number, who it is, the columns that are compared.
    std::string sent = "\"rowid\", " + schema::quoted(pair.identity);
    std::vector<std::size_t> places = {place_of(table, pair.identity)};
    for (const std::string& one : compared) {
      sent.append(", ").append(schema::quoted(names_.at(one)));
      places.push_back(then.at(one));
    }

    RecordsThen before(*reader_, number, place_of(table, "rowid"));
    const auto take = [&](const StoredRow& row) {
      look_at_clock();
      const std::int64_t rowid = number_in(*row[0]);
      for (; !before.is_over() && before.rowid() < rowid; before.next()) {
        look_at_clock();
        ++found.removed;
      }
      if (before.is_over() || before.rowid() > rowid) {
        ++found.added;
        return;
      }
      const auto is_same = [&](std::size_t i) { return row[i + 1] == before.row()[places[i]]; };
      if (!is_same(0)) {
        ++found.added;
        ++found.removed;
      } else {
        bool is_unchanged = true;
        for (std::size_t i = 1; i < places.size() && is_unchanged; ++i)
          is_unchanged = is_same(i);
        if (!is_unchanged) ++found.changed;
      }
      before.next();
    };
    StoredRowParser rows;
    connection_.copy_out("COPY (SELECT " + sent + " FROM ONLY " + schema::quoted(pair.now) +
                             " ORDER BY \"rowid\") TO STDOUT (FORMAT binary)",
                         until_, [&](std::string_view bytes) {
                           rows.add(bytes);
                           while (rows.next())
                             take(rows.row());
                         });
    for (; !before.is_over(); before.next()) {
      look_at_clock();
      ++found.removed;
    }
  }

  static std::size_t place_of(const DescribedTable& table, const std::string& column) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), column);
    if (found == table.columns.end())
      throw base::Error(409, "data.snapshot_refused", table.name + " has no " + column + ".");
    return static_cast<std::size_t>(found - table.columns.begin());
  }

  Connection& connection_;
  Sql& sql_;
  SnapshotReader* const reader_;
  const std::int64_t until_;
  bool is_over_ = false;
  std::int64_t seen_ = 0;
  std::map<std::string, std::string> names_;  ///< of columns, by these with their types
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
    const auto& tables = stored.description.tables;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].name == table.name) facts.tables.push_back({table.name, stored.rows[i].rows});
    }
  }
  return facts;
}

std::vector<TableChanges> changes_since(const PostgresqlPlace& place, const std::string& snapshot,
                                        std::chrono::milliseconds longest) {
  std::optional<SnapshotReader> reader;
  if (!snapshot.empty()) reader.emplace(snapshot);
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(longest);
  Connection connection(owner_options(place, true));
  Session session(connection, {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
  session.begin();
  constexpr std::int64_t asking = 10'000'000'000;
  Sql sql(session, std::max(until, base::monotonic_nanoseconds()) + asking);
  return Comparison(connection, sql, reader ? &*reader : nullptr, until).run();
}

}  // namespace tenon::data::postgresql
