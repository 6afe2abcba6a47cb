#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>

#include "data/cell.hpp"
#include "data/cursor.hpp"
#include "data/rows.hpp"

namespace tenon::data {

class TransactionState;

enum class Mode : std::uint8_t {
  read,  ///< one consistent snapshot of what was committed at its first query; any number at a time
  write,  ///< one at a time; reads its own writes
};

/// What a statement did.
struct ExecResult {
  std::int64_t changes =
      0;  ///< rows inserted, updated or deleted (triggers and cascades not counted)
  std::int64_t last_row_id =
      0;  ///< of the last insert into a table with a rowid, by this connection
};

/// A transaction as a scope: what is not committed when the object ends is undone.
/// Any thread may use it, one at a time; it belongs to no thread. At its deadline it is rolled back
/// by the host, and later calls fail with 503 data.transaction_expired. A write transaction runs
/// under its own savepoint in a group with its neighbours; where SQLite had to undo the whole group
/// for one member's sake (disk full, a cancelled write), the others fail with 503
/// data.group_rolled_back and may be tried again.
///
/// Errors of statements (base::Error): 409 data.unique, 409 data.reference, 422 data.required, 422
/// data.check, 422 data.type (fields named where the engine tells them), 409 data.refused (RAISE in
/// a trigger), 413 data.too_large, 503 data.timeout, 503 data.busy, 507 data.disk_full, 500
/// data.denied (the confinement), 500 data.read_only, 500 data.sql (see SqlError::detail), 503
/// data.io, 503 data.corrupt, 503 data.storage_failed. After a constraint error the transaction
/// goes on; the statement alone is undone.
class Transaction {
 public:
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&& other) noexcept;
  ~Transaction();

  /// Runs one statement and steps it to its end; rows that it returns are dropped.
  /// `sql` holds exactly one statement; `cells` as many values as it has parameters.
  ExecResult exec(std::string_view sql, Cells cells = {});

  /// Runs one statement of the host's own, which may make and write tables named tenon_… in the
  /// file of a plugin, and whose text comes from nobody else. Prepared for each call.
  void exec_as_host(std::string_view sql, Cells cells = {});

  /// Runs one query; see Rows. Texts and blobs of `cells` are copied.
  Rows query(std::string_view sql, Cells cells = {});

  /// Runs one query in batches; see Cursor.
  Cursor open_cursor(std::string_view sql, Cells cells = {}, const BatchLimits& limits = {});

  /// Returns when the transaction is on disk. On an error nothing of it is kept. Over either way.
  void commit();

  /// As commit(), but does not wait for the disk where the transaction shares a group with others:
  /// `done` is called once, with nullptr or the error, by this thread or by the one that commits
  /// the group, with no lock of the room held. It must be quick and must not throw.
  void commit_async(std::function<void(std::exception_ptr)> done);

  /// Undoes. Over. Without effect when it is over already.
  void rollback() noexcept;

  /// False once it is committed, rolled back, expired, or undone with its group.
  bool is_open() const noexcept;

  /// The room's own.
  explicit Transaction(std::shared_ptr<TransactionState> state) noexcept;

 private:
  std::shared_ptr<TransactionState> state_;
};

}  // namespace tenon::data
