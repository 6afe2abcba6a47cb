#include <utility>

#include "base/clock.hpp"
#include "data/errors.hpp"
#include "data/migration_history.hpp"
#include "data/postgresql/engine.hpp"
#include "data/postgresql/result_rows.hpp"
#include "data/postgresql/room_migration.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr RunOptions own{.prefix = {}, .is_own = true};

std::vector<AppliedMigration> applied_by(Session& session, std::string_view owner,
                                         std::int64_t deadline) {
  std::vector<AppliedMigration> applied;
  Rows exists = ResultRows::lend(
      session.run("SELECT to_regclass('tenon_migrations') IS NOT NULL", {}, deadline, own));
  if (!exists.next() || !exists.boolean(0)) return applied;
  Rows rows = ResultRows::lend(session.run(
      "SELECT number, name, checksum FROM tenon_migrations WHERE owner = ?1 ORDER BY number",
      {owner}, deadline, own));
  while (rows.next()) {
    applied.push_back(
        {static_cast<int>(rows.integer(0)), std::string(rows.text(1)), std::string(rows.text(2))});
  }
  return applied;
}

[[noreturn]] void fail(const std::string& name, const SqlError& error) {
  const bool is_ours = error.code() == "data.sql" || error.status() < 500;
  if (!is_ours) throw SqlError(error);
  throw SqlError(500, "data.migration_failed",
                 name + ": " + error.detail() + "; nothing was changed", 0, error.detail());
}

}  // namespace

void Engine::migrate_room(std::string_view room, std::span<const Migration> migrations) {
  writer().acquire(
      base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.longest_transaction), true);
  const std::int64_t deadline =
      base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.migration);
  try {
    // With BEGIN comes the lock of the schema, so that no other host migrates meanwhile.
    if (auto error = control(Control::begin_write)) throw SqlError(std::move(*error));
    const auto pending = pending_migrations(applied_by(*session_, room, deadline), migrations);
    if (!pending.empty()) {
      session_->run(
          "CREATE TABLE IF NOT EXISTS tenon_migrations (owner TEXT COLLATE \"C\" NOT NULL, number "
          "BIGINT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL, "
          "PRIMARY KEY (owner, number))",
          {}, deadline, own);
    }
    for (const auto& one : pending) {
      if (auto error = session_->now(room_migration(one.migration->sql), deadline))
        fail(one.migration->name, *error);
      session_->run(
          "INSERT INTO tenon_migrations (owner, number, name, checksum, applied) VALUES (?1, ?2, "
          "?3, ?4, ?5)",
          {room, one.migration->number, one.migration->name, one.checksum,
           base::rfc3339(base::unix_milliseconds())},
          deadline, own);
    }
    if (auto error = control(Control::commit)) throw SqlError(std::move(*error));
    writer().pass_turn(nullptr);
  } catch (...) {
    if (session_) control(Control::rollback);
    writer().pass_turn(nullptr);
    throw;
  }
}

schema::Plan Engine::plan(const Declaration& declaration) {
  throw base::Error(500, "data.unsupported",
                    "The tables of '" + declaration.plugin +
                        "' cannot be made on PostgreSQL by this version of the server; give the "
                        "plugin a file of SQLite.");
}

schema::Plan Engine::apply(const Declaration& declaration) {
  return plan(declaration);
}

std::string Engine::applied_version() {
  return {};
}

}  // namespace tenon::data::postgresql
