#include "data/engine/writer.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "data/errors.hpp"
#include "observability/trace.hpp"
#include "observability/work.hpp"

namespace tenon::data {

Writer::Writer(WriteSide& engine, const WaitLimits& waits, const GroupLimits& groups,
               Counters& counters, bool allows_inline_leader)
    : engine_(engine),
      waits_(waits),
      groups_(groups),
      counters_(counters),
      takes_errands_(allows_inline_leader) {
  finished_.reserve(groups_.members);
}

Writer::~Writer() {
  finish();
}

// Under the lock.
base::Error Writer::make_busy_error() const {
  if (holder_.empty()) return busy_error();
  return busy_error(holder_, base::monotonic_nanoseconds() - held_since_);
}

void Writer::name_holder(const observability::Work* work) {
  if (work == nullptr || work->plugin.empty()) return;
  std::string name = "The plugin \"" + std::string(work->plugin) + "\"";
  if (!work->route.empty()) name.append(" (").append(work->route).append(")");
  const std::lock_guard lock(mutex_);
  holder_ = std::move(name);
  held_since_ = base::monotonic_nanoseconds();
  is_holder_named_ = true;
}

void Writer::push(Ticket& ticket) noexcept {
  ticket.is_queued = true;
  ticket.previous = tail_;
  (tail_ ? tail_->next : head_) = &ticket;
  tail_ = &ticket;
  ++size_;
}

void Writer::remove(Ticket& ticket) noexcept {
  (ticket.previous ? ticket.previous->next : head_) = ticket.next;
  (ticket.next ? ticket.next->previous : tail_) = ticket.previous;
  ticket.next = ticket.previous = nullptr;
  ticket.is_queued = false;
  --size_;
}

void Writer::require_open() const {
  if (has_failed()) throw storage_failed_error();
  if (is_closed_) throw closed_error();
  if (size_ >= waits_.waiting) {
    Counters::add(counters_.busy);
    throw make_busy_error();
  }
}

std::uint32_t Writer::enter(Ticket& ticket, std::int64_t deadline) {
  {
    const std::lock_guard lock(mutex_);
    require_open();
    if (!is_turn_taken_) {
      is_turn_taken_ = true;
      return told_turn;
    }
    push(ticket);
  }
  const auto longest = std::chrono::duration_cast<std::chrono::nanoseconds>(waits_.queue).count();
  const std::int64_t begin = base::monotonic_nanoseconds();
  std::uint32_t told = ticket.member.signal.wait(std::min(deadline, begin + longest));
  if (told == 0) {
    {
      const std::lock_guard lock(mutex_);
      if (ticket.is_queued) {
        remove(ticket);
        Counters::add(counters_.busy);
        throw make_busy_error();
      }
    }
    told = ticket.member.signal.wait();
  }
  if (told == told_refused) throw has_failed() ? storage_failed_error() : closed_error();
  const std::int64_t end = base::monotonic_nanoseconds();
  counters_.write_wait.record(end - begin);
  if (observability::Trace* trace = observability::current_trace(); trace != nullptr)
    trace->add(told == told_turn ? "wait to write" : "write with others", begin, end);
  return told;
}

void Writer::acquire(std::int64_t deadline, bool is_exclusive) {
  Ticket ticket;
  ticket.is_exclusive = is_exclusive;
  enter(ticket, deadline);
}

void Writer::acquire_last() noexcept {
  // A failing disk may refuse everybody once more.
  for (std::uint32_t told = 0; told != told_turn;) {
    Ticket ticket;
    ticket.is_exclusive = true;
    {
      const std::lock_guard lock(mutex_);
      if (!is_turn_taken_) {
        is_turn_taken_ = true;
        return;
      }
      push(ticket);
    }
    told = ticket.member.signal.wait();
  }
}

void Writer::run(WriteJob& job) {
  Ticket ticket;
  ticket.job = &job;
  if (enter(ticket, job.deadline) == told_turn) {
    // The same signal told of the turn; what follows is told through one of its own.
    Ticket own;
    own.job = &job;
    const bool is_kept = engine_.run_job(own);
    const observability::SpanTimer timer("commit");
    pass_turn(is_kept ? &own.member : nullptr);
    own.member.signal.wait();
    if (own.member.error) std::rethrow_exception(own.member.error);
    return;
  }
  if (ticket.member.error) std::rethrow_exception(ticket.member.error);
}

void Writer::queue(Ticket& ticket) {
  {
    const std::lock_guard lock(mutex_);
    require_open();
    if (!scribe_.joinable()) scribe_ = std::thread([this] { write_for_others(); });
    note_unattended();
    push(ticket);
    if (is_turn_taken_) return;
    is_turn_taken_ = true;
  }
  // The turn is the inline task's from here on, and whoever takes it may be done before this
  // returns.
  base::InlineExecutor* const runner = takes_errands_ ? base::InlineExecutor::current() : nullptr;
  if (runner == nullptr || !runner->take(inline_task_)) inline_task_.decline();
}

void Writer::queue(std::unique_ptr<QueuedWrite>& write, std::int64_t deadline, std::int64_t latest,
                   Handle::Entry entry) {
  struct Queued final : Ticket {
    Handle::Entry entry;  // leaves last
    WriteJob its_job{};
    std::unique_ptr<QueuedWrite> write;
  };
  auto queued = std::make_unique<Queued>();
  queued->its_job = {[](void* context, Transaction& transaction) {
                       static_cast<QueuedWrite*>(context)->work(transaction);
                     },
                     write.get(), deadline, nullptr};
  queued->job = &queued->its_job;
  queued->latest = latest;
  queued->entry = std::move(entry);
  queued->write = std::move(write);
  queued->member.owner = queued.get();
  queued->member.settled = [](void* owner) noexcept {
    const std::unique_ptr<Queued> owned(static_cast<Queued*>(owner));
    owned->write->done(owned->member.error);
  };
  try {
    queue(*queued);
  } catch (...) {
    write = std::move(queued->write);
    throw;
  }
  static_cast<void>(queued.release());
}

void Writer::write_for_others() noexcept {
  while (scribe_signal_.wait() == told_turn) {
    scribe_signal_.reset();
    // Whoever ran an inline task leaves this to the scribe.
    if (!is_group_open_ && engine_.is_checkpoint_overdue()) engine_.run_overdue_checkpoint();
    end_turn(Turn::scribe);
  }
}

void Writer::open_member() {
  if (has_failed()) throw storage_failed_error();
  if (auto error = engine_.control(is_group_open_ ? Control::savepoint : Control::begin_write)) {
    if (is_group_open_) is_group_lost();
    engine_.note(*error);
    throw SqlError(std::move(*error));
  }
  has_savepoint_ = is_group_open_;
  is_group_open_ = true;
  has_member_ = true;
}

void Writer::keep_member(Member* member) {
  if (auto error = engine_.finish_member()) {
    drop_member();
    throw SqlError(std::move(*error));
  }
  if (has_savepoint_) {
    if (auto error = engine_.control(Control::release)) {
      drop_member();
      throw SqlError(std::move(*error));
    }
    has_savepoint_ = false;
  }
  has_member_ = false;
  if (finished_.empty()) first_finished_ = base::monotonic_nanoseconds();
  finished_.push_back(member);
}

void Writer::drop_member() noexcept {
  if (!has_member_ || is_group_lost()) return;
  has_member_ = false;
  if (has_savepoint_) {
    has_savepoint_ = false;
    if (!engine_.control(Control::rollback_to) && !engine_.control(Control::release)) return;
  }
  engine_.control(Control::rollback);
  is_group_lost();
}

bool Writer::is_group_lost() noexcept {
  if (engine_.is_transaction_open()) return false;
  is_group_open_ = false;
  has_member_ = false;
  has_savepoint_ = false;
  for (Member* member : finished_) {
    member->error = std::make_exception_ptr(group_rolled_back_error());
    settle_.push_back(member);
  }
  Counters::add(counters_.group_rolled_back, finished_.size());
  finished_.clear();
  return true;
}

void Writer::commit_group(std::vector<Member*>& settled) noexcept {
  const std::size_t size = finished_.size();
  const std::int64_t begin = base::monotonic_nanoseconds();
  const auto error = engine_.control(Control::commit);
  is_group_open_ = false;
  if (!error) {
    counters_.commit_time.record(base::monotonic_nanoseconds() - begin);
    const auto* bound = std::lower_bound(group_size_bounds.begin(), group_size_bounds.end(), size);
    Counters::add(
        counters_.group_size[static_cast<std::size_t>(bound - group_size_bounds.begin())]);
    engine_.note_written();
    Counters::add(counters_.groups);
    Counters::add(counters_.writes, size);
    if (size > counters_.max_group_size.load(std::memory_order_relaxed)) {
      counters_.max_group_size.store(size, std::memory_order_relaxed);
    }
  } else {
    if (engine_.is_transaction_open()) engine_.control(Control::rollback);
    engine_.note(*error);
    for (Member* member : finished_)
      member->error = engine_.member_error(*error);
    Counters::add(counters_.rolled_back, size);
  }
  settled.insert(settled.end(), finished_.begin(), finished_.end());
  finished_.clear();
}

void Writer::tell_settled(Member& member) noexcept {
  if (!member.settled) {
    member.signal.set(told_settled);
    return;
  }
  member.settled(member.owner);
  if (unattended_.fetch_sub(1, std::memory_order_acq_rel) == 1) unattended_.notify_all();
}

void Writer::settle(std::vector<Member*>& members) noexcept {
  for (Member* member : members)
    tell_settled(*member);
  members.clear();
}

void Writer::pass_turn(const Member* own) noexcept {
  end_turn(own != nullptr ? Turn::leads : Turn::passes);
}

bool Writer::is_group_due() const noexcept {
  return head_ == nullptr || head_->is_exclusive || finished_.size() >= groups_.members ||
         base::monotonic_nanoseconds() - first_finished_ >=
             std::chrono::duration_cast<std::chrono::nanoseconds>(groups_.age).count();
}

void Writer::end_turn(Turn turn) noexcept {
  if (std::exchange(is_holder_named_, false)) {
    const std::lock_guard lock(mutex_);
    holder_.clear();
  }
  std::vector<Member*> settled;
  bool leads = turn != Turn::passes;
  bool may_begin = turn == Turn::inline_task || turn == Turn::scribe;
  for (;;) {
    settled.insert(settled.end(), settle_.begin(), settle_.end());
    settle_.clear();
    if (!is_group_open_) {
      leads = may_begin;
      may_begin = turn == Turn::scribe;
      // The scribe goes on with the next group: whoever can go on too hears of it first.
      if (turn == Turn::scribe) settle(settled);
    }
    Ticket* next = nullptr;
    bool is_due = false;
    bool is_scribes = false;
    {
      const std::lock_guard lock(mutex_);
      is_due = is_group_open_ && is_group_due();
      if (!is_due) {
        next = head_;
        is_scribes = next && next->member.settled && !leads;
        if (!next)
          is_turn_taken_ = false;
        else if (!is_scribes)
          remove(*next);
      }
    }
    if (is_due) {
      commit_group(settled);
      engine_.note_commit();
      if (engine_.is_checkpoint_overdue()) {
        if (turn == Turn::inline_task) {
          scribe_signal_.set(told_turn);
          settle(settled);
          return;
        }
        settle(settled);
        engine_.run_overdue_checkpoint();
      }
      continue;
    }
    if (next && next->job && !is_scribes && leads) {
      engine_.run_job(*next);
      continue;
    }
    if (next) (is_scribes ? scribe_signal_ : next->member.signal).set(told_turn);
    settle(settled);
    return;
  }
}

Ticket* Writer::refuse_all() noexcept {
  Ticket* unattended = nullptr;
  while (head_) {
    Ticket* ticket = head_;
    remove(*ticket);
    if (ticket->member.settled) {
      ticket->next = std::exchange(unattended, ticket);
    } else {
      ticket->member.signal.set(told_refused);
    }
  }
  return unattended;
}

void Writer::settle_refused(Ticket* tickets, const std::exception_ptr& error) noexcept {
  while (tickets) {
    Ticket* ticket = std::exchange(tickets, tickets->next);
    ticket->member.error = error;
    tell_settled(ticket->member);
  }
}

std::size_t Writer::refuse_late(std::int64_t now) noexcept {
  Ticket* late = nullptr;
  std::exception_ptr error;
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    for (Ticket* ticket = head_; ticket != nullptr;) {
      Ticket* const next = ticket->next;
      const bool is_waited_for = ticket->latest == 0;
      if (!is_waited_for && ticket->latest < now) {
        remove(*ticket);
        ticket->next = std::exchange(late, ticket);
        Counters::add(counters_.busy);
      } else if (!is_waited_for) {
        ++left;
      }
      ticket = next;
    }
    if (late != nullptr) error = std::make_exception_ptr(make_busy_error());
  }
  settle_refused(late, error);
  return left;
}

void Writer::close() noexcept {
  Ticket* refused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    refused = refuse_all();
  }
  settle_refused(refused,
                 std::make_exception_ptr(has_failed() ? storage_failed_error() : closed_error()));
}

void Writer::fail_storage() noexcept {
  has_failed_.store(true, std::memory_order_release);
  Ticket* refused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    refused = refuse_all();
  }
  settle_refused(refused, std::make_exception_ptr(storage_failed_error()));
}

void Writer::finish() noexcept {
  if (scribe_.joinable()) {
    scribe_signal_.set(told_refused);
    scribe_.join();
  }
  for (std::size_t left = unattended_.load(std::memory_order_acquire); left != 0;
       left = unattended_.load(std::memory_order_acquire))
    unattended_.wait(left, std::memory_order_acquire);
}

std::size_t Writer::waiting() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

}  // namespace tenon::data
