#include "data/engine/transaction_state.hpp"

#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/engine/engine_core.hpp"
#include "data/errors.hpp"
#include "observability/trace.hpp"

namespace tenon::data {

namespace {

/// A member that no thread waits for. Deletes itself after it has called `done`.
struct Unattended final : PendingCommit {
  explicit Unattended(std::function<void(std::exception_ptr)> on_done) : done(std::move(on_done)) {
    owner = this;
    on_complete = [](void* self) noexcept {
      const std::unique_ptr<Unattended> owned(static_cast<Unattended*>(self));
      owned->done(owned->error);
    };
  }

  Handle::WriteGuard entry;
  std::function<void(std::exception_ptr)> done;
};

}  // namespace

void TransactionState::Call::check() {
  if (state_.status_ != Status::open) state_.throw_over();
  started = base::monotonic_nanoseconds();
  if (started > state_.deadline_) {
    end(Status::expired);
    throw expired_error();
  }
}

void TransactionState::Call::leave(const PendingCommit* own) noexcept {
  if (lock_.owns_lock()) lock_.unlock();
  if (std::exchange(must_release_, false)) state_.engine_->writer().release_write_lock(own);
}

TransactionState::TransactionState(std::shared_ptr<EngineCore> engine, TransactionKind kind,
                                   std::int64_t deadline)
    : engine_(std::move(engine)), kind_(kind), deadline_(deadline) {}

TransactionState::~TransactionState() = default;

void TransactionState::throw_over() const {
  switch (status_) {
    case Status::expired:
      throw expired_error();
    case Status::closed:
      throw closed_error();
    case Status::lost:
      throw group_rolled_back_error();
    default:
      throw ended_error();
  }
}

bool TransactionState::is_open() const noexcept {
  const std::lock_guard lock(mutex_);
  return status_ == Status::open;
}

void TransactionState::note_end(Status status) noexcept {
  if (status_ != Status::open) return;
  status_ = status;
  if (status == Status::expired) Counters::add(engine_->counters().expired);
  if (writes()) Counters::add(engine_->counters().rolled_back);
}

bool TransactionState::note_failure(const SqlError& error) noexcept {
  engine_->note(error);
  if (!writes()) return is_reader_lost() && end(Status::undone);
  return engine_->writer().is_group_lost() && end(Status::lost);
}

// Write lock: returns true if `member` will be completed with its group; false for a transaction
// that only read.
bool TransactionState::prepare_commit(PendingCommit* member, Handle::WriteGuard& until_completed) {
  if (kind_ == TransactionKind::job) throw ended_error();
  before_commit();
  if (kind_ != TransactionKind::write) return false;
  engine_->writer().keep_member(member);
  status_ = Status::committed;
  until_completed = std::move(entry);
  release();
  return true;
}

void TransactionState::commit() {
  Handle::WriteGuard until_completed;
  PendingCommit member;
  {
    Call call(*this);
    call.check();
    try {
      if (!prepare_commit(&member, until_completed)) {
        call.end(Status::committed);
        return;
      }
      call.release_on_leave();
    } catch (const SqlError&) {
      call.end(Status::undone);
      throw;
    }
    const observability::SpanTimer timer("commit");
    call.leave(&member);
    member.signal.wait();
  }
  if (!member.error) return;
  {
    const std::lock_guard lock(mutex_);
    status_ = Status::lost;
  }
  std::rethrow_exception(member.error);
}

void TransactionState::commit_async(std::function<void(std::exception_ptr)> done) {
  Call call(*this);
  call.check();
  auto member = std::make_unique<Unattended>(std::move(done));
  try {
    if (!prepare_commit(member.get(), member->entry)) {
      call.end(Status::committed);
      call.leave(nullptr);
      member->done(nullptr);
      return;
    }
    engine_->writer().note_unattended();
    call.release_on_leave();
  } catch (const SqlError&) {
    call.end(Status::undone);
    call.leave(nullptr);
    member->done(std::current_exception());
    return;
  }
  static_cast<void>(member.release());
}

std::exception_ptr TransactionState::finish_job(PendingCommit* member,
                                                std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  before_job_ends();
  const bool was_open = status_ == Status::open;
  if (!error && was_open) {
    try {
      engine_->writer().keep_member(member);
      status_ = Status::committed;
    } catch (...) {
      error = std::current_exception();
      note_end(Status::undone);
    }
  } else {
    engine_->writer().drop_member();
    if (!error) {
      try {
        throw_over();
      } catch (...) {
        error = std::current_exception();
      }
    }
    note_end(Status::undone);
  }
  release();
  return error;
}

void TransactionState::expire_if_due(std::int64_t now) noexcept {
  Call call(*this, std::try_to_lock);
  if (call.has_lock() && status_ == Status::open && now > deadline_ && is_at_rest())
    call.end(Status::expired);
}

void TransactionState::close() noexcept {
  Call call(*this);
  if (status_ == Status::open) call.end(Status::closed);
}

}  // namespace tenon::data
