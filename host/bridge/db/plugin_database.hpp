#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/db/schema_locator.hpp"
#include "data/dialect.hpp"

namespace tenon::base {
class Error;
}
namespace tenon::data {
class Database;
class SpaceReserve;
struct DatabaseOptions;
struct Declaration;
enum class CheckTime : std::uint8_t;
enum class Fault : std::uint8_t;
}  // namespace tenon::data
namespace tenon::records {
class Model;
}

namespace tenon::plugins {

class CleanShutdownRecord;
struct Manifest;

/// The result of migrating a plugin's database.
struct Migrated {
  std::shared_ptr<const records::Model> model;  ///< of what is declared
  std::vector<std::string> left;                ///< files of migrations that data::contract() runs
};

/// The database of one activation: `<data>/<id>.db` or a schema of PostgreSQL, opened when it is
/// first needed, for a plugin may have none. Thread-safe.
class PluginDatabase {
 public:
  /// Called for a fault of the file, by the thread that hit it.
  using OnFault = std::function<void(data::Fault, std::string_view reason)>;

  /// Called once it is open, by the thread that needed it; must not use this object.
  using OnOpen = std::function<void(const std::shared_ptr<data::Database>&)>;

  struct Where {
    std::string plugin;
    std::string data;                       ///< directory of files
    SchemaLocator location;                 ///< null: a file
    CleanShutdownRecord* closed = nullptr;  ///< read at startup, updated on close; null: none
    std::shared_ptr<data::SpaceReserve> reserve = nullptr;  ///< of the disk; null: none
  };

  /// `from`: the generation that this one replaces, which may have the database open; null: none.
  PluginDatabase(Where where, data::CheckTime check, OnFault on_fault, OnOpen on_open = {},
                 PluginDatabase* from = nullptr);
  ~PluginDatabase();
  PluginDatabase(const PluginDatabase&) = delete;
  PluginDatabase& operator=(const PluginDatabase&) = delete;

  /// Applies the tables and migrations of the plugin's folder to the file; does nothing if neither
  /// is declared. Migrations of the phase contract may stay pending, see data::apply. At startup, a
  /// file that was closed cleanly with all of that in it is opened on first use.
  /// Throws what the data room refuses with ("data.newer", "data.migration_refused",
  /// "data.tables_invalid", …), and a Refusal that names the file if the file itself is faulty.
  Migrated migrate(const Manifest& manifest, const std::string& folder);

  /// Opens the database on first use. Throws base::Error if it cannot be opened, 503 "data.closed"
  /// after close().
  std::shared_ptr<data::Database> get();

  /// Returns whether it is a file of SQLite, not a schema of PostgreSQL. Any thread, at any time.
  bool is_file() const noexcept { return !where_.location; }

  /// Returns whether the file, or the schema, exists.
  bool has_data() const;
  /// Pauses writes of this generation: finishes running writes and holds new ones. Does nothing if
  /// the database is not open. Throws 503 "data.busy" if a write does not finish within `timeout`.
  void pause_writes(std::chrono::milliseconds timeout);
  /// Fails waiting writes with this error, and all later ones.
  void reject_writes(const base::Error& error);
  /// See data::Database::leave_wal().
  void leave_wal() noexcept;

  /// Returns the number of write transactions acknowledged since the database was opened, by other
  /// generations too.
  std::uint64_t writes() const;

  /// Closes it after the calls that run in it. Another generation's stays open.
  void close() noexcept;

 private:
  data::Dialect engine() const noexcept;
  std::vector<std::string> apply_declaration(const data::Declaration& declaration,
                                             const std::string& folder);
  bool is_known(const data::Declaration& declaration);
  /// With the lock.
  void keep(std::shared_ptr<data::Database> database);

  // State that concurrent generations share.
  struct Shared {
    std::mutex mutex;
    std::weak_ptr<data::Database> newest;
  };
  data::DatabaseOptions options() const;
  /// Returns null if it is not open.
  std::shared_ptr<data::Database> opened() const;
  std::function<void(data::Fault, std::string_view, std::string_view)> fault_callback() const;

  const Where where_;
  const std::string name_;  ///< for people; of SQLite the file
  const data::CheckTime check_;
  const OnFault on_fault_;
  const OnOpen on_open_;
  const std::shared_ptr<Shared> shared_;
  mutable std::mutex mutex_;
  std::shared_ptr<data::Database> database_;
  bool is_closed_ = false;
};

/// Returns the names of the tables that a plugin's folder declares; none if it cannot be read.
std::vector<std::string> declared_tables(const std::string& folder);

}  // namespace tenon::plugins
