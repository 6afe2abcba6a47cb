#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bridge/settings/settings_store.hpp"
#include "data/snapshot/snapshot.hpp"
#include "installer/exports/export_folder.hpp"
#include "installer/package_plan.hpp"
#include "installer/plugin_data.hpp"
#include "installer/upgrade_watch.hpp"
#include "lifecycle/plugin_store.hpp"
#include "lifecycle/registry.hpp"
#include "packages/installed/package_store.hpp"
#include "packages/keyring/keyring.hpp"
#include "registry/install_order.hpp"

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

/// What becomes of a plugin's data when it is removed.
enum class DataChoice : std::uint8_t {
  keep,
  export_and_purge,  ///< written into one file first, see ExportFolder
  purge
};

/// What becomes of a plugin that fails more behind an upgrade (see UpgradeWatch): nothing, its
/// admin is told, or it is rolled back, where no write that was acknowledged would be lost, and
/// else its admin is told.
enum class OnFailingUpgrade : std::uint8_t { nothing, warn, rollback };

/// What becomes of a plugin's data when it is rolled back.
enum class RollbackData : std::uint8_t {
  restore,  ///< as the version before left them
  keep      ///< as they are, where they serve that version
};

/// What going back to the version before would do.
struct RollbackPlan {
  std::string id;
  std::string from;
  std::string to;
  std::int64_t remaining_ms = 0;  ///< when `to` was left: changes since are lost
  bool has_snapshot = false;      ///< false: its data stay as they are
  /// The code can go back alone, and nothing is lost: the data serve both versions.
  bool may_keep_data = false;
  /// What would be lost, by table; null where it cannot be told, or no data are restored.
  std::optional<std::vector<data::TableChanges>> changes = {};
};

/// Installs, upgrades, rolls back and removes plugins from packages: files, database and routes in
/// one. One change at a time; thread-safe; blocks.
///
/// What counts is one transaction in the host's database (see PackageStore). Data that a change may
/// touch is kept in a snapshot before, whose restoration is written down first, so that a crash at
/// any moment is mended by recover(): wholly the old, or wholly the new. Data that come back from
/// an export are purged where the installation does not come to its end.
class PluginInstaller {
 public:
  /// Room on the disk of the data directory that a change needs beside what it copies.
  static constexpr std::uint64_t change_room = 1024 * 1024;

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
    observability::Audit* audit = nullptr;  ///< of what is done by itself; may be null
    blobs::Blobs* blobs = nullptr;  ///< outlives it; needed where data are exported or taken back
    /// Of the disk of `data`; a removal releases it when the disk is full. Null: none.
    std::shared_ptr<data::SpaceReserve> reserve = nullptr;
  };

  /// `lifecycle` is null where no server runs: nothing is activated then. All outlive it; the
  /// tables must be there.
  PluginInstaller(data::Database& database, Lifecycle* lifecycle, Options options);
  PluginInstaller(const PluginInstaller&) = delete;
  PluginInstaller& operator=(const PluginInstaller&) = delete;

  /// Ends changes that an earlier process left, and removes what nothing needs. Before
  /// Lifecycle::start, which refuses the plugins whose change cannot be ended.
  void recover();

  /// Upgrades are watched no more. Waits; before the lifecycle ends.
  void stop() { watch_.stop(); }

  /// What is here, by id, as it lies there; without what is no plugin.
  std::vector<InstalledPlugin> present() const;

  /// Throws what reading the package is refused with.
  PackagePlan plan(const Archive& archive);

  /// Installs it, or puts it in the place of the version that is there; gives the plugin, as it
  /// lies there where no server runs. Throws as require_consent(), Contents, and
  /// Lifecycle::replace; nothing is changed then.
  PluginStatus install(const Archive& archive, const std::vector<std::string>& consents,
                       const std::string& actor);
  /// The same where nothing of the plugin is here, with the data of `file`, an export: settings,
  /// files and records as they were, migrated to what the package declares. Throws also as
  /// CheckedExport, copy_file_to_schema(), 409 "plugins.export_plugin_mismatch", 409
  /// "plugins.data_exists", 409 "data.migration_refused" or "data.newer" where the version cannot
  /// take the data.
  PluginStatus install_with(const Archive& archive, const std::vector<std::string>& consents,
                            const std::string& actor, const std::string& file);

  /// Counts changes for data::changes_wait. Throws 404 "plugins.unknown", 409
  /// "plugins.no_previous_version" or "plugins.snapshot_missing".
  RollbackPlan plan_rollback(const std::string& id);
  /// Code and data of the version before, together, or its code with the data that are there.
  /// Throws as that, 409 "plugins.snapshot_missing" or "plugins.files_modified", 409
  /// "plugins.data_not_shared" where the data to be kept do not serve that version, and as
  /// Lifecycle::swap; nothing is changed then, but where what was decided could not be ended: the
  /// next start does.
  PluginStatus rollback(const std::string& id, RollbackData data = RollbackData::restore);

  /// Throws 404 "plugins.unknown", 409 "plugins.not_installed" for one that lies in a directory of
  /// plugins, 409 "plugins.required_by". Gives the name of the export, or nothing; what writing it
  /// fails with leaves the plugin as it was. Throws then also as write_export(), and on PostgreSQL
  /// as copy_schema_to_file(), and 409 "plugins.export_version" where no version that is installed
  /// is that of the data.
  std::string remove(const std::string& id, DataChoice choice);

  Keyring& keyring() noexcept { return keyring_; }
  const ExportFolder& exports() const noexcept { return exports_; }
  /// An export comes in. Throws as ReceivedExport.
  std::unique_ptr<ReceivedExport> receive_export(std::uint64_t bytes);
  /// Throws as ExportFolder::remove(), and 409 "plugins.purge_pending" while the removal is not
  /// ended.
  void remove_export(const std::string& name);

 private:
  PluginStatus roll_back(const std::string& id, RollbackData data, const NoWritesSince* only);
  /// Whether the data serve that version, too.
  bool serve(const InstalledVersion& version) const;
  void require_serves(const InstalledVersion& version) const;
  data::schema::Plan plan_of(const Manifest& manifest, const std::string& folder) const;
  /// By the thread of the watch.
  void meet_failing(const WatchedUpgrade& upgrade, const Answers& since) noexcept;
  void undo_failing(const WatchedUpgrade& upgrade, const Answers& since);
  void tell_failing(const WatchedUpgrade& upgrade, const Answers& since, const std::string& kept);

  InstallContext read_install_context(const std::string& id, const std::string& signer) const;
  PublicKey signer_of(const Archive& archive) const;
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
  /// Name of a whole export that counts once the removal does.
  std::string export_data(const std::string& id, const std::string& version);
  void require_no_data(const std::string& id) const;
  /// Throws where the version in `folder` cannot take the data.
  void require_takes(const CheckedExport& data, const Manifest& manifest,
                     const std::string& folder) const;
  void put_back(const CheckedExport& data, const Manifest& manifest, const std::string& folder);
  void forget_put_back(const std::string& id) noexcept;
  /// Before another change of the plugin: what this or an earlier process left open. Throws 409
  /// "plugins.purge_pending" where no server runs.
  void end_open_change(const std::string& id);
  void require_snapshot(const InstalledVersion& version) const;
  InstalledVersion require_previous(const std::string& id) const;
  std::optional<std::vector<data::TableChanges>> changes_since(
      const InstalledVersion& version) const;
  /// Throws 507 "data.disk_full" where there is not room for `bytes` and change_room, 503 "data.io"
  /// where the file system is read only. Asked before anything is stopped: what was begun could not
  /// be undone either.
  void require_room(const std::string& id, std::uint64_t bytes) const;

  Lifecycle* const lifecycle_;
  const Options options_;
  const PluginData data_;
  PluginStore wanted_;
  PackageStore store_;
  Keyring keyring_;
  SettingsStore settings_;
  ExportFolder exports_;
  const PluginFolders folders_;
  std::mutex changing_;
  UpgradeWatch watch_;  // last: its thread uses all of it
};

}  // namespace tenon::plugins
