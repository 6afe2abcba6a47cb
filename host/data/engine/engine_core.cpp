#include "data/engine/engine_core.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/engine/maintenance_thread.hpp"
#include "data/errors.hpp"
#include "data/files/space_reserve.hpp"
#include "data/sql_error.hpp"
#include "observability/work.hpp"

namespace tenon::data {

EngineCore::EngineCore(DatabaseOptions options, bool allows_inline_leader,
                       std::shared_ptr<Handle> first)
    : first_(first ? std::move(first)
                   : std::make_shared<Handle>(options.waits, std::exchange(options.on_fault, {}))),
      options_(std::move(options)),
      handles_{first_},
      writer_(*this, options_.waits, options_.groups, counters_, allows_inline_leader) {}

EngineCore::~EngineCore() = default;

std::int64_t EngineCore::time_for(std::chrono::milliseconds timeout) const noexcept {
  if (timeout.count() <= 0) timeout = options_.waits.transaction;
  return nanoseconds_of(std::min(timeout, options_.waits.max_transaction));
}

Transaction EngineCore::begin(Mode mode, std::chrono::milliseconds timeout, Handle& handle) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + time_for(timeout);
  if (mode == Mode::write) return begin_write(deadline, handle);
  handle.require_open();
  return begin_read(now, deadline, handle);
}

Transaction EngineCore::begin_write(std::int64_t deadline, Handle& handle) {
  Handle::WriteGuard entry = enter(handle, deadline);
  auto state = make_state(TransactionKind::write, deadline);
  writer_.acquire(deadline);
  try {
    writer_.name_holder(observability::current_work());
    writer_.open_member();
  } catch (...) {
    writer_.release_write_lock(nullptr);
    throw;
  }
  state->start_writing();
  state->entry = std::move(entry);
  add(*state, handle);
  return Transaction(std::move(state));
}

void EngineCore::run_write(const WriteCall& call, std::chrono::milliseconds timeout,
                           Handle& handle) {
  WriteJob job{call.work, call.context, base::monotonic_nanoseconds() + time_for(timeout),
               observability::current_work()};
  const Handle::WriteGuard entry = enter(handle, job.deadline);
  writer_.run(job);
}

void EngineCore::queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout,
                       Handle& handle) {
  require_space();
  const std::int64_t now = base::monotonic_nanoseconds();
  Handle::DeferredWrite deferred{std::move(write), now + time_for(timeout),
                                 now + nanoseconds_of(options_.waits.queue)};
  if (auto entry = handle.enter_or_defer(deferred)) {
    writer_.queue(deferred.write, deferred.deadline, deferred.latest, *std::move(entry));
  } else {
    maintenance_->watch();
  }
}

bool EngineCore::run_job(WriteRequest& request) noexcept {
  // The thread that holds the write lock runs the work of others too.
  const observability::WorkScope scope(request.job->origin);
  std::exception_ptr error;
  try {
    if (request.latest != 0 && base::monotonic_nanoseconds() > request.latest) {
      Counters::add(counters_.busy);
      throw busy_error();
    }
    auto state = make_state(TransactionKind::job, request.job->deadline);
    writer_.open_member();
    state->start_writing();
    Transaction transaction(state);
    try {
      request.job->work(request.job->context, transaction);
    } catch (...) {
      error = std::current_exception();
    }
    error = state->finish_job(&request.member, std::move(error));
  } catch (...) {
    error = std::current_exception();
  }
  if (!error) return true;
  request.member.error = std::move(error);
  writer_.complete_later(&request.member);
  return false;
}

void EngineCore::add(TransactionState& state, const Handle& handle) {
  {
    const std::lock_guard lock(list_mutex_);
    state.handle = &handle;
    state.older = newest_;
    if (newest_) newest_->newer = &state;
    newest_ = &state;
    state.is_listed = true;
    ++open_;
  }
  maintenance_->watch();
  // A thread that closes the handle ends the transactions in the list by then.
  if (!handle.is_closed()) return;
  state.close();
  throw closed_error();
}

void EngineCore::remove(TransactionState& state) noexcept {
  const Handle::WriteGuard left = std::move(state.entry);
  const std::lock_guard lock(list_mutex_);
  if (!state.is_listed) return;
  (state.newer ? state.newer->older : newest_) = state.older;
  if (state.older) state.older->newer = state.newer;
  state.newer = state.older = nullptr;
  state.is_listed = false;
  --open_;
}

std::vector<std::shared_ptr<TransactionState>> EngineCore::open_states(std::int64_t before,
                                                                       const Handle* handle) const {
  std::vector<std::shared_ptr<TransactionState>> states;
  const std::lock_guard lock(list_mutex_);
  for (TransactionState* state = newest_; state; state = state->older) {
    if (state->deadline() >= before || (handle && state->handle != handle)) continue;
    if (auto owned = state->weak_from_this().lock()) states.push_back(std::move(owned));
  }
  return states;
}

std::shared_ptr<Handle> EngineCore::first_handle() {
  return first_;
}

std::shared_ptr<Handle> EngineCore::open_handle(Handle::OnFault on_fault) {
  auto handle = std::make_shared<Handle>(options_.waits, std::move(on_fault));
  const std::lock_guard lock(handles_mutex_);
  if (is_ending_) throw closed_error();
  handles_.push_back(handle);
  return handle;
}

void EngineCore::close_handle(Handle& handle) noexcept {
  if (!handle.close()) return;
  bool is_last = false;
  {
    // The last one stays: it gets the faults found while the engine closes.
    const std::lock_guard lock(handles_mutex_);
    is_last = is_ending_ = handles_.size() == 1;
    if (!is_last) std::erase_if(handles_, [&](const auto& each) { return each.get() == &handle; });
  }
  if (is_last) {
    close();
  } else {
    for (const auto& state : open_states(std::numeric_limits<std::int64_t>::max(), &handle))
      state->close();
    handle.wait_idle();
  }
  handle.set_on_fault({});
}

bool EngineCore::pause_writes(Handle& handle, std::chrono::milliseconds timeout) {
  if (handle.pause_writes(timeout)) return true;
  resume_writes(handle);
  return false;
}

void EngineCore::resume_writes(Handle& handle) {
  handle.resume_writes([this](Handle::DeferredWrite& deferred, Handle::WriteGuard entry) {
    try {
      writer_.queue(deferred.write, deferred.deadline, deferred.latest, std::move(entry));
    } catch (...) {
      deferred.write->done(std::current_exception());
    }
  });
}

void EngineCore::require_space() {
  SpaceReserve* const reserve = options_.reserve.get();
  if (reserve == nullptr || !reserve->is_released()) return;
  if (reserve->has_space_again()) return maintenance_->wake();
  const observability::Work* const work = observability::current_work();
  if (work != nullptr ? work->may_use_reserve : options_.confinement.trusted) return;
  const SqlError error(507, "data.disk_full",
                       "The disk is full; nothing was changed. An admin must free disk space.", 0,
                       "only the space reserved for admins is left");
  note(error);
  throw error;
}

Handle::WriteGuard EngineCore::enter(Handle& handle, std::int64_t deadline) {
  require_space();
  try {
    return handle.enter(deadline);
  } catch (const base::Error& error) {
    if (error.code() == "data.busy") Counters::add(counters_.busy);
    throw;
  }
}

std::vector<std::shared_ptr<Handle>> EngineCore::handles() const {
  const std::lock_guard lock(handles_mutex_);
  return handles_;
}

bool EngineCore::expire_deferred(std::int64_t now) noexcept {
  bool has_more = false;
  for (const auto& handle : handles())
    Counters::add(counters_.busy, handle->expire(now, has_more));
  return has_more;
}

void EngineCore::report_fault(Fault fault, std::string_view path,
                              std::string_view reason) noexcept {
  for (const auto& handle : handles())
    handle->report_fault(fault, path, reason);
}

void EngineCore::register_engine() {
  maintenance_ = MaintenanceThread::shared();
  maintenance_->add(this);
}

bool EngineCore::expire_due(std::int64_t now) noexcept {
  const bool has_deferred = expire_deferred(now);
  const bool has_queued = writer_.refuse_late(now) > 0;
  bool has_open = false;
  {
    const std::lock_guard lock(list_mutex_);
    has_open = newest_ != nullptr;
  }
  if (!has_open) return has_deferred || has_queued;
  for (const auto& state : open_states(now))
    state->expire_if_due(now);
  return true;
}

bool EngineCore::begin_close() noexcept {
  const std::lock_guard lock(list_mutex_);
  return !std::exchange(is_closed_, true);
}

void EngineCore::end_writing() noexcept {
  for (const auto& state : open_states(std::numeric_limits<std::int64_t>::max()))
    state->close();
  writer_.acquire_last();
  writer_.finish();
  maintenance_->remove(this);
}

Statistics EngineCore::common_statistics() const {
  Statistics sum = data::read(counters_);
  sum.waiting = writer_.waiting();
  const std::lock_guard lock(list_mutex_);
  sum.open = open_;
  return sum;
}

}  // namespace tenon::data
