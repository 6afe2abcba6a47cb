#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/cell.hpp"
#include "data/database_options.hpp"
#include "data/dialect.hpp"
#include "data/engine/statistics.hpp"
#include "data/queued_write.hpp"
#include "data/rows.hpp"
#include "data/transaction.hpp"

namespace tenon::data {

class Engine;
class OpenEngine;

/// One file of SQLite (WAL, synchronous=FULL) or one schema of PostgreSQL, with one writer with
/// group commit, pooled readers and a confinement. Safe for any number of threads. Every SQL text
/// is one statement with bound cells; the host and the plugins use the same calls. A write that
/// returned is on disk.
///
/// A thread must not begin a write transaction while it holds one on the same database: it would
/// wait for itself until its deadline. Objects made here may outlive the database; they then fail
/// with 503 data.closed.
class Database {
 public:
  /// Opens or creates the file. First applies and syncs a WAL that an earlier process left. Throws
  /// 503 data.open, data.io, data.corrupt, 503 data.busy (another process), 507.
  explicit Database(DatabaseOptions options);
  /// Closes; see close().
  ~Database();

  /// Returns another handle to the same open file or schema, with the same confinement. Both share
  /// the write lock, the readers, the counters and the listeners of on_commit(). Each is closed
  /// separately, and the last one closes the file. `on_fault` gets later faults. Throws 503
  /// data.closed.
  std::shared_ptr<Database> share(Handle::OnFault on_fault = {});

  /// Pauses the writes that begin through this handle from now on: begin(write), write(), exec()
  /// and queue() wait as long as for the write lock (WaitLimits::queue, their deadline), then fail
  /// with 503 data.busy; at once if WaitLimits::waiting writes already wait. Does not pause reads,
  /// other handles and migrations. Returns true once no write of this handle runs, is in the queue,
  /// or has an open transaction. Returns false after `timeout`; then nothing is paused. Throws 503
  /// data.closed. Only one thread at a time may call this and the next two functions.
  bool pause_writes(std::chrono::milliseconds timeout);
  /// Resumes the waiting writes; queued ones first, in their order.
  void resume_writes();
  /// Refuses waiting and later writes with `error`, until resume_writes().
  void reject_writes(const base::Error& error);

  /// Replaces the fault listener of this handle. Once this returns, the former one does not run and
  /// will not run. Must not be called from within it.
  void set_on_fault(Handle::OnFault on_fault);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Opens a transaction. `timeout` is its deadline from now (zero: WaitLimits::transaction; at
  /// most max_transaction). A write waits for the write lock, first come first served: 503
  /// data.busy if too many wait or the wait is too long. Statements are cancelled at the deadline
  /// (503 data.timeout).
  Transaction begin(Mode mode, std::chrono::milliseconds timeout = {});

  /// Runs `work(Transaction&)` as one write transaction and returns its result once that is on
  /// disk. The cheapest way to write: the holder of the write lock also runs the work of waiting
  /// threads, in their order, so `work` may run on another thread while this one waits. `work` must
  /// only use the transaction (it must not commit), must not wait for anything else, and runs at
  /// most once. If it throws, the transaction is undone and this function throws the same
  /// exception.
  template <typename Work>
  auto write(Work&& work, std::chrono::milliseconds timeout = {}) {
    using Result = std::invoke_result_t<Work&, Transaction&>;
    static_assert(!std::is_same_v<Result, Rows> && !std::is_same_v<Result, Cursor>,
                  "rows end with their transaction");
    struct Nothing {};
    struct Call {
      std::remove_reference_t<Work>* work;
      std::optional<std::conditional_t<std::is_void_v<Result>, Nothing, Result>> result;
    } call{std::addressof(work), std::nullopt};
    run_write(
        [](void* context, Transaction& transaction) {
          auto& inner = *static_cast<Call*>(context);
          if constexpr (std::is_void_v<Result>) {
            (*inner.work)(transaction);
          } else {
            inner.result.emplace((*inner.work)(transaction));
          }
        },
        &call, timeout);
    if constexpr (!std::is_void_v<Result>) return std::move(*call.result);
  }

  /// Queues `write` as one write transaction and returns at once: no thread waits for the write
  /// lock or the disk. `write` is destroyed after its done(). Throws 503 data.busy, data.closed,
  /// data.storage_failed if it cannot be queued; done() is not called then.
  void queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout = {});

  /// Runs one statement as its own write transaction.
  ExecResult exec(std::string_view sql, Cells cells = {}, std::chrono::milliseconds timeout = {});

  /// Runs one query on the newest snapshot, which has all earlier commits. The quickest way to
  /// read. See Rows.
  Rows query(std::string_view sql, Cells cells = {}, std::chrono::milliseconds timeout = {});

  /// Runs one query as query() and appends its rows as JSON text, as Rows::append_json(), without a
  /// copy of the cells. Returns the number of rows.
  std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells = {},
                          std::chrono::milliseconds timeout = {});

  /// Runs one query on its own snapshot in batches. The snapshot ends with the cursor or at the
  /// deadline. See Cursor.
  Cursor open_cursor(std::string_view sql, Cells cells = {}, const BatchLimits& limits = {},
                     std::chrono::milliseconds timeout = {});

  /// Runs SQLite's quick_check, which reads the whole file. Returns up to `max_findings` findings;
  /// none if the file is sound.
  std::vector<std::string> quick_check(int max_findings = 20);

  /// Starts a check of a file that is not yet open, in the background, as CheckTime::while_serving.
  /// Does nothing for an open file, or one with more than DatabaseOptions::check_bytes.
  void begin_check();

  /// Returns the state of the file for the next DatabaseOptions::closed. Returns nothing if the
  /// file is open, was not closed cleanly, or has another schema than apply() left.
  std::optional<CleanClose> clean_close() const;

  Statistics statistics() const;
  FileFacts file_facts() const;
  const std::string& path() const noexcept;
  /// Returns the dialect of the SQL of this database, beyond the common subset.
  Dialect dialect() const noexcept;

  /// Undoes open transactions once no call uses them, commits finished ones, empties the WAL and
  /// closes the file. Waits for running calls, for rows of a write transaction, and for done() of
  /// every queued write. Later calls fail with 503 data.closed. While other handles are open, the
  /// file stays open; queued writes of this handle still run, and paused ones are refused.
  void close() noexcept;

  /// Makes the last close keep the WAL as it is, because the file will be replaced. If the file is
  /// opened nevertheless, the WAL is applied as usual.
  void leave_wal() noexcept;

  /// Sets the listener of commits for `owner`. It is called after each commit under the write lock:
  /// it must be quick, must not throw and must not use the database. Once this returns, the former
  /// listener of the same `owner` does not run and will not run. Empty: removes it.
  void on_commit(std::function<void()> notify, const void* owner = nullptr);

  /// For this room only: schema changes. Throws 503 data.closed.
  OpenEngine& engine();
  /// For this room only; see share().
  Database(std::shared_ptr<Engine> engine, std::shared_ptr<Handle> handle) noexcept;

 private:
  void run_write(void (*work)(void*, Transaction&), void* context,
                 std::chrono::milliseconds timeout);

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Handle> handle_;
};

}  // namespace tenon::data
