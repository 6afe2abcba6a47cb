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
#include "data/database_options.hpp"

namespace tenon::data::copying {

/// The rows of a table, one after the other, never all in memory. Ends with its source.
class RowStream {
 public:
  RowStream() = default;
  virtual ~RowStream() = default;
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// The next row, borrowed until the next call; null after the last one. Throws SqlError.
  virtual const std::vector<Cell>* next() = 0;
};

/// The highest number that a table has given to a row by itself.
using LastNumbers = std::map<std::string, std::int64_t>;

/// A database to be read: a file, or a schema. No other process writes it meanwhile. One thread; at
/// most one stream at a time. Every function throws SqlError.
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
  /// Returns the applied migrations: "owner number checksum", sorted. Equal on both engines for the
  /// rooms of the host.
  virtual std::vector<std::string> migrations() = 0;

  /// Returns a value of the copy state; empty if there is none, or no table of them.
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
  /// Stores how to recreate triggers and references, removes them, empties the tables, and stores
  /// `name`, all in the copy state.
  virtual void prepare(const std::vector<Table>& tables, std::string_view name) = 0;

  /// Begins a batch of rows for a table; insert() them; commit() them with their copy state.
  /// The next begin() or the end of this object rolls back uncommitted rows. Throws 422
  /// data.copy_refused, which names table and row, for a row that this engine does not take.
  virtual void begin(const Table& table) = 0;
  virtual void insert(const std::vector<Cell>& row) = 0;
  virtual void commit(std::string_view name, std::string_view value) = 0;

  /// Recreates what prepare() removed, continues numbering after `numbers`, fills full-text
  /// indexes, and stores `name`. Throws 409 data.copy_refused for references to rows that are not
  /// there.
  virtual void finish(const std::vector<Table>& tables, const LastNumbers& numbers,
                      std::string_view name) = 0;
};

/// Reads a file of SQLite, without changing it.
std::unique_ptr<CopySource> read_file(const std::string& path);
/// Writes a file that no other process uses; made when missing.
std::unique_ptr<CopyTarget> write_file(const std::string& path);
/// Reads a schema of PostgreSQL as its owner.
std::unique_ptr<CopySource> read_schema(const PostgresqlSchema& location);
/// Reads a snapshot of a schema, taken by this call. Others may write or migrate the schema while
/// the source lives.
std::unique_ptr<CopySource> read_schema_snapshot(const PostgresqlSchema& location);
std::unique_ptr<CopyTarget> write_schema(const PostgresqlSchema& location);

/// Refuses a row: names it by its "id", or by all of its short cells.
[[noreturn]] void refuse_row(const Table& table, std::span<const Cell> row,
                             const std::string& column, const std::string& reason);
/// Refuses a cell that is not of its column's kind, and what neither engine keeps: NaN.
void check_row(const Table& table, std::span<const Cell> row);

/// Names in the copy state.
inline constexpr std::string_view later_prefix = "later ";  ///< a statement of finish(), numbered

}  // namespace tenon::data::copying
