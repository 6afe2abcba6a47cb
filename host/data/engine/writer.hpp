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
#include "data/engine/handle.hpp"
#include "data/engine/signal.hpp"
#include "data/limits.hpp"
#include "data/sql_error.hpp"

namespace tenon::observability {
struct Work;
}

namespace tenon::data {

class Transaction;

/// What a waiting writer is told.
inline constexpr std::uint32_t told_turn = 2;  ///< the turn to write is yours
inline constexpr std::uint32_t told_settled =
    3;  ///< your transaction is on disk, or failed with `error`
inline constexpr std::uint32_t told_refused = 4;  ///< closed, or the storage failed

/// A write transaction that is finished and waits for the COMMIT of its group.
struct Member {
  Signal signal;
  std::exception_ptr error;
  /// Set where nobody waits for the signal: called once instead of it, with `owner`, which it
  /// deletes with the member.
  void (*settled)(void* owner) noexcept = nullptr;
  void* owner = nullptr;
};

/// A WriteCall with what it is run under.
struct WriteJob {
  void (*work)(void* context, Transaction& transaction);
  void* context;
  std::int64_t deadline;
  const observability::Work* origin = nullptr;  ///< what the caller's thread works for
};

/// One who waits for the turn, on the stack of its thread; or a job that nobody waits for, on the
/// heap.
struct Ticket {
  WriteJob* job = nullptr;
  std::int64_t latest = 0;    ///< of a job that nobody waits for: it is not begun after this
  bool is_exclusive = false;  ///< wants no open group
  Member member;
  bool is_queued = false;
  Ticket* next = nullptr;
  Ticket* previous = nullptr;
};

/// The engine as its writer sees it. Called with the turn.
class WriteSide {
 public:
  WriteSide() = default;
  virtual ~WriteSide() = default;
  WriteSide(const WriteSide&) = delete;
  WriteSide& operator=(const WriteSide&) = delete;

  /// Runs the job as a member; true when it waits in the group now, else its error is to be
  /// settled.
  virtual bool run_job(Ticket& ticket) noexcept = 0;
  /// Runs one of these on the writer's connection; what it failed with.
  virtual std::optional<SqlError> control(Control what) noexcept = 0;
  /// False once the engine has undone the whole transaction by itself.
  virtual bool is_transaction_open() const noexcept = 0;
  /// The last work of a member; what it failed with, or a COMMIT would where the engine knows.
  virtual std::optional<SqlError> finish_member() noexcept = 0;
  /// What the members of a group are told whose COMMIT failed so.
  virtual std::exception_ptr member_error(const SqlError& error) noexcept = 0;
  /// Counts a failure.
  virtual void note(const SqlError& error) noexcept = 0;
  /// A COMMIT is on disk.
  virtual void note_written() noexcept = 0;
  /// After each COMMIT: its own housework is counted, is due, is done.
  virtual void note_commit() noexcept {}
  virtual bool is_checkpoint_overdue() const noexcept { return false; }
  virtual void run_overdue_checkpoint() noexcept {}
};

/// The turn to write, the queue for it, and the group of finished members that one COMMIT makes
/// durable.
///
/// One thread (or nobody's transaction) has the turn at a time; what is marked "turn" below belongs
/// to it and needs no lock. A turn ends with pass_turn: while others wait the group stays open and
/// the next one writes under its own savepoint; the last one, or the one that reaches a bound of
/// the group, commits for all. Nobody is told of success before that COMMIT returned.
///
/// Jobs that nobody waits for are run by whoever has the turn and leads a group, else by the
/// scribe, a thread that is started for the first of them. A job that finds the turn free is
/// offered to its own thread as an inline task first, which then leads one group.
class Writer {
 public:
  /// `allows_inline_leader`: a thread that takes inline tasks may lead a group.
  Writer(WriteSide& engine, const WaitLimits& waits, const GroupLimits& groups, Counters& counters,
         bool allows_inline_leader);

  ~Writer();

  /// Waits for the turn until `deadline`. Throws 503 data.busy, data.closed, data.storage_failed.
  void acquire(std::int64_t deadline, bool is_exclusive = false);
  /// Waits for the turn although the writer is closed.
  void acquire_last() noexcept;
  /// Runs a job in its turn and returns when it is on disk; throws what it failed with.
  void run(WriteJob& job);
  /// Queues a job that nobody waits for; `ticket.member.settled` is called once it is on disk or
  /// has failed, by the thread that found it out, which may have the turn. Throws as acquire()
  /// does, without waiting; the ticket is the caller's then.
  void queue(Ticket& ticket);

  /// Turn: sets the holder that `data.busy` names until the turn passes.
  void name_holder(const observability::Work* work);
  /// Refuses queued jobs whose time to begin has passed. `now`: monotonic nanoseconds. Returns how
  /// many still wait.
  std::size_t refuse_late(std::int64_t now) noexcept;

  /// Turn: starts a member, as the first of a group or under a savepoint. Throws; the turn stays.
  void open_member();
  /// Turn: the member's changes stay and `member` is settled with the group. Throws when they
  /// cannot stay (a deferred reference is broken); they are undone then.
  void keep_member(Member* member);
  /// Counts a member with `settled`, before anybody else may settle it.
  void note_unattended() noexcept { unattended_.fetch_add(1, std::memory_order_relaxed); }
  /// Turn: undoes the member.
  void drop_member() noexcept;
  /// Turn, after a statement failed: true when the engine undid the whole transaction. The finished
  /// members of the group are then settled with 503 data.group_rolled_back.
  bool is_group_lost() noexcept;
  /// Turn: gives the member its (bad) outcome when the turn has passed.
  void settle_later(Member* member) { settle_.push_back(member); }

  /// Ends the turn. `own`: the caller's member in the open group, for which it is going to wait; it
  /// then may run the jobs of others meanwhile.
  void pass_turn(const Member* own) noexcept;

  /// Refuses those who wait and those to come. Whoever has the turn keeps it.
  void close() noexcept;
  /// As close(), for a disk that cannot be believed any more.
  void fail_storage() noexcept;
  /// After close(), with the turn: ends the scribe and waits until all that nobody waits for is
  /// settled.
  void finish() noexcept;
  bool has_failed() const noexcept { return has_failed_.load(std::memory_order_acquire); }

  std::size_t waiting() const;

  /// For an engine: puts a job that nobody waits for in the queue; see Database::queue(). It is not
  /// begun after `latest`; `entry` leaves when it is told. Where it throws, `write` stays.
  void queue(std::unique_ptr<QueuedWrite>& write, std::int64_t deadline, std::int64_t latest,
             Handle::Entry entry);

 private:
  /// How a thread came to the turn that it ends.
  enum class Turn : std::uint8_t {
    passes,       ///< it ends its own member at most
    leads,        ///< it waits for the group anyway
    inline_task,  ///< it begins one group, and passes on what comes behind
    scribe,       ///< it goes on as long as there are jobs
  };

  class InlineLeader final : public base::InlineTask {
   public:
    explicit InlineLeader(Writer& writer) noexcept : writer_(writer) {}
    void run() noexcept override { writer_.end_turn(Turn::inline_task); }
    void decline() noexcept override { writer_.scribe_signal_.set(told_turn); }

   private:
    Writer& writer_;
  };

  std::uint32_t enter(Ticket& ticket, std::int64_t deadline);
  void push(Ticket& ticket) noexcept;
  void remove(Ticket& ticket) noexcept;
  void require_open() const;
  /// Under the lock; gives back those who do not wait, linked by `next`.
  Ticket* refuse_all() noexcept;
  void settle_refused(Ticket* tickets, const std::exception_ptr& error) noexcept;
  base::Error make_busy_error() const;
  void commit_group(std::vector<Member*>& settled) noexcept;
  bool is_group_due() const noexcept;
  void end_turn(Turn turn) noexcept;
  void tell_settled(Member& member) noexcept;
  void settle(std::vector<Member*>& members) noexcept;
  void write_for_others() noexcept;

  WriteSide& engine_;
  const WaitLimits waits_;
  const GroupLimits groups_;
  Counters& counters_;
  const bool takes_errands_;

  mutable std::mutex mutex_;
  bool is_turn_taken_ = false;
  bool is_closed_ = false;
  std::string holder_;  ///< empty: not worth a name
  std::int64_t held_since_ = 0;
  std::size_t size_ = 0;
  Ticket* head_ = nullptr;
  Ticket* tail_ = nullptr;
  std::atomic<bool> has_failed_{false};
  std::thread scribe_;
  Signal scribe_signal_;
  InlineLeader inline_task_{*this};
  std::atomic<std::size_t> unattended_{0};  ///< members with `settled` that are not settled yet

  // Turn.
  bool is_holder_named_ = false;
  bool is_group_open_ = false;
  bool has_member_ = false;
  bool has_savepoint_ = false;
  std::int64_t first_finished_ = 0;
  std::vector<Member*> finished_;
  std::vector<Member*> settle_;
};

}  // namespace tenon::data
