#include "sqlite/connection/statement_rows.hpp"

#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/engine/transaction_state.hpp"

namespace tenon::data::sqlite {

StatementRows::StatementRows(std::shared_ptr<TransactionState> state, StatementLease lease,
                             std::int64_t started) noexcept
    : state_(std::move(state)),
      lease_(std::move(lease)),
      statement_(lease_.get()),
      started_(started) {}

StatementRows::StatementRows(std::shared_ptr<Engine> engine, StatementLease lease,
                             std::int64_t started) noexcept
    : engine_(std::move(engine)),
      lease_(std::move(lease)),
      statement_(lease_.get()),
      started_(started) {}

StatementRows::StatementRows(StatementRows&& other) noexcept
    : state_(std::move(other.state_)),
      engine_(std::move(other.engine_)),
      lease_(std::move(other.lease_)),
      statement_(std::exchange(other.statement_, nullptr)),
      started_(other.started_),
      ended_(other.ended_) {}

RowsSource* StatementRows::move_to(void* storage) noexcept {
  return ::new (storage) StatementRows(std::move(*this));
}

data::Rows StatementRows::to_rows(StatementRows&& rows) noexcept {
  return data::Rows::in_place([&](void* storage, sqlite3_stmt*& statement) {
    statement = rows.statement_;
    return rows.move_to(storage);
  });
}

StatementRows::~StatementRows() {
  finish();
}

void StatementRows::finish() noexcept {
  // Left before its last row: what came after the first step was not measured.
  if (statement_ && started_ != 0 && ended_ != 0)
    lease_.connection().note_statement(statement_, started_, ended_);
  statement_ = nullptr;
  if (engine_) {
    Connection& connection = lease_.connection();
    lease_.reset();
    engine_->end_query(connection);
    engine_.reset();
  } else if (state_) {
    state_->finish_rows(*this);
    state_.reset();
  }
}

bool StatementRows::next() {
  if (!statement_) return false;
  if (state_) {
    if (state_->step(*this)) return true;
  } else {
    try {
      if (advance()) return true;
    } catch (const SqlError& error) {
      lease_.connection().snapshot().invalidate();
      engine_->note(error);
      throw;
    }
  }
  finish();
  return false;
}

bool StatementRows::advance() {
  const int code = sqlite3_step(statement_);
  Connection& connection = lease_.connection();
  if (ended_ == 0) {
    ended_ = base::monotonic_nanoseconds();
    connection.times().record(ended_ - started_);
  } else if (code != SQLITE_ROW) {
    ended_ = base::monotonic_nanoseconds();
  }
  if (code == SQLITE_ROW) return true;
  const bool has_failed = code != SQLITE_DONE;
  if (!has_failed) {
    connection.note_statement(statement_, started_, ended_);
    started_ = 0;
    return false;
  }
  auto error = sqlite_error(connection.handle(), code);
  connection.note_statement(statement_, started_, ended_, true);
  started_ = 0;
  throw error;
}

int StatementRows::columns() const noexcept {
  return statement_ ? sqlite3_column_count(statement_) : 0;
}

std::string_view StatementRows::name(int column) const noexcept {
  const char* name = sqlite3_column_name(statement_, column);
  return name ? name : "";
}

}  // namespace tenon::data::sqlite
