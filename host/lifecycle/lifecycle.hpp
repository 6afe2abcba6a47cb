#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/db/schema_locator.hpp"
#include "data/migrate/migrate.hpp"
#include "lifecycle/active_plugin.hpp"
#include "lifecycle/plugin_states.hpp"
#include "lifecycle/probation/quarantine.hpp"
#include "schema/plan.hpp"

namespace tenon::blobs {
class Blobs;
class Uploads;
}  // namespace tenon::blobs
namespace tenon::data {
class OnlineSnapshot;
class SpaceReserve;
class Database;
}  // namespace tenon::data
namespace tenon::events {
class Bus;
}
namespace tenon::http {
class WorkerPool;
}
namespace tenon::identity {
class Permissions;
class Users;
}  // namespace tenon::identity
namespace tenon::http_client {
class Client;
}
namespace tenon::jobs {
class Jobs;
}
namespace tenon::realtime {
class Realtime;
}
namespace tenon::observability {
class Metrics;
}
namespace tenon::records {
class SearchDirectory;
}
namespace tenon::routing {
class Router;
}

namespace tenon::settings {
class Schema;
class Store;
}  // namespace tenon::settings

namespace tenon::plugins {

/// Topic of the bus that carries every change of a plugin's state: {"id","state","generation"}.
inline constexpr std::string_view plugins_topic = "core.plugins";

/// A note on an active plugin: its contract migrations, which remove what the version before
/// needed, have not run yet.
inline constexpr std::string_view contract_pending = "plugins.contract_pending";

/// Notes on an active plugin: it fails more often than before its upgrade; it did, and the host
/// rolled it back automatically.
inline constexpr std::string_view upgrade_failing = "plugins.upgrade_failing";
inline constexpr std::string_view upgrade_rolled_back = "plugins.upgrade_rolled_back";

/// Returns whether the reason is a note. A note is no fault; enabling the plugin again clears it,
/// because its admin has read it.
inline bool is_note(const Reason& reason) noexcept {
  return reason.code == upgrade_failing || reason.code == upgrade_rolled_back;
}

struct LifecycleOptions {
  std::string data;  ///< data directory: databases, and copies of libraries in run/plugins
  std::vector<std::string> folders;         ///< directories with plugins, in order of precedence
  std::string host_version;                 ///< semantic, reported to plugins
  std::chrono::milliseconds drain{10'000};  ///< for requests in flight when a plugin is disabled
  std::chrono::milliseconds start_timeout{30'000};  ///< for create, and for start
  /// For create and start of all plugins together while the server starts. A plugin that takes
  /// longer fails, and is tried once more after the start, with `start_timeout`.
  std::chrono::milliseconds boot_timeout{4'000};
  std::chrono::milliseconds health_timeout{5'000};  ///< for a health check
  std::chrono::milliseconds health_pause{30'000};   ///< between two of an active plugin; 0: none
  std::chrono::milliseconds stop_timeout{10'000};   ///< for stop and destroy together
  /// A plugin is about to become active (its routes are not published yet): serve its UI. An
  /// exception that it throws makes the activation fail.
  std::function<void(const ActivePlugin&)> on_activate;
  /// It is no longer active.
  std::function<void(std::string_view plugin)> on_deactivate;
  /// It was removed, after it was no longer active.
  std::function<void(std::string_view plugin)> on_remove = {};
  /// Locates a plugin's schema on PostgreSQL; null: its data is in a file of SQLite in `data`.
  SchemaLocator location;
  /// Plans what applying the declaration would do to the data, which may not exist yet, of a plugin
  /// on PostgreSQL that is not active. Null: the plugin's file is read.
  std::function<data::schema::Plan(const data::Declaration&)> plan;
  /// How this process came to be started.
  Restart restart = {};
  /// Receives the searchable tables of active plugins; outlives the lifecycle; may be null.
  records::SearchDirectory* search = nullptr;
  /// The reserve of the disk of `data`; null: none.
  std::shared_ptr<data::SpaceReserve> reserve = nullptr;
};

/// Another version of a plugin, which replaces the present one. The thread that replaces makes all
/// calls, one after the other.
struct Replacement {
  std::string folder;  ///< absolute; of the new version
  /// Starts a snapshot of the data while the present version still serves; take_snapshot() finishes
  /// it. May be null, and return null. An exception that it throws ends the change.
  std::function<std::unique_ptr<data::OnlineSnapshot>(data::Database& database)> start_snapshot;
  /// Takes what a restore needs, before any of the plugin's data is changed. Others may write
  /// meanwhile if the present version can use the data until the switch. `database` is null if
  /// there is no data, `begun` if nothing was started. An exception that it throws ends the change.
  std::function<void(data::Database* database, data::OnlineSnapshot* begun)> take_snapshot;
  /// Commits to a restore: from now on an interrupted change ends with a restore of the snapshot.
  /// Called when no client writes to the data any more and the snapshot has every acknowledged
  /// write. Not called if others wrote since; then the present version continues with the data as
  /// it is.
  std::function<void()> commit_to_restore;
  /// Makes the new version the current one. Called when it runs and is about to be published.
  std::function<void()> commit;
  /// Restores the snapshot. Called if the change failed after commit_to_restore(), when no
  /// generation has the data open. `data_modified` is false when the data is as it was.
  std::function<void(bool data_modified)> restore;
};

/// The condition under which an automatic swap is harmless.
struct NoWritesSince {
  std::uint64_t generation = 0;  ///< this one is active, and has acknowledged no write
};

/// The rooms that the lifecycle uses; all of them outlive it.
struct LifecycleRooms {
  data::Database& database;  ///< of the host
  identity::Users& users;
  identity::Permissions& permissions;
  events::Bus& bus;
  observability::Metrics& metrics;
  http::WorkerPool& workers;
  routing::Router& router;
  blobs::Blobs& blobs;
  blobs::Uploads& uploads;
  jobs::Jobs& jobs;
  realtime::Realtime& live;
  http_client::Client* http_client = nullptr;  ///< null: no plugin sends requests
};

class LifecycleImpl;
class PublicPaths;

/// The life of all plugins.
///
///   discovered → resolved → loaded → active      disabled      failed, quarantined (with a reason)
///
/// An active plugin whose storage has a fault has a reason, too, and serves what it can: all but
/// writes on a full disk and after a sync that failed. One whose file is damaged fails.
///
/// Changes of one plugin happen one after the other; changes of different plugins run concurrently.
/// Each is published on the bus when it is done. Thread-safe.
class Lifecycle {
 public:
  /// Makes the room's tables and the folder of copies. Throws base::Error.
  Lifecycle(LifecycleRooms rooms, LifecycleOptions options);
  /// stop()
  ~Lifecycle();
  Lifecycle(const Lifecycle&) = delete;
  Lifecycle& operator=(const Lifecycle&) = delete;

  /// Finds, resolves and activates every enabled plugin. One that fails keeps its reason; the
  /// others serve. Called once, before the HTTP server accepts.
  void start();

  /// Sets the plugin enabled, lifts its quarantine, and activates it, from what its folder holds
  /// now. Returns its status. An active plugin stays as it is; but if its file is no longer
  /// written, the file is opened again. Throws 404 "plugins.unknown", 503 "plugins.stopping", or
  /// 409 with the reason why it failed.
  PluginStatus enable(const std::string& id);

  /// Sets it disabled, lets requests in flight finish, and closes it. Throws 404 "plugins.unknown",
  /// 409 "plugins.required_by" while an active plugin requires it, 503 "plugins.stopping".
  PluginStatus disable(const std::string& id);

  /// Replaces an active plugin of a directory with what its folder holds now, as replace() does,
  /// but without a snapshot: if its data was changed and the new generation does not start, the
  /// plugin fails. A plugin that is enabled but not active is activated. Throws as enable(), 409
  /// "plugins.not_active" if it is disabled, and 409 "plugins.installed_from_package".
  PluginStatus reload(const std::string& id);

  /// Plans what activating the plugin from its folder would do to its data now. `tables`, if given,
  /// replaces its tables.json. Changes nothing. Throws 404 "plugins.unknown", 503
  /// "plugins.stopping", the error that refuses the folder or the text, and the error of reading
  /// the data; refusals of the change are in the plan.
  data::schema::Plan plan(const std::string& id, const std::optional<std::string>& tables);

  /// Plans what activating a version that is in a folder and not installed yet would do to the
  /// data. Throws as plan().
  data::schema::Plan plan_version(const std::string& id, const Manifest& manifest,
                                  const std::string& folder);

  /// Replaces the present version with another one, or installs the first one. If the plugin runs,
  /// the new generation is made while the old one serves. Requests wait while the data is saved and
  /// migrated and the new generation starts; those in flight end in the generation in which they
  /// began. If the plan of the data is phased, requests wait for the start alone. Migrations of the
  /// phase contract run once the old generation is gone; their failure is a note on the plugin
  /// (contract_pending). If any step fails, the old version runs again with its data, and the
  /// reason is thrown (409, or the error of the storage). A disabled plugin is replaced and stays
  /// disabled. Throws 503 "plugins.stopping", 409 "plugins.required_by" if a plugin that runs
  /// requires another version.
  PluginStatus replace(const std::string& id, const Replacement& change);

  /// Closes the plugin, calls `commit` and then `complete` while no generation has its data open,
  /// and activates the version found then, if the plugin is enabled. Its requests wait meanwhile.
  /// `folder` is the version that will be found; empty: the one in the directories.
  /// `replaces_data`: `commit` replaces the present data with other data. An exception of `commit`
  /// is thrown once the plugin runs as before; an exception of `complete` is the reason why the
  /// plugin failed. Throws 404 "plugins.unknown", 503 "plugins.stopping", 409
  /// "plugins.required_by"; 409 with the reason when the version found cannot run. With `only` the
  /// swap continues if that condition holds once no client can write any more. Otherwise it throws
  /// 409 "plugins.replaced" or "plugins.writes_since_upgrade", and the plugin continues to run.
  PluginStatus swap(const std::string& id, const std::string& folder,
                    const std::function<void()>& commit, const std::function<void()>& complete,
                    const NoWritesSince* only = nullptr, bool replaces_data = false);

  /// Sets a note (see is_note) as the reason of an active plugin, until it is enabled again,
  /// changed, or has another reason. Returns false if another version is active, or the plugin has
  /// a reason already.
  bool note(const std::string& id, const std::string& version, const Reason& reason);

  /// Closes the plugin and calls `between`. Afterwards the plugin is gone, or disabled if a
  /// directory has it. Throws as disable(), and the exception of `between`; the plugin is disabled
  /// then.
  void remove(const std::string& id, const std::function<void()>& between);

  /// Deactivates all plugins, those that require others first, without changing what is enabled.
  /// Waits for the requests of each no longer than `timeout`; later calls do nothing.
  void stop(std::chrono::milliseconds timeout = std::chrono::milliseconds::max());

  std::shared_ptr<const Listing> listing() const;
  /// Earlier generations of a plugin that are still mapped.
  std::size_t resident(std::string_view id) const;

  /// The settings of all plugins. Alive as long as this.
  settings::Store& settings() noexcept;
  /// The grants of public paths. Alive as long as this.
  PublicPaths& public_paths() noexcept;
  /// Returns the schema of the settings of the running version, or of the version that would be
  /// enabled; null if it declares none. Throws 404 "plugins.unknown", 409 with the reason if
  /// plugin.json cannot be read.
  std::shared_ptr<const settings::Schema> settings_schema(const std::string& id);

 private:
  std::unique_ptr<LifecycleImpl> implementation_;
};

}  // namespace tenon::plugins
