#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/snapshot/snapshot.hpp"
#include "installer/exports/export_folder.hpp"
#include "installer/package_plan.hpp"
#include "installer/plugin_data.hpp"
#include "installer/upgrade_watch.hpp"
#include "lifecycle/plugin_states.hpp"
#include "lifecycle/plugin_store.hpp"
#include "packages/installed/package_store.hpp"
#include "packages/installed/public_path_store.hpp"
#include "packages/keyring/keyring.hpp"
#include "registry/install_order.hpp"
#include "settings/store.hpp"

namespace tenon::blobs {
class Blobs;
}
namespace tenon::data {
class Database;
class SpaceReserve;
}  // namespace tenon::data
namespace tenon::observability {
class Audit;
}

namespace tenon::plugins {

class CheckedExport;
class Lifecycle;
class ReceivedExport;
struct Replacement;
struct NoWritesSince;

/// How the removal of a plugin treats its data.
enum class DataChoice : std::uint8_t {
  keep,
  export_and_purge,  ///< written into one file first, see ExportFolder
  purge
};

/// The reaction to a plugin that fails more often after an upgrade (see UpgradeWatch): nothing, a
/// warning to its admin, or a rollback if no acknowledged write would be lost, else a warning.
enum class OnFailingUpgrade : std::uint8_t { nothing, warn, rollback };

/// How a rollback treats the plugin's data.
enum class RollbackData : std::uint8_t {
  restore,  ///< as the version before left it
  keep      ///< as it is, if that version can use it
};

/// The effects of a rollback to the version before.
struct RollbackPlan {
  std::string id;
  std::string from;
  std::string to;
  std::int64_t remaining_ms = 0;  ///< when `to` was replaced: changes since are lost
  bool has_snapshot = false;      ///< false: its data stays as it is
  /// The code alone can be rolled back, and nothing is lost: both versions can use the data.
  bool may_keep_data = false;
  /// The changes that would be lost, by table; null if not known, or no data is restored.
  std::optional<std::vector<data::TableChanges>> changes = {};
};

/// Installs, upgrades, rolls back and removes plugins from packages: files, database and routes in
/// one. One change at a time; thread-safe; blocks.
///
/// One transaction in the host's database decides a change (see PackageStore). A snapshot is taken
/// of data that a change may modify, and its restoration is recorded first. So recover() repairs a
/// crash at any moment: the result is wholly the old state, or wholly the new one. Data restored
/// from an export is purged if the installation does not complete.
class PluginInstaller {
 public:
  /// Free space on the disk of the data directory that a change needs in addition to its copies.
  static constexpr std::uint64_t min_free_bytes = 1024 * 1024;

  struct Options {
    std::string data;                  ///< the data directory
    std::vector<std::string> folders;  ///< directories with plugins, in order of precedence
    PluginSchemas schemas;             ///< of an installation on PostgreSQL
    std::chrono::milliseconds kept{std::chrono::hours(24 * 30)};  ///< the version before
    /// Removes all that the plugin has in the host: blobs, jobs, settings. May be called again for
    /// what is gone already.
    std::function<void(const std::string& plugin)> purge;
    OnFailingUpgrade on_failing_upgrade = OnFailingUpgrade::nothing;
    UpgradeWatch::Count count = {};         ///< null: upgrades are not watched
    observability::Audit* audit = nullptr;  ///< of automatic rollbacks; may be null
    blobs::Blobs* blobs = nullptr;          ///< outlives it; needed to export or restore data
    /// The reserve of the disk of `data`; a removal releases it when the disk is full. Null: none.
    std::shared_ptr<data::SpaceReserve> reserve = nullptr;
  };

  /// `lifecycle` is null if no server runs: then nothing is activated. All outlive it; the tables
  /// must exist.
  PluginInstaller(data::Database& database, Lifecycle* lifecycle, Options options);
  PluginInstaller(const PluginInstaller&) = delete;
  PluginInstaller& operator=(const PluginInstaller&) = delete;

  /// Ends changes that an earlier process left open, and removes unused files. Called before
  /// Lifecycle::start, which refuses the plugins whose change cannot be ended.
  void recover();

  /// Stops watching upgrades. Waits; called before the lifecycle ends.
  void stop() { watch_.stop(); }

  /// Returns the present plugins, by id; without folders that have no valid plugin.
  std::vector<InstalledPlugin> present() const;

  /// Plans the installation of a package. Throws the refusal of the package.
  PackagePlan plan(const Archive& archive);

  /// Installs the package, or replaces the present version with it. Returns the status of the
  /// plugin; if no server runs, its status on disk. Throws as require_consent(), Contents, and
  /// Lifecycle::replace; then nothing is changed.
  PluginStatus install(const Archive& archive, const std::vector<std::string>& consents,
                       const std::string& actor);
  /// Installs the package as install() does, with the data of the export `file`; nothing of the
  /// plugin may be here. Settings, files and records are restored as they were, and migrated to
  /// what the package declares. Throws also as CheckedExport, copy_file_to_schema(), 409
  /// "plugins.export_plugin_mismatch", 409 "plugins.data_exists", 409 "data.migration_refused" or
  /// "data.newer" if the version cannot take the data.
  PluginStatus install_with(const Archive& archive, const std::vector<std::string>& consents,
                            const std::string& actor, const std::string& file);

  /// Plans a rollback. Counts changes for up to data::diff_timeout. Throws 404 "plugins.unknown",
  /// 409 "plugins.no_previous_version" or "plugins.snapshot_missing".
  RollbackPlan plan_rollback(const std::string& id);
  /// Rolls back to the version before: code and data together, or its code with the present data.
  /// Throws as plan_rollback(), 409 "plugins.snapshot_missing" or "plugins.files_modified", 409
  /// "plugins.data_not_shared" if that version cannot use the present data, and as Lifecycle::swap.
  /// Then nothing is changed, unless the rollback was already decided and could not be completed:
  /// the next start completes it.
  PluginStatus rollback(const std::string& id, RollbackData data = RollbackData::restore);

  /// Removes a plugin. Returns the name of the export, or nothing. Throws 404 "plugins.unknown",
  /// 409 "plugins.not_installed" for one in a directory of plugins, 409 "plugins.required_by". If
  /// the export cannot be written the plugin stays as it was: throws as write_export(), on
  /// PostgreSQL as copy_schema_to_file(), and 409 "plugins.export_version" if no installed version
  /// is that of the data.
  std::string remove(const std::string& id, DataChoice choice);

  /// Deletes the data, jobs and files of a plugin of a directory, for its developer, and starts it
  /// again if it is enabled. Throws 404 "plugins.unknown", 409 "plugins.installed_from_package",
  /// 409 "plugins.no_server", and as Lifecycle::swap.
  PluginStatus reset_data(const std::string& id);

  Keyring& keyring() noexcept { return keyring_; }
  const ExportFolder& exports() const noexcept { return exports_; }
  /// Begins the upload of an export. Throws as ReceivedExport.
  std::unique_ptr<ReceivedExport> receive_export(std::uint64_t bytes);
  /// Removes an export. Throws as ExportFolder::remove(), and 409 "plugins.purge_pending" while the
  /// removal of its plugin is not complete.
  void remove_export(const std::string& name);

 private:
  PluginStatus roll_back(const std::string& id, RollbackData data, const NoWritesSince* only);
  /// Returns whether that version, too, can use the data.
  bool serve(const InstalledVersion& version) const;
  void require_serves(const InstalledVersion& version) const;
  data::schema::Plan plan_of(const Manifest& manifest, const std::string& folder) const;
  /// Called by the thread of the watch.
  void on_upgrade_failing(const WatchedUpgrade& upgrade, const ResponseCounts& since) noexcept;
  void auto_rollback(const WatchedUpgrade& upgrade, const ResponseCounts& since);
  void report_failing(const WatchedUpgrade& upgrade, const ResponseCounts& since,
                      const std::string& kept);

  InstallContext read_install_context(const std::string& id, const std::string& signer) const;
  PublicKey signer_of(const Archive& archive) const;
  void refresh_public_paths() noexcept;
  PluginStatus replace_alone(const Manifest& manifest, const Replacement& change);
  PluginStatus status_alone(const std::string& id) const;
  void tidy() noexcept;
  std::string keep_data(const std::string& id, data::Database* database,
                        data::OnlineSnapshot* begun, const std::string& begun_name);
  void restore(const std::string& id, const std::string& snapshot);
  void end_restore(const std::string& id, const std::string& snapshot);
  void restore_data(const std::string& id, const std::string& snapshot);
  void end_purge(const std::string& id, const std::string& exported);
  void end_change(const PendingOperation& change);
  PluginStatus install_now(const Archive& archive, const std::vector<std::string>& consents,
                           const std::string& actor, const std::string& file);
  data::Declaration declaration_of_data(const std::string& id) const;
  bool keep_for_export(const std::string& id, const std::string& path) const;
  /// Writes a complete export, which is valid once the removal is decided. Returns its name.
  std::string export_data(const std::string& id, const std::string& version);
  void require_no_data(const std::string& id) const;
  /// Throws if the version in `folder` cannot take the data.
  void require_takes(const CheckedExport& data, const Manifest& manifest,
                     const std::string& folder) const;
  void restore_export(const CheckedExport& data, const Manifest& manifest,
                      const std::string& folder);
  void discard_restored_export(const std::string& id) noexcept;
  /// Ends the open change of the plugin, of this or an earlier process, before another one. Throws
  /// 409 "plugins.purge_pending" if no server runs.
  void resume_pending(const std::string& id);
  void require_snapshot(const InstalledVersion& version) const;
  InstalledVersion require_previous(const std::string& id) const;
  std::optional<std::vector<data::TableChanges>> diff_since(const InstalledVersion& version) const;
  /// Throws 507 "data.disk_full" if there is not enough free space for `bytes` and min_free_bytes,
  /// 503 "data.io" if the file system is read-only. Called before anything is stopped, because a
  /// change that began could not be undone either.
  void require_free_space(const std::string& id, std::uint64_t bytes) const;

  Lifecycle* const lifecycle_;
  const Options options_;
  const PluginData data_;
  PluginStore wanted_;
  PackageStore store_;
  Keyring keyring_;
  settings::Store settings_;
  const PublicPathStore public_paths_;
  ExportFolder exports_;
  const PluginFolders folders_;
  std::mutex changing_;
  UpgradeWatch watch_;  // last: its thread uses all of it
};

}  // namespace tenon::plugins
