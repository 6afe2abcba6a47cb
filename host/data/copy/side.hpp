#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/cell.hpp"
#include "data/copy/table.hpp"
#include "data/database.hpp"

namespace tenon::data::copying {

/// The rows of a table, one after the other, never all in memory. Ends with its side.
class RowStream {
 public:
  RowStream() = default;
  virtual ~RowStream() = default;
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// The next row, borrowed until the next call; null behind the last one. Throws SqlError.
  virtual const std::vector<Cell>* next() = 0;
};

/// The highest number that a table has given to a row by itself.
using LastNumbers = std::map<std::string, std::int64_t>;

/// A database to be read: a file, or a schema. Nobody else writes it meanwhile. One thread; at most
/// one stream at a time. Everything throws SqlError.
class CopySource {
 public:
  CopySource() = default;
  virtual ~CopySource() = default;
  CopySource(const CopySource&) = delete;
  CopySource& operator=(const CopySource&) = delete;

  /// Tables that hold rows of their own, sorted by name; without those of is_recreated() and of
  /// full-text indexes.
  virtual std::vector<Table> tables() = 0;
  virtual std::int64_t count(const Table& table) = 0;
  /// The rows of one of tables(), without the first `skip`.
  virtual std::unique_ptr<RowStream> read(const Table& table, std::int64_t skip) = 0;
  virtual LastNumbers last_numbers() = 0;
  /// What has been migrated: "owner number checksum", sorted. The same on both engines for the
  /// rooms of the host.
  virtual std::vector<std::string> migrations() = 0;

  /// What copying keeps: empty where there is nothing, or no ledger.
  virtual std::string copy_state(std::string_view name) = 0;
  virtual bool has_copy_state() = 0;
};

/// The database that rows are copied into. Each function but the three of writing is one
/// transaction.
class CopyTarget : public CopySource {
 public:
  virtual void create_copy_state() = 0;
  virtual void set_copy_state(std::string_view name, std::string_view value) = 0;
  /// Runs statements of the host that make tables.
  virtual void make(const std::vector<std::string>& statements) = 0;
  /// Notes how to make them again, then takes triggers and references away, empties the tables,
  /// and notes `name`.
  virtual void prepare(const std::vector<Table>& tables, std::string_view name) = 0;

  /// Begins a batch of rows for a table; insert() them; commit() them with what is copy_state of them.
  /// What is not committed is undone by the next begin() or the end of this object. Throws 422
  /// data.copy_refused, which names table and row, for a row that this engine does not take.
  virtual void begin(const Table& table) = 0;
  virtual void insert(const std::vector<Cell>& row) = 0;
  virtual void commit(std::string_view name, std::string_view value) = 0;

  /// Makes what prepare() took away, goes on numbering behind `numbers`, fills full-text indexes,
  /// and notes `name`. Throws 409 data.copy_refused for references to rows that are not there.
  virtual void finish(const std::vector<Table>& tables, const LastNumbers& numbers,
                      std::string_view name) = 0;
};

/// A file of SQLite, which is not changed in any way.
std::unique_ptr<CopySource> read_file(const std::string& path);
/// A file that nobody else uses; made when missing.
std::unique_ptr<CopyTarget> write_file(const std::string& path);
/// A schema of PostgreSQL, read as its owner.
std::unique_ptr<CopySource> read_schema(const PostgresqlSchema& place);
/// The same as it is now, whatever others write or migrate meanwhile, for as long as the side is
/// there.
std::unique_ptr<CopySource> read_schema_snapshot(const PostgresqlSchema& place);
std::unique_ptr<CopyTarget> write_schema(const PostgresqlSchema& place);

/// Why a row is not taken: which one, by its "id", or by all of its short cells.
[[noreturn]] void refuse_row(const Table& table, std::span<const Cell> row,
                             const std::string& column, const std::string& reason);
/// Refuses a cell that is not of its column's kind, and what neither engine keeps: NaN.
void check_row(const Table& table, std::span<const Cell> row);

/// Names of what is kept.
inline constexpr std::string_view later_prefix = "later ";  ///< a statement of finish(), numbered

}  // namespace tenon::data::copying
