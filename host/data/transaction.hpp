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

/// The result of a statement.
struct ExecResult {
  std::int64_t changes =
      0;  ///< rows inserted, updated or deleted (triggers and cascades not counted)
  std::int64_t last_row_id =
      0;  ///< of the last insert into a table with a rowid, by this connection
};

/// A transaction as a scope: the destructor undoes uncommitted changes. Any thread may use it, one
/// at a time. At its deadline the host rolls it back, and later calls fail with 503
/// data.transaction_expired. A write transaction runs under its own savepoint in a group with
/// others. If SQLite had to undo the whole group because one member failed (disk full, a cancelled
/// write), the others fail with 503 data.group_rolled_back and may be tried again.
///
/// Errors of statements (base::Error): 409 data.unique, 409 data.reference, 422 data.required, 422
/// data.check, 422 data.type (fields named if the engine reports them), 409 data.refused (RAISE in
/// a trigger), 413 data.too_large, 503 data.timeout, 503 data.busy, 507 data.disk_full, 500
/// data.denied (the confinement), 500 data.read_only, 500 data.sql (see SqlError::detail), 503
/// data.io, 503 data.corrupt, 503 data.storage_failed. After a constraint error only
/// the statement is undone; the transaction continues.
class Transaction {
 public:
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&& other) noexcept;
  ~Transaction();

  /// Runs one statement and steps it to its end; rows that it returns are dropped.
  /// `sql` holds exactly one statement; `cells` as many values as it has parameters.
  ExecResult exec(std::string_view sql, Cells cells = {});

  /// Runs one statement of the host, which may make and write tables named tenon_… in the file of a
  /// plugin. Its text must not come from a plugin or a user. Prepared for each call.
  void exec_as_host(std::string_view sql, Cells cells = {});

  /// Runs one query; see Rows. Texts and blobs of `cells` are copied.
  Rows query(std::string_view sql, Cells cells = {});

  /// Runs one query in batches; see Cursor.
  Cursor open_cursor(std::string_view sql, Cells cells = {}, const BatchLimits& limits = {});

  /// Commits. Returns when the transaction is on disk; on an error nothing of it is kept. It has
  /// ended in either case.
  void commit();

  /// Commits without a wait for the disk if the transaction shares a group with others. `done` is
  /// called once, with nullptr or the error, by this thread or by the one that commits the group,
  /// with no lock of the room held. It must be quick and must not throw.
  void commit_async(std::function<void(std::exception_ptr)> done);

  /// Undoes and ends the transaction. Has no effect if it has ended already.
  void rollback() noexcept;

  /// Returns false once it is committed, rolled back, expired, or undone with its group.
  bool is_open() const noexcept;

  /// For this room only.
  explicit Transaction(std::shared_ptr<TransactionState> state) noexcept;

 private:
  std::shared_ptr<TransactionState> state_;
};

}  // namespace tenon::data
