#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/inline_task.hpp"
#include "data/engine/control.hpp"
#include "data/engine/counters.hpp"
#include "data/engine/engine.hpp"
#include "data/engine/futex_event.hpp"
#include "data/engine/handle.hpp"
#include "data/limits.hpp"
#include "data/sql_error.hpp"

namespace tenon::observability {
struct Work;
}

namespace tenon::data {

class Transaction;

/// Signals to a waiting writer.
inline constexpr std::uint32_t lock_granted = 2;  ///< the writer has the write lock
inline constexpr std::uint32_t commit_completed =
    3;  ///< its transaction is on disk, or failed with `error`
inline constexpr std::uint32_t write_refused = 4;  ///< closed, or the storage failed

/// A member of a group: a write transaction that is finished and waits for the group's COMMIT.
struct PendingCommit {
  FutexEvent signal;
  std::exception_ptr error;
  /// If set, no thread waits for the signal: called once in its place with `owner`, which it
  /// deletes with the member.
  void (*on_complete)(void* owner) noexcept = nullptr;
  void* owner = nullptr;
};

/// A WriteCall with its deadline and its origin.
struct WriteJob {
  void (*work)(void* context, Transaction& transaction);
  void* context;
  std::int64_t deadline;
  const observability::Work* origin = nullptr;  ///< the work of the caller's thread
};

/// A request for the write lock. It is on the stack of the thread that waits, or on the heap for a
/// job that no thread waits for.
struct WriteRequest {
  WriteJob* job = nullptr;
  std::int64_t latest = 0;    ///< a job that no thread waits for does not begin after this; else 0
  bool is_exclusive = false;  ///< starts only after the open group is committed
  PendingCommit member;
  bool is_queued = false;
  WriteRequest* next = nullptr;
  WriteRequest* previous = nullptr;
};

/// The calls that a writer makes to its engine. Its caller holds the write lock.
class WriterBackend {
 public:
  WriterBackend() = default;
  virtual ~WriterBackend() = default;
  WriterBackend(const WriterBackend&) = delete;
  WriterBackend& operator=(const WriterBackend&) = delete;

  /// Runs the job as a member. Returns true if it waits in the group now. Returns false after an
  /// error, which Writer::complete_later() has.
  virtual bool run_job(WriteRequest& request) noexcept = 0;
  /// Runs a control statement on the writer's connection. Returns its error.
  virtual std::optional<SqlError> control(Control what) noexcept = 0;
  /// False once the engine has undone the whole transaction by itself.
  virtual bool is_transaction_open() const noexcept = 0;
  /// Runs the last work of a member. Returns its error, or the error that a COMMIT would have if
  /// the engine knows it.
  virtual std::optional<SqlError> finish_member() noexcept = 0;
  /// Returns the error that the members of a group get after their COMMIT failed with `error`.
  virtual std::exception_ptr member_error(const SqlError& error) noexcept = 0;
  /// Counts a failure.
  virtual void note(const SqlError& error) noexcept = 0;
  /// Notes that a COMMIT is on disk.
  virtual void note_written() noexcept = 0;
  /// Called after each COMMIT: counts the engine's own maintenance, reports whether it is due, and
  /// runs it.
  virtual void note_commit() noexcept {}
  virtual bool is_checkpoint_overdue() const noexcept { return false; }
  virtual void run_overdue_checkpoint() noexcept {}
};

/// Owns the write lock, the queue for it, and the group of finished members that one COMMIT makes
/// durable.
///
/// One thread, or one resting transaction, holds the write lock at a time. Functions and fields
/// marked "write lock" belong to the holder and need no mutex. release_write_lock() ends the hold.
/// While others wait, the group stays open and the next one writes under its own savepoint. The
/// last one, or the one that reaches a bound of the group, commits for all. No member is notified
/// of success before that COMMIT returned.
///
/// A holder of the write lock that leads a group runs the jobs that no thread waits for. Otherwise
/// the background writer thread runs them; it starts with the first such job. A job that finds the
/// write lock free is first offered to its own thread as an inline task, which then leads one
/// group.
class Writer {
 public:
  /// `allows_inline_leader`: a thread that takes inline tasks may lead a group.
  Writer(WriterBackend& engine, const WaitLimits& waits, const GroupLimits& groups,
         Counters& counters, bool allows_inline_leader);

  ~Writer();

  /// Waits for the write lock until `deadline`. Throws 503 data.busy, data.closed,
  /// data.storage_failed.
  void acquire(std::int64_t deadline, bool is_exclusive = false);
  /// Waits for the write lock even if the writer is closed.
  void acquire_last() noexcept;
  /// Runs a job under the write lock. Returns when it is on disk. Throws its error.
  void run(WriteJob& job);
  /// Queues a job that no thread waits for. `request.member.on_complete` is called once it is on
  /// disk or has failed, by the thread that noticed it, which may hold the write lock. Does not
  /// wait. Throws 503 data.busy, data.closed, data.storage_failed; the caller then keeps the
  /// request.
  void queue(WriteRequest& request);

  /// Write lock: sets the holder that `data.busy` names until the lock is released.
  void name_holder(const observability::Work* work);
  /// Refuses queued jobs whose time to begin has passed. `now`: monotonic nanoseconds. Returns how
  /// many still wait.
  std::size_t refuse_late(std::int64_t now) noexcept;

  /// Write lock: starts a member, as the first of a group or under a savepoint. If it throws, the
  /// caller still holds the lock.
  void open_member();
  /// Write lock: keeps the member's changes; `member` is completed with the group. Throws if they
  /// cannot be kept (a deferred reference is broken), and undoes them.
  void keep_member(PendingCommit* member);
  /// Counts a member with `on_complete`, before another thread may complete it.
  void note_unattended() noexcept { unattended_.fetch_add(1, std::memory_order_relaxed); }
  /// Write lock: undoes the member.
  void drop_member() noexcept;
  /// Write lock, after a statement failed: returns true if the engine undid the whole transaction.
  /// The finished members of the group then fail with 503 data.group_rolled_back.
  bool is_group_lost() noexcept;
  /// Write lock: completes the failed member after the lock is released.
  void complete_later(PendingCommit* member) { to_complete_.push_back(member); }

  /// Releases the write lock: passes it to the next writer, or commits the group. `own`: the
  /// caller's member in the open group, for which it will wait. The caller may then run the jobs of
  /// others in the meantime.
  void release_write_lock(const PendingCommit* own) noexcept;

  /// Refuses waiting and later requests. The holder of the write lock keeps it.
  void close() noexcept;
  /// Refuses waiting and later requests after the disk lost acknowledged data.
  void fail_storage() noexcept;
  /// Call it after close(), with the write lock. Ends the background writer thread and waits until
  /// all jobs that no thread waits for are completed.
  void finish() noexcept;
  bool has_failed() const noexcept { return has_failed_.load(std::memory_order_acquire); }

  std::size_t waiting() const;

  /// Queues a job of Database::queue(), for an engine. The job does not begin after `latest`.
  /// `entry` is released after done() was called. If this throws, the caller keeps `write`.
  void queue(std::unique_ptr<QueuedWrite>& write, std::int64_t deadline, std::int64_t latest,
             Handle::WriteGuard entry);

 private:
  /// The kind of thread that holds the write lock and releases it.
  enum class LockHolder : std::uint8_t {
    single,             ///< it ends at most its own member
    leader,             ///< it waits for the group anyway
    inline_task,        ///< it begins one group, and passes on the jobs after that group
    background_thread,  ///< it continues as long as there are jobs
  };

  class InlineLeader final : public base::InlineTask {
   public:
    explicit InlineLeader(Writer& writer) noexcept : writer_(writer) {}
    void run() noexcept override { writer_.release_as(LockHolder::inline_task); }
    void decline() noexcept override { writer_.background_signal_.set(lock_granted); }

   private:
    Writer& writer_;
  };

  std::uint32_t enter(WriteRequest& request, std::int64_t deadline);
  void push(WriteRequest& request) noexcept;
  void remove(WriteRequest& request) noexcept;
  void require_open() const;
  /// Requires the mutex. Returns the requests that no thread waits for, linked by `next`.
  WriteRequest* refuse_all() noexcept;
  void complete_refused(WriteRequest* requests, const std::exception_ptr& error) noexcept;
  base::Error make_busy_error() const;
  void commit_group(std::vector<PendingCommit*>& completed) noexcept;
  bool is_group_due() const noexcept;
  void release_as(LockHolder holder) noexcept;
  void notify_completed(PendingCommit& member) noexcept;
  void complete(std::vector<PendingCommit*>& members) noexcept;
  void write_for_others() noexcept;

  WriterBackend& engine_;
  const WaitLimits waits_;
  const GroupLimits groups_;
  Counters& counters_;
  const bool allows_inline_leader_;

  mutable std::mutex mutex_;
  bool is_lock_held_ = false;
  bool is_closed_ = false;
  std::string holder_;  ///< empty: the holder is not named
  std::int64_t held_since_ = 0;
  std::size_t size_ = 0;
  WriteRequest* head_ = nullptr;
  WriteRequest* tail_ = nullptr;
  std::atomic<bool> has_failed_{false};
  std::thread background_thread_;
  FutexEvent background_signal_;
  InlineLeader inline_task_{*this};
  std::atomic<std::size_t> unattended_{0};  ///< members with `on_complete` not called yet

  // Write lock.
  bool is_holder_named_ = false;
  bool is_group_open_ = false;
  bool has_member_ = false;
  bool has_savepoint_ = false;
  std::int64_t first_finished_ = 0;
  std::vector<PendingCommit*> finished_;
  std::vector<PendingCommit*> to_complete_;
};

}  // namespace tenon::data
