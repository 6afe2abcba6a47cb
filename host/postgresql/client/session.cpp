#include "postgresql/client/session.hpp"

#include "base/clock.hpp"

namespace tenon::data::postgresql {

namespace {

// A step of the transaction itself is not cancelled with its statements.
constexpr std::int64_t control_time = 10'000'000'000;

}  // namespace

void Session::begin() {
  connection_.forget_deferred();
  for (const auto& sql : begin_)
    connection_.defer(sql);
  is_open_ = true;
  has_sent_ = false;
  is_fresh_ = true;
  mark_ = Mark::begin;
}

std::optional<SqlError> Session::now(const std::string& sql, std::int64_t deadline) noexcept {
  has_sent_ = true;
  return connection_.run_text(
      sql, deadline != 0 ? deadline : base::monotonic_nanoseconds() + control_time);
}

// Back to the mark; without success the transaction is lost.
void Session::recover() noexcept {
  if (connection_.is_broken()) return;
  std::optional<SqlError> error;
  connection_.forget_deferred();
  switch (mark_) {
    case Mark::begin:
      error = now("ROLLBACK");
      if (!error) begin();
      break;
    case Mark::member:
      error = now("ROLLBACK TO SAVEPOINT m");
      break;
    case Mark::statement:
      error = now("ROLLBACK TO SAVEPOINT s");
      break;
  }
  is_fresh_ = true;
  if (!error) return;
  is_open_ = false;
  now("ROLLBACK");
}

// The role ends with what is undone, and before whatever comes next.
Outcome Session::run_as(std::string_view sql, Cells cells, std::int64_t deadline,
                        const RunOptions& how) {
  const auto back = [&] { connection_.defer("RESET ROLE"); };
  connection_.defer("SET LOCAL ROLE \"" + std::string(how.role) + "\"");
  try {
    Outcome outcome = connection_.run(sql, cells, deadline, how);
    back();
    return outcome;
  } catch (...) {
    back();
    throw;
  }
}

Outcome Session::run(std::string_view sql, Cells cells, std::int64_t deadline,
                     const RunOptions& how) {
  for (bool is_first_try = true;; is_first_try = false) {
    if (!is_fresh_) {
      if (mark_ == Mark::statement) connection_.defer("RELEASE SAVEPOINT s");
      connection_.defer("SAVEPOINT s");
      mark_ = Mark::statement;
      is_fresh_ = true;
    }
    // A statement refused before it is sent leaves the mark to the next statement.
    Outcome outcome = how.role.empty() ? connection_.run(sql, cells, deadline, how)
                                       : run_as(sql, cells, deadline, how);
    has_sent_ = true;
    if (!outcome.error) {
      is_fresh_ = false;
      return outcome;
    }
    recover();
    if (outcome.is_worth_retrying && is_first_try && is_open()) continue;
    throw SqlError(std::move(*outcome.error));
  }
}

std::optional<SqlError> Session::control(Control what) noexcept {
  std::optional<SqlError> error;
  switch (what) {
    case Control::begin_read:
    case Control::begin_write:
      begin();
      break;
    case Control::savepoint:
      connection_.defer("SAVEPOINT m");
      is_fresh_ = true;
      mark_ = Mark::member;
      break;
    case Control::release:
      connection_.defer("RELEASE SAVEPOINT m");
      // The work of the member can only be undone with the whole group: the next statement needs a
      // mark of its own.
      is_fresh_ = false;
      mark_ = Mark::member;
      break;
    case Control::rollback_to:
      error = now("ROLLBACK TO SAVEPOINT m");
      is_fresh_ = true;
      mark_ = Mark::member;
      if (error) {
        is_open_ = false;
        now("ROLLBACK");
      }
      break;
    case Control::rollback:
      if (has_sent_) {
        connection_.forget_deferred();
        error = now("ROLLBACK");
      }
      connection_.forget_deferred();
      is_open_ = false;
      break;
    case Control::commit:
      is_open_ = false;
      if (!has_sent_) {
        connection_.forget_deferred();
        break;
      }
      error = now("COMMIT");
      break;
    case Control::count:
      break;
  }
  return error;
}

}  // namespace tenon::data::postgresql
