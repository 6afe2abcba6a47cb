#include "data/postgresql/transaction_state.hpp"

#include <charconv>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/errors.hpp"
#include "data/postgresql/engine.hpp"
#include "data/postgresql/result_cursor.hpp"
#include "data/postgresql/result_rows.hpp"
#include "observability/trace.hpp"

namespace tenon::data::postgresql {

/// One call on a transaction: has its mutex, checks that it may go on, and passes the turn to write
/// on after the mutex is free, when the call has ended the transaction.
class TransactionState::Call {
 public:
  explicit Call(TransactionState& state) : state_(state), lock_(state.mutex_) {}
  Call(TransactionState& state, std::try_to_lock_t)
      : state_(state), lock_(state.mutex_, std::try_to_lock) {}
  ~Call() { leave(nullptr); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool has_lock() const noexcept { return lock_.owns_lock(); }

  /// Throws unless the transaction is open and in time.
  void check() {
    if (state_.status_ != Status::open) state_.throw_over();
    if (base::monotonic_nanoseconds() > state_.deadline_) {
      end(Status::expired);
      throw expired_error();
    }
  }
  void end(Status status) noexcept { has_turn_ |= state_.end(status); }
  void fail(const SqlError& error) noexcept { has_turn_ |= state_.note_failure(error); }
  void give_turn() noexcept { has_turn_ = true; }
  void leave(const Member* own) noexcept {
    if (lock_.owns_lock()) lock_.unlock();
    if (std::exchange(has_turn_, false)) state_.engine_->writer().pass_turn(own);
  }

 private:
  TransactionState& state_;
  std::unique_lock<std::mutex> lock_;
  bool has_turn_ = false;
};

TransactionState::TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind,
                                   std::int64_t deadline)
    : engine_(std::move(engine)), kind_(kind), deadline_(deadline) {}

TransactionState::~TransactionState() {
  rollback();
}

void TransactionState::start(std::unique_ptr<Connection> reader) {
  has_started_ = true;
  if (!reader) return;
  reader_ = std::move(reader);
  reading_.emplace(*reader_,
                   std::vector<std::string>{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
  reading_->begin();
}

void TransactionState::watch() {
  is_watched_ = true;
  engine_->add(*this);
}

Session& TransactionState::session() noexcept {
  return kind_ == TransactionKind::read ? *reading_ : engine_->session();
}

void TransactionState::throw_over() const {
  switch (status_) {
    case Status::expired:
      throw expired_error();
    case Status::closed:
      throw closed_error();
    case Status::lost:
      throw group_rolled_back_error();
    default:
      throw over_error();
  }
}

bool TransactionState::is_open() const noexcept {
  const std::lock_guard lock(mutex_);
  return status_ == Status::open;
}

// Gives the connection back; true when the turn to write is to be passed on.
bool TransactionState::release() noexcept {
  if (!std::exchange(has_started_, false)) return false;
  if (std::exchange(is_watched_, false)) engine_->remove(*this);
  if (kind_ == TransactionKind::write) return true;
  if (kind_ == TransactionKind::read) {
    if (reading_->is_open()) reading_->control(Control::rollback);
    reading_.reset();
    engine_->readers().give(std::move(reader_));
  }
  return false;
}

// Ends the transaction undone. A job is undone when it returns.
bool TransactionState::end(Status status) noexcept {
  if (status_ != Status::open) return false;
  status_ = status;
  if (status == Status::expired) Counters::add(engine_->counters().expired);
  if (kind_ != TransactionKind::read) Counters::add(engine_->counters().rolled_back);
  if (kind_ == TransactionKind::job) return false;
  if (kind_ == TransactionKind::write && has_started_) engine_->writer().drop_member();
  return release();
}

bool TransactionState::note_failure(const SqlError& error) noexcept {
  engine_->note(error);
  if (kind_ == TransactionKind::read)
    return reading_ && !reading_->is_open() ? end(Status::undone) : false;
  if (!engine_->writer().is_group_lost()) return false;
  return end(Status::lost);
}

Outcome TransactionState::run(Call& call, std::string_view sql, Cells cells,
                              const RunOptions& how) {
  call.check();
  try {
    return session().run(sql, cells, deadline_, how);
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
}

ExecResult TransactionState::exec(std::string_view sql, Cells cells) {
  Call call(*this);
  const Outcome outcome = run(call, sql, cells);
  ExecResult result;
  // A SELECT has a number of rows too.
  if (std::strncmp(PQcmdStatus(outcome.result.get()), "SELECT", 6) != 0) {
    const std::string_view rows = PQcmdTuples(outcome.result.get());
    std::from_chars(rows.data(), rows.data() + rows.size(), result.changes);
  }
  return result;
}

void TransactionState::exec_as_host(std::string_view sql, Cells cells) {
  Call call(*this);
  run(call, sql, cells, {.is_own = true, .role = engine_->owner()});
}

Rows TransactionState::query(std::string_view sql, Cells cells) {
  Call call(*this);
  return ResultRows::lend(run(call, sql, cells));
}

Cursor TransactionState::open(std::string_view sql, Cells cells, const BatchLimits& limits,
                              bool owns_transaction) {
  Call call(*this);
  const std::string name = "c" + std::to_string(++cursors_);
  const std::string prefix = "DECLARE " + name + " NO SCROLL CURSOR FOR ";
  run(call, sql, cells, {.prefix = prefix});
  const std::string fetch = "FETCH " + std::to_string(first_fetch) + " FROM " + name;
  Outcome first = run(call, fetch, {}, {.is_own = true});
  return Cursor(std::make_unique<ResultCursor>(shared_from_this(), name, std::move(first.result),
                                               limits, owns_transaction));
}

Cursor TransactionState::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) {
  return open(sql, cells, limits, false);
}

void TransactionState::require_open() {
  Call call(*this);
  call.check();
}

Result TransactionState::fetch(const std::string& cursor, std::size_t rows) {
  Call call(*this);
  return std::move(
      run(call, "FETCH " + std::to_string(rows) + " FROM " + cursor, {}, {.is_own = true}).result);
}

void TransactionState::close_cursor(const std::string& cursor, bool owns_transaction) noexcept {
  Call call(*this);
  if (status_ != Status::open) return;
  if (owns_transaction) {
    call.end(Status::committed);
    return;
  }
  try {
    run(call, "CLOSE " + cursor, {}, {.is_own = true});
  } catch (const base::Error&) {  // it ends with the transaction
  }
}

// Turn: true when `member` will be settled with its group; false for a transaction that only read.
bool TransactionState::prepare_commit(Member* member) {
  if (kind_ == TransactionKind::job) throw over_error();
  if (kind_ == TransactionKind::read) return false;
  engine_->writer().keep_member(member);
  status_ = Status::committed;
  release();
  return true;
}

void TransactionState::commit() {
  Member member;
  {
    Call call(*this);
    call.check();
    try {
      if (!prepare_commit(&member)) {
        call.end(Status::committed);
        return;
      }
      call.give_turn();
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
  struct Unattended final : Member {
    std::function<void(std::exception_ptr)> done;
  };
  Call call(*this);
  call.check();
  auto member = std::make_unique<Unattended>();
  member->done = std::move(done);
  member->owner = member.get();
  member->settled = [](void* owner) noexcept {
    const std::unique_ptr<Unattended> owned(static_cast<Unattended*>(owner));
    owned->done(owned->error);
  };
  try {
    if (!prepare_commit(member.get())) {
      call.end(Status::committed);
      call.leave(nullptr);
      member->done(nullptr);
      return;
    }
    engine_->writer().note_unattended();
    call.give_turn();
  } catch (const SqlError&) {
    call.end(Status::undone);
    call.leave(nullptr);
    member->done(std::current_exception());
    return;
  }
  static_cast<void>(member.release());
}

void TransactionState::rollback() noexcept {
  Call call(*this);
  if (has_started_) call.end(Status::undone);
}

std::exception_ptr TransactionState::finish_job(Member* member, std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  const bool was_open = status_ == Status::open;
  if (!error && was_open) {
    try {
      engine_->writer().keep_member(member);
      status_ = Status::committed;
    } catch (...) {
      error = std::current_exception();
      status_ = Status::undone;
      Counters::add(engine_->counters().rolled_back);
    }
  } else {
    engine_->writer().drop_member();
    if (was_open) Counters::add(engine_->counters().rolled_back);
    if (!error) {
      error = status_ == Status::expired ? std::make_exception_ptr(expired_error())
              : status_ == Status::lost  ? std::make_exception_ptr(group_rolled_back_error())
                                         : std::make_exception_ptr(over_error());
    }
    if (was_open) status_ = Status::undone;
  }
  has_started_ = false;
  return error;
}

void TransactionState::expire_if_due(std::int64_t now) noexcept {
  Call call(*this, std::try_to_lock);
  if (call.has_lock() && status_ == Status::open && now > deadline_) call.end(Status::expired);
}

void TransactionState::close() noexcept {
  Call call(*this);
  if (status_ == Status::open) call.end(Status::closed);
}

}  // namespace tenon::data::postgresql
