#include "data/engine/writer.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/errors.hpp"
#include "observability/trace.hpp"
#include "observability/work.hpp"

namespace tenon::data {

Writer::Writer(WriterBackend& engine, const WaitLimits& waits, const GroupLimits& groups,
               Counters& counters, bool allows_inline_leader)
    : engine_(engine),
      waits_(waits),
      groups_(groups),
      counters_(counters),
      allows_inline_leader_(allows_inline_leader) {
  finished_.reserve(groups_.members);
}

Writer::~Writer() {
  finish();
}

// Requires the mutex.
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

void Writer::push(WriteRequest& request) noexcept {
  request.is_queued = true;
  request.previous = tail_;
  (tail_ ? tail_->next : head_) = &request;
  tail_ = &request;
  ++size_;
}

void Writer::remove(WriteRequest& request) noexcept {
  (request.previous ? request.previous->next : head_) = request.next;
  (request.next ? request.next->previous : tail_) = request.previous;
  request.next = request.previous = nullptr;
  request.is_queued = false;
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

std::uint32_t Writer::enter(WriteRequest& request, std::int64_t deadline) {
  {
    const std::lock_guard lock(mutex_);
    require_open();
    if (!is_lock_held_) {
      is_lock_held_ = true;
      return lock_granted;
    }
    push(request);
  }
  const auto queue_timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(waits_.queue).count();
  const std::int64_t begin = base::monotonic_nanoseconds();
  std::uint32_t signal = request.member.signal.wait(std::min(deadline, begin + queue_timeout));
  if (signal == 0) {
    {
      const std::lock_guard lock(mutex_);
      if (request.is_queued) {
        remove(request);
        Counters::add(counters_.busy);
        throw make_busy_error();
      }
    }
    signal = request.member.signal.wait();
  }
  if (signal == write_refused) throw has_failed() ? storage_failed_error() : closed_error();
  const std::int64_t end = base::monotonic_nanoseconds();
  counters_.write_queue_time.record(end - begin);
  if (observability::Trace* trace = observability::current_trace(); trace != nullptr)
    trace->add(signal == lock_granted ? "wait to write" : "write with others", begin, end);
  return signal;
}

void Writer::acquire(std::int64_t deadline, bool is_exclusive) {
  WriteRequest request;
  request.is_exclusive = is_exclusive;
  enter(request, deadline);
}

void Writer::acquire_last() noexcept {
  // A failing disk may refuse all requests once more.
  for (std::uint32_t signal = 0; signal != lock_granted;) {
    WriteRequest request;
    request.is_exclusive = true;
    {
      const std::lock_guard lock(mutex_);
      if (!is_lock_held_) {
        is_lock_held_ = true;
        return;
      }
      push(request);
    }
    signal = request.member.signal.wait();
  }
}

void Writer::run(WriteJob& job) {
  WriteRequest request;
  request.job = &job;
  if (enter(request, job.deadline) == lock_granted) {
    // The signal of `request` already reported the write lock; the commit needs its own signal.
    WriteRequest own;
    own.job = &job;
    const bool is_kept = engine_.run_job(own);
    const observability::SpanTimer timer("commit");
    release_write_lock(is_kept ? &own.member : nullptr);
    own.member.signal.wait();
    if (own.member.error) std::rethrow_exception(own.member.error);
    return;
  }
  if (request.member.error) std::rethrow_exception(request.member.error);
}

void Writer::queue(WriteRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    require_open();
    if (!background_thread_.joinable())
      background_thread_ = std::thread([this] { write_for_others(); });
    note_unattended();
    push(request);
    if (is_lock_held_) return;
    is_lock_held_ = true;
  }
  // The inline task owns the write lock from here on, and may be finished before this returns.
  base::InlineExecutor* const runner =
      allows_inline_leader_ ? base::InlineExecutor::current() : nullptr;
  if (runner == nullptr || !runner->take(inline_task_)) inline_task_.decline();
}

void Writer::queue(std::unique_ptr<QueuedWrite>& write, std::int64_t deadline, std::int64_t latest,
                   Handle::WriteGuard entry) {
  struct Queued final : WriteRequest {
    Handle::WriteGuard entry;  // destroyed last
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
  queued->member.on_complete = [](void* owner) noexcept {
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
  while (background_signal_.wait() == lock_granted) {
    background_signal_.reset();
    // A thread that ran an inline task leaves the checkpoint to this thread.
    if (!is_group_open_ && engine_.is_checkpoint_overdue()) engine_.run_overdue_checkpoint();
    release_as(LockHolder::background_thread);
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

void Writer::keep_member(PendingCommit* member) {
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
  for (PendingCommit* member : finished_) {
    member->error = std::make_exception_ptr(group_rolled_back_error());
    to_complete_.push_back(member);
  }
  Counters::add(counters_.group_rolled_back, finished_.size());
  finished_.clear();
  return true;
}

void Writer::commit_group(std::vector<PendingCommit*>& completed) noexcept {
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
    for (PendingCommit* member : finished_)
      member->error = engine_.member_error(*error);
    Counters::add(counters_.rolled_back, size);
  }
  completed.insert(completed.end(), finished_.begin(), finished_.end());
  finished_.clear();
}

void Writer::notify_completed(PendingCommit& member) noexcept {
  if (!member.on_complete) {
    member.signal.set(commit_completed);
    return;
  }
  member.on_complete(member.owner);
  if (unattended_.fetch_sub(1, std::memory_order_acq_rel) == 1) unattended_.notify_all();
}

void Writer::complete(std::vector<PendingCommit*>& members) noexcept {
  for (PendingCommit* member : members)
    notify_completed(*member);
  members.clear();
}

void Writer::release_write_lock(const PendingCommit* own) noexcept {
  release_as(own != nullptr ? LockHolder::leader : LockHolder::single);
}

bool Writer::is_group_due() const noexcept {
  return head_ == nullptr || head_->is_exclusive || finished_.size() >= groups_.members ||
         base::monotonic_nanoseconds() - first_finished_ >=
             std::chrono::duration_cast<std::chrono::nanoseconds>(groups_.age).count();
}

void Writer::release_as(LockHolder holder) noexcept {
  if (std::exchange(is_holder_named_, false)) {
    const std::lock_guard lock(mutex_);
    holder_.clear();
  }
  std::vector<PendingCommit*> completed;
  bool leads = holder != LockHolder::single;
  bool may_begin = holder == LockHolder::inline_task || holder == LockHolder::background_thread;
  for (;;) {
    completed.insert(completed.end(), to_complete_.begin(), to_complete_.end());
    to_complete_.clear();
    if (!is_group_open_) {
      leads = may_begin;
      may_begin = holder == LockHolder::background_thread;
      // This thread continues with the next group: notify the waiting threads of the last one
      // first.
      if (holder == LockHolder::background_thread) complete(completed);
    }
    WriteRequest* next = nullptr;
    bool is_due = false;
    bool for_background_thread = false;
    {
      const std::lock_guard lock(mutex_);
      is_due = is_group_open_ && is_group_due();
      if (!is_due) {
        next = head_;
        for_background_thread = next && next->member.on_complete && !leads;
        if (!next)
          is_lock_held_ = false;
        else if (!for_background_thread)
          remove(*next);
      }
    }
    if (is_due) {
      commit_group(completed);
      engine_.note_commit();
      if (engine_.is_checkpoint_overdue()) {
        if (holder == LockHolder::inline_task) {
          background_signal_.set(lock_granted);
          complete(completed);
          return;
        }
        complete(completed);
        engine_.run_overdue_checkpoint();
      }
      continue;
    }
    if (next && next->job && !for_background_thread && leads) {
      engine_.run_job(*next);
      continue;
    }
    if (next) (for_background_thread ? background_signal_ : next->member.signal).set(lock_granted);
    complete(completed);
    return;
  }
}

WriteRequest* Writer::refuse_all() noexcept {
  WriteRequest* unattended = nullptr;
  while (head_) {
    WriteRequest* request = head_;
    remove(*request);
    if (request->member.on_complete) {
      request->next = std::exchange(unattended, request);
    } else {
      request->member.signal.set(write_refused);
    }
  }
  return unattended;
}

void Writer::complete_refused(WriteRequest* requests, const std::exception_ptr& error) noexcept {
  while (requests) {
    WriteRequest* request = std::exchange(requests, requests->next);
    request->member.error = error;
    notify_completed(request->member);
  }
}

std::size_t Writer::refuse_late(std::int64_t now) noexcept {
  WriteRequest* late = nullptr;
  std::exception_ptr error;
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    for (WriteRequest* request = head_; request != nullptr;) {
      WriteRequest* const next = request->next;
      const bool is_waited_for = request->latest == 0;
      if (!is_waited_for && request->latest < now) {
        remove(*request);
        request->next = std::exchange(late, request);
        Counters::add(counters_.busy);
      } else if (!is_waited_for) {
        ++left;
      }
      request = next;
    }
    if (late != nullptr) error = std::make_exception_ptr(make_busy_error());
  }
  complete_refused(late, error);
  return left;
}

void Writer::close() noexcept {
  WriteRequest* refused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    refused = refuse_all();
  }
  complete_refused(refused,
                   std::make_exception_ptr(has_failed() ? storage_failed_error() : closed_error()));
}

void Writer::fail_storage() noexcept {
  has_failed_.store(true, std::memory_order_release);
  WriteRequest* refused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    refused = refuse_all();
  }
  complete_refused(refused, std::make_exception_ptr(storage_failed_error()));
}

void Writer::finish() noexcept {
  if (background_thread_.joinable()) {
    background_signal_.set(write_refused);
    background_thread_.join();
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
