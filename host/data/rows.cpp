#include "data/rows.hpp"

#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "data/connection.hpp"
#include "data/engine.hpp"
#include "data/sqlite_error.hpp"
#include "data/transaction_state.hpp"

namespace tenon::data {

Rows::Rows(std::shared_ptr<TransactionState> state, StatementLease lease,
           std::int64_t started) noexcept
    : state_(std::move(state)),
      lease_(std::move(lease)),
      statement_(lease_.get()),
      started_(started) {}

Rows::Rows(std::shared_ptr<Engine> engine, StatementLease lease, std::int64_t started) noexcept
    : engine_(std::move(engine)),
      lease_(std::move(lease)),
      statement_(lease_.get()),
      started_(started) {}

Rows::Rows(Rows&& other) noexcept
    : state_(std::move(other.state_)),
      engine_(std::move(other.engine_)),
      lease_(std::move(other.lease_)),
      statement_(std::exchange(other.statement_, nullptr)),
      started_(other.started_),
      ended_(other.ended_) {}

Rows& Rows::operator=(Rows&& other) noexcept {
  if (this != &other) {
    finish();
    state_ = std::move(other.state_);
    engine_ = std::move(other.engine_);
    lease_ = std::move(other.lease_);
    statement_ = std::exchange(other.statement_, nullptr);
    started_ = other.started_;
    ended_ = other.ended_;
  }
  return *this;
}

Rows::~Rows() {
  finish();
}

void Rows::finish() noexcept {
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

bool Rows::next() {
  if (!statement_) return false;
  if (state_) {
    if (state_->step(*this)) return true;
  } else {
    try {
      if (advance()) return true;
    } catch (const SqlError& error) {
      lease_.connection().snapshot().spoil();
      engine_->note(error);
      throw;
    }
  }
  finish();
  return false;
}

bool Rows::advance() {
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

int Rows::columns() const noexcept {
  return statement_ ? sqlite3_column_count(statement_) : 0;
}

std::string_view Rows::name(int column) const noexcept {
  const char* name = sqlite3_column_name(statement_, column);
  return name ? name : "";
}

CellKind Rows::kind(int column) const noexcept {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return CellKind::integer;
    case SQLITE_FLOAT:
      return CellKind::number;
    case SQLITE_TEXT:
      return CellKind::text;
    case SQLITE_BLOB:
      return CellKind::blob;
    default:
      return CellKind::null;
  }
}

std::int64_t Rows::integer(int column) const noexcept {
  return sqlite3_column_int64(statement_, column);
}

double Rows::number(int column) const noexcept {
  return sqlite3_column_double(statement_, column);
}

std::string_view Rows::text(int column) const noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (!text) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Rows::blob(int column) const noexcept {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (!bytes) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Cell Rows::cell(int column) const noexcept {
  switch (kind(column)) {
    case CellKind::integer:
      return integer(column);
    case CellKind::number:
      return number(column);
    case CellKind::text:
      return text(column);
    case CellKind::blob:
      return Cell::blob(blob(column));
    case CellKind::null:
      break;
  }
  return {};
}

std::optional<std::string> Rows::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return std::string(text(column));
}

}  // namespace tenon::data
