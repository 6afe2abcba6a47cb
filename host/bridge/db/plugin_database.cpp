#include "bridge/db/plugin_database.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bridge/db/clean_shutdown_record.hpp"
#include "bridge/declaration.hpp"
#include "bridge/storage_reason.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "data/sql_error.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

std::string read_declared_tables(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

PluginDatabase::PluginDatabase(Where where, data::CheckTime check, OnFault on_fault, OnOpen on_open,
                               PluginDatabase* from)
    : where_(std::move(where)),
      name_(data_name(where_.data, where_.plugin, static_cast<bool>(where_.location))),
      check_(check),
      on_fault_(std::move(on_fault)),
      on_open_(std::move(on_open)),
      shared_(from ? from->shared_ : std::make_shared<Shared>()) {}

PluginDatabase::~PluginDatabase() {
  close();
}

Migrated PluginDatabase::migrate(const Manifest& manifest, const std::string& folder) {
  try {
    const Declared declared = read_declared(manifest, folder, engine());
    return {declared.model, apply_declaration(declared.declaration, folder)};
  } catch (const data::SqlError& error) {
    // A storage error concerns this file, and the admin can fix it.
    if (auto reason = storage_reason(error.code(), error.detail(), name_))
      throw Refusal(*std::move(reason), error.status());
    throw;
  }
}

bool PluginDatabase::has_data() const {
  return where_.location ? where_.location(where_.plugin, false).has_value()
                         : std::filesystem::exists(name_);
}

data::Dialect PluginDatabase::engine() const noexcept {
  return where_.location ? data::Dialect::postgresql : data::Dialect::sqlite;
}

std::vector<std::string> PluginDatabase::apply_declaration(const data::Declaration& declaration,
                                                           const std::string& folder) {
  const std::string tables = folder + "/tables.json";
  const std::string migrations = folder + "/migrations";
  // A file that is there already may hold more than this version knows of, even when it declares
  // nothing.
  if (!std::filesystem::exists(tables) && !std::filesystem::exists(migrations) && !has_data())
    return {};
  if (is_known(declaration)) return {};
  return data::apply(*get(), declaration).pending_contract;
}

bool PluginDatabase::is_known(const data::Declaration& declaration) {
  // An admin who enables a plugin wants its file checked, perhaps because it was damaged.
  if (!where_.closed || where_.location || check_ != data::CheckTime::while_serving) return false;
  auto closed = where_.closed->find(where_.plugin, name_, declaration.digest);
  const std::lock_guard lock(mutex_);
  if (!closed || database_ || is_closed_) return false;
  const std::lock_guard shared(shared_->mutex);
  data::DatabaseOptions known = options();
  known.closed = std::move(closed);
  keep(std::make_shared<data::Database>(std::move(known)));
  return true;
}

void PluginDatabase::keep(std::shared_ptr<data::Database> database) {
  database_ = std::move(database);
  shared_->newest = database_;
  if (on_open_) on_open_(database_);
}

std::shared_ptr<data::Database> PluginDatabase::get() {
  const std::lock_guard lock(mutex_);
  if (is_closed_) throw base::Error(503, "data.closed", "The database of this plugin is closed.");
  if (!database_) {
    const std::lock_guard shared(shared_->mutex);
    const std::shared_ptr<data::Database> other = shared_->newest.lock();
    keep(other ? other->share(fault_callback()) : std::make_shared<data::Database>(options()));
  }
  return database_;
}

// By value: a call that a plugin's own thread makes may keep the database longer than this object.
std::function<void(data::Fault, std::string_view, std::string_view)>
PluginDatabase::fault_callback() const {
  return [report = on_fault_](data::Fault fault, std::string_view, std::string_view reason) {
    if (report) report(fault, reason);
  };
}

data::DatabaseOptions PluginDatabase::options() const {
  data::DatabaseOptions options;
  options.path = name_;
  if (where_.location) options.postgresql = where_.location(where_.plugin, true);
  options.confinement = data::Confinement::plugin();
  options.check_bytes = data::checked_file_bytes;
  options.check_time = check_;
  options.reserve = where_.reserve;
  options.on_fault = fault_callback();
  return options;
}

std::shared_ptr<data::Database> PluginDatabase::opened() const {
  const std::lock_guard lock(mutex_);
  return database_;
}

void PluginDatabase::pause_writes(std::chrono::milliseconds timeout) {
  const std::shared_ptr<data::Database> held = opened();
  if (!held || held->pause_writes(timeout)) return;
  throw base::Error(503, "data.busy",
                    "Writes of the plugin that are under way did not end within " +
                        std::to_string(timeout.count()) + " ms.");
}

void PluginDatabase::reject_writes(const base::Error& error) {
  if (const std::shared_ptr<data::Database> held = opened()) held->reject_writes(error);
}

void PluginDatabase::leave_wal() noexcept {
  if (const std::shared_ptr<data::Database> open = opened()) open->leave_wal();
}

std::uint64_t PluginDatabase::writes() const {
  const std::shared_ptr<data::Database> open = opened();
  return open ? open->statistics().writes : 0;
}

void PluginDatabase::close() noexcept {
  std::shared_ptr<data::Database> closing;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    closing = std::move(database_);
  }
  if (!closing) return;
  {
    const std::lock_guard shared(shared_->mutex);
    if (shared_->newest.lock() == closing) shared_->newest.reset();
  }
  closing->close();
  if (where_.closed) where_.closed->put(where_.plugin, closing->clean_close());
}

std::vector<std::string> declared_tables(const std::string& folder) {
  std::vector<std::string> names;
  const std::string file = folder + "/tables.json";
  try {
    if (!std::filesystem::exists(file)) return names;
    for (const data::schema::Table& table :
         data::schema::parse_tables(read_declared_tables(file), file).tables)
      names.push_back(table.name);
  } catch (const std::exception&) {
    names.clear();
  }
  return names;
}

}  // namespace tenon::plugins
