#include "bridge/db/function_migrations.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"
#include "bridge/tables/host_made_tables.hpp"
#include "data/database.hpp"
#include "packages/reason.hpp"
#include "records/query/dialect.hpp"

namespace tenon::plugins {

namespace {

bool is_migration_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

std::string label(std::uint32_t number, const std::string& name) {
  return std::to_string(number) + " (" + name + ")";
}

Refusal failed(std::uint32_t number, const std::string& name, const std::string& what) {
  return Refusal({"plugins.migration_failed",
                  "The migration " + label(number, name) + " failed: " + what +
                      " Completed batches are kept; enabling the plugin continues from there.",
                  {},
                  {}});
}

std::string migration_message(const tenon_error& error) {
  const std::string_view text(error.message, strnlen(error.message, sizeof(error.message)));
  if (!base::is_valid_utf8(text)) return "(its message is not valid UTF-8)";
  std::string said(text.empty() ? "it did not say why." : text);
  if (!said.ends_with('.')) said += '.';
  return said;
}

}  // namespace

tenon_code FunctionMigrations::add(std::uint32_t number, tenon_span name,
                                   const tenon_db_migration& migration, tenon_error* error) {
  if (bridge_.phase() != Phase::created || !bridge_.is_setting_up())
    return fail_state(error, "Migrations are added inside create, on its thread.");
  if (number == 0 || number > max_number)
    return fail_argument(error, "The number of a migration is 1 to 9,999.");
  if (!is_sound(name) || !is_migration_name(view(name)))
    return fail_argument(error, "The name of a migration is 1 to 64 of a-z, 0-9 and _.");
  if (!migration.fn) return fail_argument(error, "The migration has no function.");
  if (migrations_.contains(number))
    return fail_argument(error, "There is a migration " + std::to_string(number) + " already.");
  if (migrations_.size() == max_migrations) {
    return fail(error, TENON_E_TOO_LARGE, 500, "plugins.too_many_migrations",
                "A plugin has at most 100 migrations that are functions.");
  }
  migrations_.emplace(number, Added{std::string(view(name)), migration});
  return TENON_OK;
}

data::Dialect FunctionMigrations::engine() const {
  return bridge_.database().get()->dialect();
}

std::map<std::uint32_t, FunctionMigrations::Position> FunctionMigrations::positions(
    data::Transaction& transaction) {
  std::map<std::uint32_t, Position> found;
  if (!transaction.query(records::dialect::find_table(engine()), {positions_table}).next())
    return found;
  data::Rows rows = transaction.query(
      "SELECT number, bookmark, done, total, is_over FROM tenon_function_migrations");
  while (rows.next())
    found.emplace(static_cast<std::uint32_t>(rows.integer(0)),
                  Position{std::string(rows.text(1)), rows.integer(2), rows.integer(3),
                           rows.integer(4) != 0});
  return found;
}

void FunctionMigrations::keep(data::Transaction& transaction, std::uint32_t number,
                              const std::string& name, const Position& position) {
  if (!transaction.query(records::dialect::find_table(engine()), {positions_table}).next())
    transaction.exec_as_host(records::dialect::host_table(engine(), make_positions_table));
  transaction.exec_as_host(
      "INSERT INTO tenon_function_migrations (number, name, bookmark, done, total, is_over) VALUES "
      "(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (number) DO UPDATE SET name = ?2, bookmark = ?3, done "
      "= ?4, total = ?5, is_over = ?6",
      {number, name, position.checkpoint, position.done, position.total,
       position.is_finished ? 1 : 0});
}

bool FunctionMigrations::is_expanding(std::uint32_t number) const {
  const auto& expanding = bridge_.manifest().expanding_migrations;
  return std::find(expanding.begin(), expanding.end(), number) != expanding.end();
}

void FunctionMigrations::require_declared(const std::string& file) const {
  for (const std::uint32_t number : bridge_.manifest().expanding_migrations) {
    if (migrations_.contains(number)) continue;
    throw Refusal({"plugins.migration_unknown",
                   "It has the phase of the migration " + std::to_string(number) +
                       ", which the plugin does not add in create.",
                   file, "migrations"});
  }
}

std::uint32_t FunctionMigrations::newest_needed(data::Transaction& transaction,
                                                const std::map<std::uint32_t, Position>& known) {
  std::set<std::uint32_t> expanding;
  if (transaction.query(records::dialect::find_table(engine()), {phases_table}).next()) {
    data::Rows rows = transaction.query("SELECT number FROM tenon_function_phases");
    while (rows.next())
      expanding.insert(static_cast<std::uint32_t>(rows.integer(0)));
  }
  std::uint32_t newest = 0;
  for (const auto& [number, position] : known) {
    if (!expanding.contains(number)) newest = number;
  }
  return newest;
}

FunctionMigrations::Pending FunctionMigrations::pending() {
  if (migrations_.empty()) return Pending::none;
  data::Transaction transaction = bridge_.database().get()->begin(data::Mode::read);
  const auto known = positions(transaction);
  if (!known.empty() && known.rbegin()->first > migrations_.rbegin()->first) {
    const std::uint32_t newest = newest_needed(transaction, known);
    if (newest > migrations_.rbegin()->first) {
      throw base::Error(409, "data.newer",
                        "The data has been through the migration " + std::to_string(newest) +
                            ", which this version of the plugin does not know. Install the newer "
                            "version again.");
    }
  }
  Pending found = Pending::none;
  for (const auto& [number, added] : migrations_) {
    const auto position = known.find(number);
    if (position != known.end() && position->second.is_finished) continue;
    if (!is_expanding(number)) return Pending::some;
    found = Pending::expanding;
  }
  return found;
}

// For versions that do not know it.
void FunctionMigrations::note_phase(data::Transaction& transaction, std::uint32_t number) {
  if (!transaction.query(records::dialect::find_table(engine()), {phases_table}).next())
    transaction.exec_as_host(records::dialect::host_table(engine(), make_phases_table));
  transaction.exec_as_host(
      "INSERT INTO tenon_function_phases (number, phase) VALUES (?1, 'expand') ON CONFLICT "
      "(number) DO NOTHING",
      {number});
}

std::optional<MigrationProgress> FunctionMigrations::run_batch() {
  data::Transaction transaction =
      bridge_.database().get()->begin(data::Mode::write, batch_deadline);
  const auto known = positions(transaction);
  for (const auto& [number, added] : migrations_) {
    const auto found = known.find(number);
    if (found != known.end() && found->second.is_finished) continue;
    const Position position =
        run(number, added, found == known.end() ? Position{} : found->second, transaction);
    keep(transaction, number, added.name, position);
    if (found == known.end() && is_expanding(number)) note_phase(transaction, number);
    transaction.commit();
    return MigrationProgress{number, added.name, position.done, position.total,
                             position.is_finished};
  }
  return std::nullopt;
}

FunctionMigrations::Position FunctionMigrations::run(std::uint32_t number, const Added& added,
                                                     const Position& before,
                                                     data::Transaction& transaction) {
  tenon_error error{};
  error.size = sizeof(error);
  tenon_db_migration_progress raw{};
  raw.size = sizeof(raw);
  raw.done = before.done;
  raw.total = before.total;
  struct Batch {
    const Added& added;
    tenon_db_migration_batch batch;
    tenon_db_migration_progress& position;
    tenon_error& error;
  };
  Batch work{added,
             {sizeof(tenon_db_migration_batch), number, 0, before.done, before.total,
              span(before.checkpoint)},
             raw,
             error};
  const DbInterface::BorrowOutcome outcome = bridge_.db().run_borrowed(
      transaction, {}, DbInterface::BorrowPurpose::migration,
      [](void* context, tenon_handle handle) -> tenon_code {
        Batch& mine = *static_cast<Batch*>(context);
        mine.batch.transaction = handle;
        return enter(mine.added.migration.fn, tenon_code{TENON_E_INTERNAL},
                     mine.added.migration.ctx, &mine.batch, &mine.position, &mine.error);
      },
      &work);
  const tenon_code code = outcome.code;
  if (code < 0) throw failed(number, added.name, migration_message(error));
  if (outcome.is_rolled_back) throw failed(number, added.name, "it undid its batch itself.");
  if (outcome.failure) std::rethrow_exception(outcome.failure);
  if (outcome.is_finished)
    throw base::Error(503, "data.closed", "The database of this plugin is closed.");
  if (code != TENON_OK && code != TENON_DONE)
    throw failed(number, added.name, "it returned " + std::to_string(code) + ".");
  const std::string_view checkpoint(
      raw.checkpoint, std::min<std::size_t>(raw.checkpoint_size, sizeof(raw.checkpoint)));
  if (raw.checkpoint_size > sizeof(raw.checkpoint) || !base::is_valid_utf8(checkpoint))
    throw failed(number, added.name, "its checkpoint is longer than 1,024 bytes or is not UTF-8.");
  return {std::string(checkpoint), raw.done, raw.total, code == TENON_DONE};
}

void FunctionMigrations::drop_all() noexcept {
  const Frame frame(bridge_.name(), Operation::stop, {}, true);
  for (auto& [number, added] : migrations_)
    drop(added.migration);
  migrations_.clear();
}

}  // namespace tenon::plugins
