#include "data/engine_core.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "data/errors.hpp"
#include "data/housekeeper.hpp"
#include "observability/work.hpp"

namespace tenon::data {

EngineCore::EngineCore(DatabaseOptions options, bool takes_errands)
    : options_(std::move(options)),
      writer_(*this, options_.waits, options_.groups, counters_, takes_errands) {}

EngineCore::~EngineCore() = default;

std::int64_t EngineCore::time_for(std::chrono::milliseconds timeout) const noexcept {
  if (timeout.count() <= 0) timeout = options_.waits.transaction;
  return nanoseconds_of(std::min(timeout, options_.waits.longest_transaction));
}

Transaction EngineCore::begin(Mode mode, std::chrono::milliseconds timeout) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + time_for(timeout);
  return mode == Mode::write ? begin_write(deadline) : begin_read(now, deadline);
}

Transaction EngineCore::begin_write(std::int64_t deadline) {
  auto state = make_state(TransactionKind::write, deadline);
  writer_.acquire(deadline);
  try {
    writer_.open_member();
  } catch (...) {
    writer_.pass_turn(nullptr);
    throw;
  }
  state->start_writing();
  add(*state);
  return Transaction(std::move(state));
}

void EngineCore::run_write(const WriteCall& call, std::chrono::milliseconds timeout) {
  WriteJob job{call.work, call.context, base::monotonic_nanoseconds() + time_for(timeout),
               observability::current_work()};
  writer_.run(job);
}

void EngineCore::queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout) {
  writer_.queue(std::move(write), base::monotonic_nanoseconds() + time_for(timeout));
}

bool EngineCore::run_job(Ticket& ticket) noexcept {
  // Whoever has the turn runs the work of others too.
  const observability::WorkScope scope(ticket.job->origin);
  std::exception_ptr error;
  try {
    if (ticket.latest != 0 && base::monotonic_nanoseconds() > ticket.latest) {
      Counters::add(counters_.busy);
      throw busy_error();
    }
    auto state = make_state(TransactionKind::job, ticket.job->deadline);
    writer_.open_member();
    state->start_writing();
    Transaction transaction(state);
    try {
      ticket.job->work(ticket.job->context, transaction);
    } catch (...) {
      error = std::current_exception();
    }
    error = state->finish_job(&ticket.member, std::move(error));
  } catch (...) {
    error = std::current_exception();
  }
  if (!error) return true;
  ticket.member.error = std::move(error);
  writer_.settle_later(&ticket.member);
  return false;
}

void EngineCore::add(TransactionState& state) noexcept {
  {
    const std::lock_guard lock(list_mutex_);
    state.older = newest_;
    if (newest_) newest_->newer = &state;
    newest_ = &state;
    state.is_listed = true;
    ++open_;
  }
  housekeeper_->watch();
}

void EngineCore::remove(TransactionState& state) noexcept {
  const std::lock_guard lock(list_mutex_);
  if (!state.is_listed) return;
  (state.newer ? state.newer->older : newest_) = state.older;
  if (state.older) state.older->newer = state.newer;
  state.newer = state.older = nullptr;
  state.is_listed = false;
  --open_;
}

std::vector<std::shared_ptr<TransactionState>> EngineCore::open_states(std::int64_t before) const {
  std::vector<std::shared_ptr<TransactionState>> states;
  const std::lock_guard lock(list_mutex_);
  for (TransactionState* state = newest_; state; state = state->older) {
    if (state->deadline() >= before) continue;
    if (auto owned = state->weak_from_this().lock()) states.push_back(std::move(owned));
  }
  return states;
}

void EngineCore::enter_house() {
  housekeeper_ = Housekeeper::shared();
  housekeeper_->add(this);
}

bool EngineCore::expire_due(std::int64_t now) noexcept {
  bool has_open = false;
  {
    const std::lock_guard lock(list_mutex_);
    has_open = newest_ != nullptr;
  }
  if (!has_open) return false;
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
  housekeeper_->remove(this);
}

Statistics EngineCore::common_statistics() const {
  Statistics sum = data::read(counters_);
  sum.waiting = writer_.waiting();
  const std::lock_guard lock(list_mutex_);
  sum.open = open_;
  return sum;
}

}  // namespace tenon::data
