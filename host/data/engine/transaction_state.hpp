#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "data/engine/handle.hpp"
#include "data/transaction.hpp"

namespace tenon::data {

class EngineCore;
class SqlError;
struct PendingCommit;

enum class TransactionKind : std::uint8_t {
  single,  ///< SQLite's: one cursor of a reader, without BEGIN
  read,
  write,
  job,  ///< a write that its caller runs and ends
};

/// Implements a Transaction for an engine. Calls without a comment are those of Transaction. A
/// mutex serializes the calls. The maintenance thread may end it at its deadline, but not during a
/// call.
class TransactionState : public std::enable_shared_from_this<TransactionState> {
 public:
  TransactionState(std::shared_ptr<EngineCore> engine, TransactionKind kind, std::int64_t deadline);
  virtual ~TransactionState();
  TransactionState(const TransactionState&) = delete;
  TransactionState& operator=(const TransactionState&) = delete;

  virtual ExecResult exec(std::string_view sql, Cells cells) = 0;
  virtual void exec_as_host(std::string_view sql, Cells cells) = 0;
  virtual Rows query(std::string_view sql, Cells cells) = 0;
  virtual Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) = 0;
  void commit();
  void commit_async(std::function<void(std::exception_ptr)> done);
  virtual void rollback() noexcept = 0;
  bool is_open() const noexcept;

  /// Write lock: continues in the writer's transaction, whose member was opened.
  virtual void start_writing() noexcept = 0;
  /// Write lock: ends a job: keeps it as `member`, or undoes it. Returns its error.
  std::exception_ptr finish_job(PendingCommit* member, std::exception_ptr error) noexcept;

  /// Ends it if its deadline passed and no call runs.
  void expire_if_due(std::int64_t now) noexcept;
  /// Ends it because the database closes; waits for a call that runs.
  void close() noexcept;

  std::int64_t deadline() const noexcept { return deadline_; }

  // Links of the engine's list of open transactions, under the engine's lock.
  TransactionState* newer = nullptr;
  TransactionState* older = nullptr;
  bool is_listed = false;
  const Handle* handle = nullptr;  ///< its handle; only compared

  /// Counts a write transaction until it has released the write lock.
  Handle::WriteGuard entry;

 protected:
  enum class Status : std::uint8_t { open, committed, undone, expired, closed, lost };

  /// One call on a transaction: holds its mutex and checks that it may continue. If the call ended
  /// the transaction, releases the write lock after the mutex.
  class Call {
   public:
    explicit Call(TransactionState& state) : state_(state), lock_(state.mutex_) {}
    Call(TransactionState& state, std::try_to_lock_t)
        : state_(state), lock_(state.mutex_, std::try_to_lock) {}
    ~Call() { leave(nullptr); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    bool has_lock() const noexcept { return lock_.owns_lock(); }

    /// Throws unless the transaction is open and in time.
    void check();
    void end(Status status) noexcept { must_release_ |= state_.end(status); }
    void fail(const SqlError& error) noexcept { must_release_ |= state_.note_failure(error); }
    void release_on_leave() noexcept { must_release_ = true; }
    /// `own`: as for Writer::release_write_lock().
    void leave(const PendingCommit* own) noexcept;

    std::int64_t started = 0;  ///< of check()

   private:
    TransactionState& state_;
    std::unique_lock<std::mutex> lock_;
    bool must_release_ = false;
  };

  bool writes() const noexcept {
    return kind_ == TransactionKind::write || kind_ == TransactionKind::job;
  }
  /// Throws the error of a call on an ended transaction.
  [[noreturn]] void throw_over() const;
  /// Counts that it ends with `status`, unless it has ended before.
  void note_end(Status status) noexcept;

  // The parts of an engine. They require the mutex.

  /// Undoes it, now or when nothing uses it any more. Returns true if the caller must release the
  /// write lock.
  virtual bool end(Status status) noexcept = 0;
  /// Returns the connection. Returns true if the caller must release the write lock.
  virtual bool release() noexcept = 0;
  /// Throws if it cannot be committed now. Releases statements that would make a COMMIT fail.
  virtual void before_commit() {}
  virtual void before_job_ends() noexcept {}
  /// Returns whether the transaction of a reader is already undone.
  virtual bool is_reader_lost() const noexcept { return false; }
  /// Returns whether the maintenance thread may end it.
  virtual bool is_at_rest() const noexcept { return true; }

  const std::shared_ptr<EngineCore> engine_;
  const TransactionKind kind_;
  const std::int64_t deadline_;
  mutable std::mutex mutex_;
  Status status_ = Status::open;

 private:
  bool note_failure(const SqlError& error) noexcept;
  bool prepare_commit(PendingCommit* member, Handle::WriteGuard& until_completed);
};

}  // namespace tenon::data
