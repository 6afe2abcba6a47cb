#include "postgresql/engine/transaction_state.hpp"

#include <charconv>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "postgresql/client/result_cursor.hpp"
#include "postgresql/client/result_rows.hpp"
#include "postgresql/engine/engine.hpp"

namespace tenon::data::postgresql {

TransactionState::TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind,
                                   std::int64_t deadline)
    : data::TransactionState(std::move(engine), kind, deadline) {}

TransactionState::~TransactionState() {
  rollback();
}

Engine& TransactionState::engine() const noexcept {
  return static_cast<Engine&>(*engine_);
}

void TransactionState::start(std::unique_ptr<Connection> reader) {
  has_started_ = true;
  reader_ = std::move(reader);
  reading_.emplace(*reader_,
                   std::vector<std::string>{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
  reading_->begin();
}

Session& TransactionState::session() noexcept {
  return kind_ == TransactionKind::read ? *reading_ : engine().session();
}

// Gives the connection back; true if the write lock is to be released.
bool TransactionState::release() noexcept {
  if (!std::exchange(has_started_, false)) return false;
  if (kind_ == TransactionKind::job) return false;
  engine_->remove(*this);
  if (kind_ == TransactionKind::write) return true;
  if (kind_ == TransactionKind::read) {
    if (reading_->is_open()) reading_->control(Control::rollback);
    reading_.reset();
    engine().readers().give(std::move(reader_));
  }
  return false;
}

// Ends the transaction undone. A job is undone when it returns.
bool TransactionState::end(Status status) noexcept {
  if (status_ != Status::open) return false;
  note_end(status);
  if (kind_ == TransactionKind::job) return false;
  if (kind_ == TransactionKind::write && has_started_) engine_->writer().drop_member();
  return release();
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
  if (std::strncmp(libpq().cmdStatus(outcome.result.get()), "SELECT", 6) != 0) {
    const std::string_view rows = libpq().cmdTuples(outcome.result.get());
    std::from_chars(rows.data(), rows.data() + rows.size(), result.changes);
  }
  return result;
}

void TransactionState::exec_as_host(std::string_view sql, Cells cells) {
  Call call(*this);
  run(call, sql, cells, {.is_own = true, .role = engine().owner()});
}

Rows TransactionState::query(std::string_view sql, Cells cells) {
  Call call(*this);
  return ResultRows::to_rows(run(call, sql, cells));
}

Cursor TransactionState::open(std::string_view sql, Cells cells, const BatchLimits& limits,
                              bool owns_transaction) {
  Call call(*this);
  const std::string name = "c" + std::to_string(++cursors_);
  const std::string prefix = "DECLARE " + name + " NO SCROLL CURSOR FOR ";
  run(call, sql, cells, {.prefix = prefix});
  const std::string fetch = "FETCH " + std::to_string(first_fetch) + " FROM " + name;
  Outcome first = run(call, fetch, {}, {.is_own = true});
  return Cursor(
      std::make_unique<ResultCursor>(std::static_pointer_cast<TransactionState>(shared_from_this()),
                                     name, std::move(first.result), limits, owns_transaction));
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

void TransactionState::rollback() noexcept {
  Call call(*this);
  if (has_started_) call.end(Status::undone);
}

}  // namespace tenon::data::postgresql
