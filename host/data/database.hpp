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
#include "data/dialect.hpp"
#include "data/engine/confinement.hpp"
#include "data/engine/handle.hpp"
#include "data/engine/statistics.hpp"
#include "data/files/clean_close.hpp"
#include "data/limits.hpp"
#include "data/rows.hpp"
#include "data/transaction.hpp"

namespace tenon::data {

class Engine;
class OpenEngine;
class SpaceReserve;

/// What whoever runs the database is told of its storage. Reads go on under all but `corrupt`.
enum class Fault : std::uint8_t {
  sync_failed,  ///< the disk did not confirm a write: what was acknowledged before is safe, nothing
                ///< after may be believed. All later writes fail with 503 data.storage_failed until
                ///< the file is opened anew
  corrupt,      ///< the file does not read as a database: this one is to be taken out of service
  disk_full,    ///< there is no room; writes are tried on, and fail with 507 data.disk_full
  io_failed,    ///< a read or write failed; each is tried on, and fails with 503 data.io
  healed,       ///< after disk_full or io_failed: a write is on disk again
};

/// Code of the error that a fault answers with ("data.disk_full"); empty for healed.
std::string_view code_of(Fault fault) noexcept;

/// When a file of up to `check_bytes` is checked, indexes too.
enum class CheckTime : std::uint8_t {
  before_opening,  ///< opening fails with 503 data.corrupt
  while_serving,  ///< in the background, where the last process closed the file in order: damage is
                  ///< told as Fault::corrupt, and a change of its schema waits for the end. Else
                  ///< before opening
};

/// Where a database is on PostgreSQL: one schema, seen by one role.
struct PostgresqlSchema {
  std::string url;       ///< libpq's: postgresql://…
  std::string user;      ///< empty: the URL's
  std::string password;  ///< empty: the URL's
  std::string schema;    ///< there already
  /// Who owns what is in the schema: makes its tables and runs the plugin's migrations. Empty: the
  /// user above.
  std::string owner;
  std::string owner_password;
  std::size_t result_bytes = max_result_bytes;
};

struct DatabaseOptions {
  std::string path;  ///< file of SQLite; made when missing, its folder must exist
  std::optional<PostgresqlSchema> postgresql;  ///< in place of a file
  Confinement confinement;                     ///< trusted for the host's own database
  std::size_t readers = default_readers;
  WaitLimits waits;
  GroupLimits groups;
  std::uint64_t check_bytes = 0;  ///< 0: never checked
  CheckTime check_time = CheckTime::before_opening;
  std::shared_ptr<SpaceReserve> reserve = nullptr;  ///< of the file's disk; null: none
  /// Of a file of SQLite that is as it was closed: it is opened by the first call that needs it,
  /// and what opening fails with is thrown there.
  std::optional<CleanClose> closed = std::nullopt;
  /// Called by a thread of the room, with no lock held; must not use or close the database, nor
  /// wait for anybody who does. sync_failed and corrupt are told once; disk_full, io_failed and
  /// healed when what was told last is no longer so. Of this handle, see Database::sibling().
  Handle::OnFault on_fault;
};

/// A write transaction that nobody waits for; see Database::queue().
class QueuedWrite {
 public:
  virtual ~QueuedWrite() = default;
  /// As the work of Database::write(): any thread of the host that has the turn to write; at most
  /// once.
  virtual void work(Transaction& transaction) = 0;
  /// Called once, after work() where that ran: nullptr when it is on disk, else what it failed
  /// with. Any thread, which may hold the turn to write: must be quick and must not wait for the
  /// database.
  virtual void done(std::exception_ptr error) noexcept = 0;
};

/// One SQLite file: WAL, synchronous=FULL, one writer with group commit, pooled readers, and the
/// walls of its confinement. Safe for any number of threads. Every SQL text is one statement with
/// bound cells; the host and the plugins use the same calls. A write that returned is on disk.
///
/// A thread that holds a write transaction and begins another on the same database waits for itself
/// until its deadline. Objects made here may outlive the database; they fail with 503 data.closed
/// then.
class Database {
 public:
  /// Opens or makes the file. A log that an earlier process left is brought into the file and on
  /// disk before. Throws 503 data.open, data.io, data.corrupt, 503 data.busy (another process),
  /// 507.
  explicit Database(DatabaseOptions options);
  /// Closes; see close().
  ~Database();

  /// Another handle to the same open file or schema, with the same walls: both share the turn to
  /// write, the readers, the counters and what on_commit() set. Each is closed by itself, and the
  /// last one closes the file. `on_fault` is told of faults that come from now on. Throws 503
  /// data.closed.
  std::shared_ptr<Database> share(Handle::OnFault on_fault = {});

  /// Holds the writes that begin through this handle from now on: begin(write), write(),
  /// exec() and queue() wait, as long as they would wait for their turn (WaitLimits::queue, their
  /// deadline), and then fail with 503 data.busy, at once when WaitLimits::waiting wait already.
  /// Reads, siblings and migrations are not held. Returns true once no write of this handle is
  /// under way: running, in the queue, or a transaction that is open. After `timeout` false, and
  /// then nothing is held. Throws 503 data.closed. One thread at a time calls this and the next
  /// two.
  bool pause_writes(std::chrono::milliseconds timeout);
  /// Lets those that wait go on, what was queued in its order and first.
  void resume_writes();
  /// Refuses those that wait and those to come with `error`, until resume_writes().
  void reject_writes(const base::Error& error);

  /// Who is told of faults in place of whom this handle was opened with. Once this returns, the
  /// former is not running and will not run. Not from within it.
  void set_on_fault(Handle::OnFault on_fault);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Opens a transaction; `timeout` is its deadline from now (zero: WaitLimits::transaction; cut to
  /// max_transaction). A write waits for its turn, first come first served: 503 data.busy when
  /// too many wait or the wait is too long. Statements are cancelled at the deadline (503
  /// data.timeout).
  Transaction begin(Mode mode, std::chrono::milliseconds timeout = {});

  /// Runs `work(Transaction&)` as one write transaction and returns what it returns, once that is
  /// on disk. The cheapest way to write: while others wait, whoever has the turn runs their work
  /// too, in their order, so `work` may run on another thread while this one waits. It must only
  /// use the transaction (it must not commit), must not wait for anything else, and runs at most
  /// once. What it throws undoes it and is thrown here.
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

  /// Runs `write` as one write transaction as write() does, but returns at once: nobody's thread
  /// waits for the turn or the disk. Destroyed after its done(). Throws what it cannot be queued
  /// with (503 data.busy, data.closed, data.storage_failed); done() is not called then.
  void queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout = {});

  /// One statement as a write transaction of its own.
  ExecResult exec(std::string_view sql, Cells cells = {}, std::chrono::milliseconds timeout = {});

  /// One query on the newest snapshot, which has whatever was committed before, by whomever; the
  /// quickest way to read. See Rows.
  Rows query(std::string_view sql, Cells cells = {}, std::chrono::milliseconds timeout = {});

  /// Appends the rows of such a query as JSON text; how many there were. As Rows::append_json(),
  /// without a copy of the cells.
  std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells = {},
                          std::chrono::milliseconds timeout = {});

  /// One query on its own snapshot in batches; the snapshot ends with the cursor or the deadline.
  /// See Cursor.
  Cursor open_cursor(std::string_view sql, Cells cells = {}, const BatchLimits& limits = {},
                     std::chrono::milliseconds timeout = {});

  /// SQLite's quick_check: empty when sound, else up to `most` findings. Reads the whole file.
  std::vector<std::string> quick_check(int most = 20);

  /// Has a file of up to DatabaseOptions::check_bytes that is still to be opened looked through in
  /// the background, as CheckTime::while_serving does it. Nothing for others.
  void begin_check();

  /// What is to be known of the file by the next who opens it. Nothing where it is open, was not
  /// closed in order, or has another schema than apply() left.
  std::optional<CleanClose> clean_close() const;

  Statistics statistics() const;
  FileFacts file_facts() const;
  const std::string& path() const noexcept;
  /// What the SQL given to this database is written in, beyond what all engines share.
  Dialect dialect() const noexcept;

  /// Undoes what is open once it is not in a call, commits what is finished, empties the log and
  /// closes the file. Later calls fail with 503 data.closed. Waits for calls that run, for rows
  /// of a write transaction, and until every queued write is told. While siblings are open, the
  /// file stays so, and writes of this handle that are in the queue are still done; what is held
  /// is refused.
  void close() noexcept;

  /// The file is to be replaced: the last handle that closes leaves its log as it is, which whoever
  /// opens it all the same brings into it.
  void leave_wal() noexcept;

  /// `tell` is called after each commit, in the turn to write: it must be quick, must not throw and
  /// must not use the database. Once this returns, what was set before by the same `whose` is not
  /// running and will not run. Empty: nobody is told.
  void on_commit(std::function<void()> tell, const void* whose = nullptr);

  /// The room's own: schema changes. Throws 503 data.closed.
  OpenEngine& engine();
  /// The room's own; see sibling().
  Database(std::shared_ptr<Engine> engine, std::shared_ptr<Handle> handle) noexcept;

 private:
  void run_write(void (*work)(void*, Transaction&), void* context,
                 std::chrono::milliseconds timeout);

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Handle> handle_;
};

}  // namespace tenon::data
