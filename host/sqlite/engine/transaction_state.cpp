#include "sqlite/engine/transaction_state.hpp"

#include <cstdio>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/connection/statement_cursor.hpp"
#include "sqlite/engine/engine.hpp"

namespace tenon::data::sqlite {

TransactionState::TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind,
                                   std::int64_t deadline)
    : data::TransactionState(std::move(engine), kind, deadline) {}

TransactionState::~TransactionState() {
  rollback();
}

Engine& TransactionState::engine() const noexcept {
  return static_cast<Engine&>(*engine_);
}

std::shared_ptr<TransactionState> TransactionState::self() {
  return std::static_pointer_cast<TransactionState>(shared_from_this());
}

void TransactionState::start(Connection* connection) noexcept {
  connection_ = connection;
  connection_->set_deadline(deadline_);
}

void TransactionState::start_writing() noexcept {
  start(&engine().connection());
  if (kind_ == TransactionKind::job) pins_ = 1;
}

void TransactionState::close_cursors() noexcept {
  while (cursors_) {
    StatementCursor* cursor = cursors_;
    cursors_ = cursor->later;
    cursor->later = cursor->earlier = nullptr;
    cursor->lease.reset();
  }
}

// Gives the connection back. Returns whether the write lock must be released.
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
  engine().readers().give(connection);
  return false;
}

// Ends the transaction undone, now or when the last rows of it are gone.
bool TransactionState::end(Status status) noexcept {
  if (status_ == Status::open) {
    note_end(status);
    is_ending_ = true;
  }
  if (!is_ending_ || pins_ != 0) return false;
  is_ending_ = false;
  close_cursors();
  if (kind_ == TransactionKind::write && connection_) engine_->writer().drop_member();
  return release();
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
    return StatementRows::to_rows(StatementRows(self(), std::move(lease), call.started));
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
    auto impl = std::make_unique<StatementCursor>(self(), std::move(lease), limits);
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
  if (!cursor.lease) throw ended_error();
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

void TransactionState::before_commit() {
  if (pins_ != 0) {
    throw base::Error(500, "data.rows_open",
                      "The transaction cannot be committed while rows of it are read.");
  }
  close_cursors();
}

void TransactionState::rollback() noexcept {
  Call call(*this);
  if (connection_ && kind_ != TransactionKind::job) call.end(Status::undone);
  if (kind_ == TransactionKind::job && status_ == Status::open) call.end(Status::undone);
}

void TransactionState::before_job_ends() noexcept {
  if (pins_ != 1) {
    std::fputs("tenon: rows of a write job outlived the job\n", stderr);
    std::terminate();
  }
  pins_ = 0;
  is_ending_ = false;
  close_cursors();
}

}  // namespace tenon::data::sqlite
