#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "plugins/bridge/closed_databases.hpp"
#include "plugins/bridge/services_directory.hpp"
#include "plugins/bridge/settings_store.hpp"
#include "plugins/lifecycle/activation.hpp"
#include "plugins/lifecycle/dependencies.hpp"
#include "plugins/lifecycle/discovery.hpp"
#include "plugins/lifecycle/fault_queue.hpp"
#include "plugins/lifecycle/lifecycle.hpp"
#include "plugins/lifecycle/managed_plugin.hpp"
#include "plugins/lifecycle/plugin_store.hpp"
#include "plugins/lifecycle/rounds.hpp"
#include "plugins/quarantine/quarantine.hpp"
#include "plugins/store/keyring.hpp"
#include "plugins/store/package_store.hpp"

namespace tenon::plugins {

class Loader;
struct Resolution;

/// The code under which a plugin is told that its file is no longer written; it is closed and
/// opened again when it is enabled.
inline constexpr std::string_view storage_failed = "data.storage_failed";

inline base::Error stopping() {
  return {503, "plugins.stopping", "The server is stopping."};
}

/// The room's own: what stands behind Lifecycle.
///
/// lifecycle.cpp has the start, the end, and what is done to one plugin; replace.cpp the changes
/// in which another version, or none, takes its place, contract_phase.cpp what comes behind;
/// storage_faults.cpp what becomes of it when its storage has a fault; health.cpp how it is asked
/// whether it is well.
class Lifecycle::Implementation {
 public:
  Implementation(LifecycleRooms rooms, LifecycleOptions options);

  void start();
  PluginStatus enable(const std::string& id);
  PluginStatus disable(const std::string& id);
  data::schema::Plan plan(const std::string& id, const std::optional<std::string>& tables);
  void stop(std::chrono::milliseconds patience);
  std::shared_ptr<const Listing> listing() const;
  std::size_t resident(std::string_view id) const;

  data::schema::Plan plan_version(const std::string& id, const Manifest& manifest,
                                  const std::string& folder);
  PluginStatus replace(const std::string& id, const Replacement& change);
  PluginStatus swap(const std::string& id, const std::string& folder,
                    const std::function<void()>& commit, const std::function<void()>& complete,
                    const NoWritesSince* only, bool replaces_data);
  bool note(const std::string& id, const std::string& version, const Reason& reason);
  void remove(const std::string& id, const std::function<void()>& between);

 private:
  /// Makes a place for an id; only for ids that have a folder.
  Plugin& of(const std::string& id);
  /// Throws 404 "plugins.unknown" where there is no such folder.
  Plugin& known(const std::string& id);

  std::vector<std::string> activate_all(const Resolution& resolution);
  void activate_late(const std::vector<std::string>& ids);
  void contract_late(const std::vector<std::string>& ids);
  void show_migration(Plugin& plugin, const MigrationProgress& progress);
  Progress progress_of(Plugin& plugin, Quarantine::Watch& watch);

  // All that follow with the plugin's turn.
  data::schema::Plan plan_declaration(Plugin& plugin, const data::Declaration& declaration);
  void tell_active(ActivePlugin plugin) const;
  PluginStatus status_of_found(const Found& found, const PluginStatus& before) const;
  void require_usable(const Found& found) const;
  /// Throws, everything undone, with the reason.
  void activate(Plugin& plugin, const Found& found, bool may_wait);
  void activate_found(Plugin& plugin);
  void note_active(Plugin& plugin);
  void deactivate(Plugin& plugin, std::chrono::milliseconds drain);
  void close(Plugin& plugin, std::chrono::milliseconds patience);
  void fail(Plugin& plugin, const std::exception& failure);
  /// Ends a generation whose place another takes, or is going to.
  Activation::Left end_for(Plugin& plugin, std::unique_ptr<Activation> old,
                           Activation::Successor successor);
  /// Runs what its migrations left for when no other generation uses the data; contract_phase.cpp.
  void contract(Plugin& plugin);
  void note_pending(Plugin& plugin, const std::string& why);
  /// Behind a handover that failed: what was there runs again, where it ran.
  void go_back(Plugin& plugin, const Replacement& change, const Handover& handover,
               const std::optional<Found>& before, const PluginStatus& earlier);
  /// Another version took the place of the one that was kept out.
  void lift_quarantine(const std::string& id) noexcept;
  void go_on(Plugin& plugin);
  void require_ended(const std::string& id) const;
  /// Suspends what is active, for a swap; throws, and it runs again.
  void suspend(Plugin& plugin, const std::shared_ptr<http::Hold>& hold, const NoWritesSince* only,
               const Found& before);
  /// Begins where a generation ended whose place is held; fails the plugin, and throws.
  void begin_held(Plugin& plugin, const Found& found);

  void withdraw(const std::string& id);
  void show(PluginStatus& status, State state);
  void announce(const PluginStatus& status);
  void tell(const PluginStatus& status);
  void meet(const StorageFault& met);
  void ask_for_health();

  const LifecycleRooms rooms_;
  const LifecycleOptions options_;
  PluginStore store_;
  Quarantine quarantine_;
  SettingsStore settings_;
  PackageStore packages_;
  Keyring keyring_;
  const PluginFolders folders_;
  const std::shared_ptr<Loader> loader_;
  const std::shared_ptr<PluginStates> registry_;
  ServicesDirectory services_;
  CleanShutdownRecord closed_;
  ActivationEnvironment environment_;
  Dependencies dependencies_;
  std::atomic<std::uint64_t> generations_{0};
  std::atomic<bool> is_stopping_{false};
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Plugin>> plugins_;  // none is ever taken away
  std::map<std::string, Found*> found_;                     // during start only
  bool is_starting_ = false;
  FaultQueue faults_;
  Rounds health_;
  std::thread late_;  // activates those that nobody waited for at the start
};

}  // namespace tenon::plugins
