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
struct Member;

enum class TransactionKind : std::uint8_t {
  single,  ///< SQLite's: one cursor of a reader, without BEGIN
  read,
  write,
  job,  ///< a write that its caller runs and ends
};

/// What an engine puts behind a Transaction; the calls that have no word of their own are those of
/// Transaction. Calls exclude each other by a mutex; the housekeeper may end it at its deadline,
/// but not during a call.
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

  /// Turn: goes on in the writer's transaction, whose member was opened.
  virtual void start_writing() noexcept = 0;
  /// Turn: ends a job: keeps it as `member`, or undoes it. Returns the error that it ended with.
  std::exception_ptr finish_job(Member* member, std::exception_ptr error) noexcept;

  /// Ends it when its deadline passed and nobody is in a call.
  void expire_if_due(std::int64_t now) noexcept;
  /// Ends it because the database closes; waits for a call that runs.
  void close() noexcept;

  std::int64_t deadline() const noexcept { return deadline_; }

  // Links of the engine's list of open transactions, under the engine's lock.
  TransactionState* newer = nullptr;
  TransactionState* older = nullptr;
  bool is_listed = false;
  const Handle* handle = nullptr;  ///< whose it is; only compared

  /// Of a transaction that writes, until it has given the turn back.
  Handle::Entry entry;

 protected:
  enum class Status : std::uint8_t { open, committed, undone, expired, closed, lost };

  /// One call on a transaction: has its mutex, checks that it may go on, and passes the turn to
  /// write on after the mutex is free, when the call has ended the transaction.
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
    void end(Status status) noexcept { has_turn_ |= state_.end(status); }
    void fail(const SqlError& error) noexcept { has_turn_ |= state_.note_failure(error); }
    void give_turn() noexcept { has_turn_ = true; }
    /// `own`: see Writer::pass_turn().
    void leave(const Member* own) noexcept;

    std::int64_t started = 0;  ///< of check()

   private:
    TransactionState& state_;
    std::unique_lock<std::mutex> lock_;
    bool has_turn_ = false;
  };

  bool writes() const noexcept {
    return kind_ == TransactionKind::write || kind_ == TransactionKind::job;
  }
  /// Throws what a call on an ended transaction is told.
  [[noreturn]] void throw_over() const;
  /// Counts that it ends so, unless it has ended before.
  void note_end(Status status) noexcept;

  // What an engine does, under the mutex.

  /// Ends it undone, now or when nothing holds it any more; true when the turn is to be passed on.
  virtual bool end(Status status) noexcept = 0;
  /// Gives the connection back; true when the turn is to be passed on.
  virtual bool release() noexcept = 0;
  /// Throws where it cannot be committed now; lets go what a COMMIT would trip over.
  virtual void before_commit() {}
  virtual void before_job_ends() noexcept {}
  /// The transaction of a reader is undone already.
  virtual bool is_reader_lost() const noexcept { return false; }
  /// The housekeeper may end it.
  virtual bool is_at_rest() const noexcept { return true; }

  const std::shared_ptr<EngineCore> engine_;
  const TransactionKind kind_;
  const std::int64_t deadline_;
  mutable std::mutex mutex_;
  Status status_ = Status::open;

 private:
  bool note_failure(const SqlError& error) noexcept;
  bool prepare_commit(Member* member, Handle::Entry& until_settled);
};

}  // namespace tenon::data
