#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/error_fwd.hpp"
#include "base/periodic_task.hpp"
#include "config/settings.hpp"
#include "data/database_options.hpp"

namespace tenon::data {
class SqlError;
namespace postgresql {
class HostLock;
struct Installation;
}  // namespace postgresql
}  // namespace tenon::data

namespace tenon::app {

/// Locks a database for this process, after checking that the server is suitable. Throws 409
/// data.in_use, 500 data.server_…, 503 data.connection_lost.
std::unique_ptr<data::postgresql::HostLock> lock_database(const std::string& url);

/// The host's database, the file tenon.db or a schema of PostgreSQL: how it is opened, and what
/// becomes of the process when its storage has a fault. Thread-safe; outlives the databases opened
/// with its options.
class HostStorage {
 public:
  /// Touches nothing yet.
  explicit HostStorage(const config::Settings& settings);
  /// unwatch()
  ~HostStorage();
  HostStorage(const HostStorage&) = delete;
  HostStorage& operator=(const HostStorage&) = delete;

  /// A full disk and failing reads or writes are logged; a damaged file, and a sync that failed,
  /// end the process with the exit code of a failure, so that its supervisor starts it again. On
  /// PostgreSQL: checks that the server is suitable, locks other hosts out as long as this lives,
  /// and makes the host's schema. Throws 409 data.in_use, 409 app.data_of_another_engine (data
  /// directory and database do not belong together), 409 app.copy_unfinished, 500 data.server_…,
  /// 503 data.connection_lost.
  data::DatabaseOptions options();
  /// Returns the reserve of the disk of the data directory; null on PostgreSQL, and before
  /// options().
  const std::shared_ptr<data::SpaceReserve>& reserve() const noexcept { return reserve_; }
  /// Returns options without fault handling, for a command that works on the data.
  data::DatabaseOptions options_alone();

  /// Looks after the connection to PostgreSQL from a thread of its own, every two seconds, until
  /// unwatch(): it detects the end of a fault, and when another host has taken the database
  /// meanwhile this process ends with the exit code of a failure. Nothing on SQLite.
  void watch(data::Database& database);
  void unwatch() noexcept;

  /// Returns the code of the present fault ("data.disk_full"); empty if there is none.
  std::string trouble() const;
  /// Returns true while the server of the database cannot be reached: nothing can be served.
  bool is_away() const noexcept;

  /// Explains an error of the database during the start, for the admin: which file or database,
  /// what is wrong, what to do.
  base::Error explain(const data::SqlError& error) const;

 private:
  bool is_file() const noexcept { return url_.empty(); }
  void bind_directory(const data::postgresql::Installation& installation);
  void look(data::Database& database);
  void handle_fault(data::Fault fault, std::string_view reason);

  const std::string data_;
  const std::string path_;  ///< of the file
  const std::string url_;   ///< of PostgreSQL; empty: SQLite
  const std::string name_;  ///< for people
  std::unique_ptr<data::postgresql::HostLock> claim_;
  std::shared_ptr<data::SpaceReserve> reserve_;
  std::atomic<data::Fault> now_{data::Fault::healed};
  std::atomic<bool> is_away_{false};

  std::unique_ptr<base::PeriodicTask> watcher_;
};

}  // namespace tenon::app
