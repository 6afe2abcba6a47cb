#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugins/changes/package_plan.hpp"
#include "plugins/changes/plugin_data.hpp"
#include "plugins/lifecycle/plugin_store.hpp"
#include "plugins/lifecycle/registry.hpp"
#include "plugins/store/keyring.hpp"
#include "plugins/store/package_store.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

class Lifecycle;
struct Replacement;

/// What becomes of a plugin's data when it is removed.
enum class DataChoice : std::uint8_t { keep, purge };

/// What going back to the version before would do.
struct RollbackPlan {
  std::string id;
  std::string from;
  std::string to;
  std::int64_t left_ms = 0;   ///< when `to` was left: changes since are lost
  bool has_snapshot = false;  ///< false: its data stay as they are
};

/// Installs, upgrades, rolls back and removes plugins from packages: files, database and routes in
/// one. One change at a time; thread-safe; blocks.
///
/// What counts is one transaction in the host's database (see PackageStore). Data that a change may
/// touch is kept in a snapshot before, whose restoration is written down first, so that a crash at
/// any moment is mended by recover(): wholly the old, or wholly the new.
class Packages {
 public:
  struct Options {
    std::string data;                  ///< the data directory
    std::vector<std::string> folders;  ///< directories with plugins, in order of precedence
    PluginSchemas schemas;             ///< of an installation on PostgreSQL
    std::chrono::milliseconds kept{std::chrono::hours(24 * 30)};  ///< the version before
    /// Removes all that the plugin has in the host: blobs, jobs, settings. May be called again for
    /// what is gone already.
    std::function<void(const std::string& plugin)> purge;
  };

  /// `lifecycle` is null where no server runs: nothing is activated then. All outlive it; the
  /// tables must be there.
  Packages(data::Database& database, Lifecycle* lifecycle, Options options);
  Packages(const Packages&) = delete;
  Packages& operator=(const Packages&) = delete;

  /// Ends changes that an earlier process left, and removes what nothing needs. Before
  /// Lifecycle::start, which refuses the plugins whose change cannot be ended.
  void recover();

  /// Throws what reading the package is refused with.
  PackagePlan plan(const Archive& archive);

  /// Installs it, or puts it in the place of the version that is there; gives the plugin, as it
  /// lies there where no server runs. Throws as require_consent(), Contents, and
  /// Lifecycle::replace; nothing is changed then.
  PluginStatus install(const Archive& archive, const std::vector<std::string>& consents,
                       const std::string& actor);

  /// Throws 404 "plugins.unknown", 409 "plugins.no_previous_version".
  RollbackPlan plan_rollback(const std::string& id);
  /// Code and data of the version before, together. Throws as that, 409 "plugins.snapshot_missing"
  /// or "plugins.modified", and as Lifecycle::swap; nothing is changed then, but where what was
  /// decided could not be ended: the next start does.
  PluginStatus rollback(const std::string& id);

  /// Throws 404 "plugins.unknown", 409 "plugins.not_installed" for one that lies in a directory of
  /// plugins, 409 "plugins.required_by".
  void remove(const std::string& id, DataChoice choice);

  Keyring& keyring() noexcept { return keyring_; }

 private:
  Surroundings look_around(const std::string& id, const std::string& signer) const;
  PublicKey signer_of(const Archive& archive) const;
  PluginStatus replace_alone(const std::string& id, const Replacement& change);
  PluginStatus status_alone(const std::string& id) const;
  void tidy() noexcept;
  std::string keep_data(const std::string& id, data::Database* database);
  void restore(const std::string& id, const std::string& snapshot);
  void restore_data(const std::string& id, const std::string& snapshot);
  void end_purge(const std::string& id);
  void end_change(const OpenChange& change);
  /// Before another change of the plugin: what this or an earlier process left open. Throws 409
  /// "plugins.purge_open" where no server runs.
  void end_open_change(const std::string& id);
  void require_snapshot(const InstalledVersion& version) const;

  Lifecycle* const lifecycle_;
  const Options options_;
  const PluginData data_;
  PluginStore wanted_;
  PackageStore store_;
  Keyring keyring_;
  const PluginFolders folders_;
  std::mutex changing_;
};

}  // namespace tenon::plugins
