#include "data/sqlite/transaction_state.hpp"

#include <cstdio>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/sql.hpp"
#include "data/sqlite/sqlite_error.hpp"
#include "data/sqlite/statement_cursor.hpp"
#include "data/writer.hpp"
#include "observability/trace.hpp"

namespace tenon::data::sqlite {

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
    started = base::monotonic_nanoseconds();
    if (started > state_.deadline_) {
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

  std::int64_t started = 0;

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

void TransactionState::start(Connection* connection, bool is_watched) {
  connection_ = connection;
  connection_->set_deadline(deadline_);
  if (kind_ == TransactionKind::job) pins_ = 1;
  if (is_watched) engine_->add(*this);
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

void TransactionState::close_cursors() noexcept {
  while (cursors_) {
    StatementCursor* cursor = cursors_;
    cursors_ = cursor->later;
    cursor->later = cursor->earlier = nullptr;
    cursor->lease.reset();
  }
}

// Gives the connection back; true when the turn to write is to be passed on.
bool TransactionState::release() noexcept {
  close_cursors();
  Connection* connection = std::exchange(connection_, nullptr);
  if (!connection) return false;
  connection->set_deadline(0);
  switch (kind_) {
    case TransactionKind::single:
      break;
    case TransactionKind::read:
      if (!connection->is_autocommit()) connection->control(Control::rollback);
      break;
    case TransactionKind::write:
      engine_->remove(*this);
      return true;
    case TransactionKind::job:
      return false;
  }
  engine_->remove(*this);
  engine_->readers().give(connection);
  return false;
}

// Ends the transaction undone, now or when the last rows of it are gone.
bool TransactionState::end(Status status) noexcept {
  if (status_ == Status::open) {
    status_ = status;
    if (status == Status::expired) Counters::add(engine_->counters().expired);
    if (kind_ == TransactionKind::write || kind_ == TransactionKind::job) {
      Counters::add(engine_->counters().rolled_back);
    }
    is_ending_ = true;
  }
  if (!is_ending_ || pins_ != 0) return false;
  is_ending_ = false;
  close_cursors();
  if (kind_ == TransactionKind::write && connection_) engine_->writer().drop_member();
  return release();
}

bool TransactionState::note_failure(const SqlError& error) noexcept {
  engine_->note(error);
  const bool writes = kind_ == TransactionKind::write || kind_ == TransactionKind::job;
  if (!writes || !engine_->writer().is_group_lost()) return false;
  return end(Status::lost);
}

ExecResult TransactionState::exec(std::string_view sql, Cells cells) {
  Call call(*this);
  call.check();
  try {
    StatementLease lease(*connection_, sql);
    lease.bind(cells, false);
    sqlite3* db = connection_->handle();
    const auto before = sqlite3_total_changes64(db);
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW)
      code = sqlite3_step(lease.get());
    const std::int64_t ended = base::monotonic_nanoseconds();
    if (code != SQLITE_DONE) {
      auto error = sqlite_error(db, code);
      connection_->note_statement(lease.get(), call.started, ended, true);
      throw error;
    }
    connection_->times().record(ended - call.started);
    connection_->note_statement(lease.get(), call.started, ended);
    ExecResult result;
    // The counter of a statement that changed nothing is the one before it.
    if (sqlite3_total_changes64(db) != before) result.changes = sqlite3_changes64(db);
    result.last_row_id = sqlite3_last_insert_rowid(db);
    return result;
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
}

void TransactionState::exec_as_host(std::string_view sql, Cells cells) {
  Call call(*this);
  call.check();
  try {
    // Not through the cache: the same text from a plugin must not find a statement prepared so.
    const AccessScope scope(*connection_, Access::internal);
    Sql::run(*connection_, sql, cells);
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
}

Rows TransactionState::query(std::string_view sql, Cells cells) {
  Call call(*this);
  call.check();
  try {
    StatementLease lease(*connection_, sql);
    lease.bind(cells, true);
    ++pins_;
    return StatementRows::lend(StatementRows(shared_from_this(), std::move(lease), call.started));
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
}

bool TransactionState::step(StatementRows& rows) {
  Call call(*this);
  call.check();
  try {
    return rows.advance();
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
}

void TransactionState::finish_rows(StatementRows& rows) noexcept {
  Call call(*this);
  rows.lease_.reset();
  --pins_;
  if (is_ending_) call.end(status_);
}

Cursor TransactionState::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) {
  Call call(*this);
  call.check();
  try {
    StatementLease lease(*connection_, sql);
    lease.bind(cells, true);
    auto impl = std::make_unique<StatementCursor>(shared_from_this(), std::move(lease), limits);
    impl->owns_transaction = kind_ == TransactionKind::single;
    impl->later = cursors_;
    if (cursors_) cursors_->earlier = impl.get();
    cursors_ = impl.get();
    return Cursor(std::move(impl));
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
}

void TransactionState::fill(StatementCursor& cursor) {
  Call call(*this);
  call.check();
  if (!cursor.lease) throw over_error();
  try {
    const int code = cursor.fill();
    const std::int64_t ended = base::monotonic_nanoseconds();
    const bool has_failed = code != SQLITE_ROW && code != SQLITE_DONE;
    if (has_failed) {
      auto error = sqlite_error(connection_->handle(), code);
      connection_->note_statement(cursor.lease.get(), call.started, ended, true);
      throw error;
    }
    connection_->times().record(ended - call.started);
    connection_->note_statement(cursor.lease.get(), call.started, ended);
  } catch (const SqlError& error) {
    call.fail(error);
    throw;
  }
  if (!cursor.is_done) return;
  if (cursor.owns_transaction) {
    call.end(Status::committed);
  } else {
    call.leave(nullptr);
    close_cursor(cursor);
  }
}

void TransactionState::close_cursor(StatementCursor& cursor) noexcept {
  Call call(*this);
  if (!cursor.lease) return;
  (cursor.earlier ? cursor.earlier->later : cursors_) = cursor.later;
  if (cursor.later) cursor.later->earlier = cursor.earlier;
  cursor.later = cursor.earlier = nullptr;
  cursor.lease.reset();
  cursor.is_done = true;
  if (cursor.owns_transaction) call.end(Status::committed);
}

// Turn: true when `member` will be settled with its group; false for a transaction that only read.
bool TransactionState::prepare_commit(Member* member) {
  if (kind_ == TransactionKind::job) throw over_error();
  if (pins_ != 0) {
    throw base::Error(500, "data.rows_open",
                      "The transaction cannot be committed while rows of it are read.");
  }
  if (kind_ != TransactionKind::write) return false;
  close_cursors();
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
  if (member.error) {
    {
      const std::lock_guard lock(mutex_);
      status_ = Status::lost;
    }
    std::rethrow_exception(member.error);
  }
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
  if (connection_ && kind_ != TransactionKind::job) call.end(Status::undone);
  if (kind_ == TransactionKind::job && status_ == Status::open) call.end(Status::undone);
}

std::exception_ptr TransactionState::finish_job(Member* member, std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  if (pins_ != 1) {
    std::fputs("tenon: rows of a write job outlived the job\n", stderr);
    std::terminate();
  }
  pins_ = 0;
  close_cursors();
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
  is_ending_ = false;
  release();
  return error;
}

void TransactionState::expire_if_due(std::int64_t now) noexcept {
  Call call(*this, std::try_to_lock);
  if (call.has_lock() && status_ == Status::open && now > deadline_ && pins_ == 0)
    call.end(Status::expired);
}

void TransactionState::close() noexcept {
  Call call(*this);
  if (status_ == Status::open) call.end(Status::closed);
}

}  // namespace tenon::data::sqlite
