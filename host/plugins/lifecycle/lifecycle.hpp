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

#include "data/migrate.hpp"
#include "data/schema/plan.hpp"
#include "plugins/bridge/schema_locator.hpp"
#include "plugins/lifecycle/active_plugin.hpp"
#include "plugins/lifecycle/registry.hpp"
#include "plugins/quarantine/quarantine.hpp"

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

namespace tenon::plugins {

/// Topic of the bus on which every change of a plugin's state is told: {"id","state","generation"}.
inline constexpr std::string_view plugins_topic = "core.plugins";

/// Beside a plugin that serves: what the version before needed could not be taken away yet.
inline constexpr std::string_view contract_pending = "plugins.contract_pending";

/// Notes beside a plugin that serves: it fails more than before its upgrade; it did, and was rolled
/// back by itself.
inline constexpr std::string_view upgrade_failing = "plugins.upgrade_failing";
inline constexpr std::string_view upgrade_rolled_back = "plugins.upgrade_rolled_back";

/// What is no fault, and goes when the plugin is enabled again: its admin has read it.
inline bool is_note(const Reason& reason) noexcept {
  return reason.code == upgrade_failing || reason.code == upgrade_rolled_back;
}

struct LifecycleOptions {
  std::string data;  ///< data directory: databases, and copies of libraries in run/plugins
  std::vector<std::string> folders;         ///< directories with plugins, in order of precedence
  std::string host_version;                 ///< semantic, told to plugins
  std::chrono::milliseconds drain{10'000};  ///< for requests in flight when a plugin is disabled
  std::chrono::milliseconds start_patience{30'000};  ///< for create, and for start
  /// The same while the server starts, for all plugins together; one that takes longer fails,
  /// and is tried once more after the start, with `start_patience`.
  std::chrono::milliseconds boot_patience{4'000};
  std::chrono::milliseconds health_patience{5'000};  ///< for a health check
  std::chrono::milliseconds health_pause{30'000};    ///< between two of an active plugin; 0: none
  std::chrono::milliseconds stop_patience{10'000};   ///< for stop and destroy together
  /// A plugin is about to become active (its routes are not published yet): serve its UI. What it
  /// throws makes the activation fail.
  std::function<void(const ActivePlugin&)> on_activate;
  /// It is no longer active.
  std::function<void(std::string_view plugin)> on_deactivate;
  /// It was removed, after it was no longer active.
  std::function<void(std::string_view plugin)> on_remove = {};
  /// Where on PostgreSQL a plugin's data is; null: in a file of SQLite in `data`.
  FindPlace place;
  /// Of a plugin that is not active, on PostgreSQL: what applying would do to its data, made or
  /// not. Null: its file is asked.
  std::function<data::schema::Plan(const data::Declaration&)> plan;
  /// How this process came to be started.
  Restart restart = {};
  /// Told of the searchable tables of active plugins; outlives it; may be null.
  records::SearchDirectory* search = nullptr;
  /// Of the disk of `data`; null: none.
  std::shared_ptr<data::SpaceReserve> reserve = nullptr;
};

/// Another version of a plugin, which takes the place of what is there. All of it is called by the
/// thread that replaces, one after the other.
struct Replacement {
  std::string folder;  ///< absolute; of the version that comes
  /// The version that is there still serves: begins a snapshot of its data, which keep() finishes.
  /// May be null, and give null. What it throws ends the change.
  std::function<std::unique_ptr<data::OnlineSnapshot>(data::Database& database)> begin_keeping;
  /// Nothing of the plugin's data was changed yet: keeps what it takes to go back. Others may write
  /// meanwhile, where the version that is there can go on with what comes before the switch.
  /// `database` is null where there is no data, `begun` where nothing was begun. What it throws
  /// ends the change.
  std::function<void(data::Database* database, data::OnlineSnapshot* begun)> keep;
  /// Nobody writes to the data any more, and what was kept is all that was acknowledged: from now
  /// on whoever finds the change broken off goes back to it. Not called where others wrote since;
  /// then the version that is there goes on with the data as they are.
  std::function<void()> arm;
  /// The version that comes runs, and is about to be published: makes it the one that counts.
  std::function<void()> commit;
  /// The change failed behind arm(), and nobody has the data open: goes back. `is_touched` is
  /// false when the data is as it was.
  std::function<void(bool is_touched)> restore;
};

/// What makes a swap that nobody asked for harmless.
struct NoWritesSince {
  std::uint64_t generation = 0;  ///< this one is active, and has acknowledged no write
};

/// What the lifecycle works with; all of it outlives it.
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
};

/// The life of all plugins.
///
///   discovered → resolved → loaded → active      disabled      failed, quarantined (with a reason)
///
/// An active plugin whose storage has a fault has a reason, too, and serves what it can: all but
/// writes on a full disk and after a sync that failed. One whose file is damaged fails.
///
/// Changes of one plugin happen one after the other, changes of different plugins beside each
/// other. Each is told on the bus when it is done. Thread-safe.
class Lifecycle {
 public:
  /// Makes the room's tables and the folder of copies. Throws base::Error.
  Lifecycle(LifecycleRooms rooms, LifecycleOptions options);
  /// stop()
  ~Lifecycle();
  Lifecycle(const Lifecycle&) = delete;
  Lifecycle& operator=(const Lifecycle&) = delete;

  /// Finds, resolves and activates every enabled plugin. One that fails keeps its reason; the
  /// others serve. Once, before the front accepts.
  void start();

  /// Sets the plugin enabled, lifts its quarantine, and activates it, from what its folder holds
  /// now. Returns its status; an active one stays as it is, unless its file is no longer written:
  /// it is opened anew then. Throws 404 "plugins.unknown", 503 "plugins.stopping", or 409 with the
  /// reason why it failed.
  PluginStatus enable(const std::string& id);

  /// Sets it disabled, lets requests in flight finish, and closes it. Throws 404 "plugins.unknown",
  /// 409 "plugins.required_by" while an active plugin requires it, 503 "plugins.stopping".
  PluginStatus disable(const std::string& id);

  /// What activating the plugin from its folder would do to its data now, with `tables` in the
  /// place of its tables.json where there is one. Changes nothing. Throws 404 "plugins.unknown",
  /// 503 "plugins.stopping", what the folder or the text is refused with, and what reading the data
  /// fails with; refusals of the change stand in the plan.
  data::schema::Plan plan(const std::string& id, const std::optional<std::string>& tables);

  /// The same of a version that lies in a folder and is not installed yet.
  data::schema::Plan plan_version(const std::string& id, const Manifest& manifest,
                                  const std::string& folder);

  /// Puts another version in the place of what is there, or the first one where nothing is. Where
  /// the plugin runs the new generation is made beside it; its requests wait for the time in which
  /// its data is kept and migrated and the new one starts, and those in flight end where they
  /// began. Where the plan of its data is phased they wait for the start alone, and migrations of
  /// the phase contract run once the generation before is gone; what they fail with is a reason
  /// beside the plugin (contract_pending). When anything of that fails the version that was there
  /// runs again, with its data, and the reason is thrown (409, or what storage fails with). One
  /// that is disabled is replaced and stays so. Throws 503 "plugins.stopping", 409
  /// "plugins.required_by" where a plugin that runs requires another version.
  PluginStatus replace(const std::string& id, const Replacement& change);

  /// Closes the plugin, calls `commit` and then `complete` while nobody has its data open, and
  /// activates what is found then, where it is enabled; its requests wait meanwhile. `folder` is
  /// what will be found, or empty for what the directories have. What `commit` throws is thrown
  /// when the plugin runs as before; what `complete` throws is why the plugin failed. Throws 404
  /// "plugins.unknown", 503 "plugins.stopping", 409 "plugins.required_by"; 409 with the reason when
  /// what is found then cannot run. `replaces_data`: `commit` puts other data in the place of those
  /// that are there. With `only` the swap goes on where that is so once nobody can
  /// write any more: else 409 "plugins.replaced", or "plugins.writes_since_upgrade", and the plugin
  /// runs on.
  PluginStatus swap(const std::string& id, const std::string& folder,
                    const std::function<void()>& commit, const std::function<void()>& complete,
                    const NoWritesSince* only = nullptr, bool replaces_data = false);

  /// Stands as the reason, one of the two codes above, beside a plugin that serves, until it is
  /// enabled again, changed, or has another reason. False where another version is active, or it
  /// has a reason already.
  bool note(const std::string& id, const std::string& version, const Reason& reason);

  /// Closes the plugin and calls `between`, after which it is gone, or disabled where a directory
  /// has it. Throws as disable(), and what `between` throws; it is disabled then.
  void remove(const std::string& id, const std::function<void()>& between);

  /// Deactivates all, those that require others first, without changing what is enabled. Waits,
  /// for the requests of each no longer than `patience`; later calls do nothing.
  void stop(std::chrono::milliseconds patience = std::chrono::milliseconds::max());

  std::shared_ptr<const Listing> listing() const;
  /// Earlier generations of a plugin that are still mapped.
  std::size_t resident(std::string_view id) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::plugins
