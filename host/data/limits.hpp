#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::data {

/// Limits of one statement or value: SQLite's own limits, set on every connection of a database.
struct StatementLimits {
  int value_bytes = 16 * 1024 * 1024;  ///< one text, blob or row
  int sql_bytes = 256 * 1024;          ///< one SQL text
  int columns = 256;                   ///< of a table, a result, an index
  int expression_depth = 100;          ///< nesting of an expression
  int compound_selects = 64;           ///< SELECT … UNION …
  int parameters = 8192;               ///< bound values
  int program_operations = 250'000;    ///< instructions that a statement compiles to
  int function_arguments = 100;
  int like_pattern_bytes = 200;  ///< a longer one takes more than 5 s on a value of 16 MiB
  int trigger_depth = 32;
  /// Size of the file in bytes without its WAL; beyond it 507 data.disk_full.
  std::int64_t file_bytes = std::int64_t{64} * 1024 * 1024 * 1024;
};

/// Limits of time, and of the number of waiting writers.
struct WaitLimits {
  std::chrono::milliseconds transaction{5'000};  ///< deadline of a transaction that names none
  std::chrono::milliseconds max_transaction{60'000};
  std::chrono::milliseconds queue{
      5'000};  ///< wait for the write lock or for a reader; then 503 data.busy
  std::chrono::milliseconds other_process{2'000};    ///< wait for a lock that another process holds
  std::chrono::milliseconds migration{15 * 60'000};  ///< deadline of a whole migration
  std::size_t waiting = 1024;  ///< writers in the queue; one more gets 503 data.busy at once
};

/// Bounds at which a group of write transactions is committed although others still wait.
struct GroupLimits {
  std::size_t members = 128;
  std::chrono::microseconds age{4'000};  ///< since the first member finished
};

/// One batch of a cursor: it ends at whichever bound is reached first, but holds at least one row.
struct BatchLimits {
  std::size_t rows = 1024;
  std::size_t bytes = 256 * 1024;  ///< of texts, blobs and cells
};

/// Reader connections opened at most; each holds a page cache of up to 2 MiB.
inline constexpr std::size_t default_readers = 8;
/// Bytes that PostgreSQL may send for one statement; beyond it the statement is cancelled and fails
/// with 413 data.too_large.
inline constexpr std::size_t max_result_bytes = std::size_t{64} * 1024 * 1024;

/// Largest file that is checked whenever the host opens it; some tenths of a second.
inline constexpr std::uint64_t checked_file_bytes = std::uint64_t{32} * 1024 * 1024;

/// Pages in the WAL after which the maintenance thread runs a checkpoint, and after which the
/// writer itself runs one, so that the WAL can restart under a load that never pauses.
inline constexpr int checkpoint_pages = 1000;
inline constexpr int overdue_pages = 4000;

/// Changed rows (those of triggers too) above which a member of a group updates the search indexes
/// itself, within its deadline. Below it the COMMIT of the group updates them.
inline constexpr std::int64_t max_changes_indexed_together = 1000;

/// Prepared statements cached by each connection; the least recently used one is removed first.
inline constexpr std::size_t cached_statements = 96;

}  // namespace tenon::data
