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
#include "base/periodic_task.hpp"
#include "base/work_queue.hpp"
#include "bridge/db/clean_shutdown_record.hpp"
#include "bridge/services/services_directory.hpp"
#include "lifecycle/activation.hpp"
#include "lifecycle/dependencies.hpp"
#include "lifecycle/discovery.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/managed_plugin.hpp"
#include "lifecycle/plugin_store.hpp"
#include "lifecycle/probation/quarantine.hpp"
#include "lifecycle/public_paths.hpp"
#include "packages/installed/package_store.hpp"
#include "packages/keyring/keyring.hpp"
#include "settings/store.hpp"

namespace tenon::data {
enum class Fault : std::uint8_t;
}

namespace tenon::plugins {

class Loader;
struct Resolution;

/// A fault that the database of one generation of a plugin reported.
struct StorageFault {
  data::Fault fault;
  std::string plugin;
  std::uint64_t generation = 0;
  std::string detail;
};

/// Code of the reason of a plugin whose file is no longer written; the file is closed and opened
/// again when the plugin is enabled.
inline constexpr std::string_view storage_failed = "data.storage_failed";

inline base::Error stopping() {
  return {503, "plugins.stopping", "The server is stopping."};
}

/// The implementation of Lifecycle; private to the room.
///
/// lifecycle.cpp has the start, the end, and what is done to one plugin; replace.cpp the changes in
/// which another version, or none, takes its place, contract_phase.cpp the migrations afterwards;
/// storage_faults.cpp the handling of faults of its storage; health.cpp its health checks.
class LifecycleImpl {
 public:
  LifecycleImpl(LifecycleRooms rooms, LifecycleOptions options);

  void start();
  PluginStatus enable(const std::string& id);
  PluginStatus disable(const std::string& id);
  PluginStatus reload(const std::string& id);
  data::schema::Plan plan(const std::string& id, const std::optional<std::string>& tables);
  void stop(std::chrono::milliseconds timeout);
  std::shared_ptr<const Listing> listing() const;
  std::size_t resident(std::string_view id) const;
  settings::Store& settings() noexcept { return settings_; }
  PublicPaths& public_paths() noexcept { return public_paths_; }
  std::shared_ptr<const settings::Schema> settings_schema(const std::string& id);

  data::schema::Plan plan_version(const std::string& id, const Manifest& manifest,
                                  const std::string& folder);
  PluginStatus replace(const std::string& id, const Replacement& change);
  PluginStatus swap(const std::string& id, const std::string& folder,
                    const std::function<void()>& commit, const std::function<void()>& complete,
                    const NoWritesSince* only, bool replaces_data);
  bool note(const std::string& id, const std::string& version, const Reason& reason);
  void remove(const std::string& id, const std::function<void()>& between);

 private:
  /// Returns the entry of an id and creates it if missing; only for ids that have a folder.
  ManagedPlugin& of(const std::string& id);
  /// Returns the entry of an id. Throws 404 "plugins.unknown" if there is no such folder.
  ManagedPlugin& known(const std::string& id);

  std::vector<std::string> activate_all(const Resolution& resolution);
  void activate_late(const std::vector<std::string>& ids);
  void contract_late(const std::vector<std::string>& ids);
  void show_migration(ManagedPlugin& plugin, const MigrationProgress& progress);
  Progress progress_of(ManagedPlugin& plugin, Quarantine::Watch& watch);

  // The functions below require the plugin's mutex.
  data::schema::Plan plan_declaration(ManagedPlugin& plugin, const data::Declaration& declaration);
  void report_active(ActivePlugin plugin) const;
  PluginStatus status_of_found(const DiscoveredPlugin& found, const PluginStatus& before) const;
  void require_usable(const DiscoveredPlugin& found) const;
  /// Activates the plugin. On failure undoes everything and throws the reason.
  void activate(ManagedPlugin& plugin, const DiscoveredPlugin& found, bool may_wait);
  void activate_found(ManagedPlugin& plugin);
  void note_active(ManagedPlugin& plugin);
  void deactivate(ManagedPlugin& plugin, std::chrono::milliseconds drain);
  void close(ManagedPlugin& plugin, std::chrono::milliseconds timeout);
  void fail(ManagedPlugin& plugin, const std::exception& failure);
  /// Ends a generation that another one replaces, or is going to replace.
  Activation::CloseResult retire_generation(ManagedPlugin& plugin, std::unique_ptr<Activation> old,
                                            Activation::Successor successor);
  /// Runs the pending contract migrations, once no other generation uses the data;
  /// contract_phase.cpp.
  void contract(ManagedPlugin& plugin);
  void note_pending(ManagedPlugin& plugin, const std::string& why);
  /// Reverts a handover that failed: the version before runs again if it ran.
  void revert(ManagedPlugin& plugin, const Replacement& change, const Handover& handover,
              const std::optional<DiscoveredPlugin>& before, const PluginStatus& earlier);
  /// Lifts the quarantine after another version replaced the quarantined one.
  void lift_quarantine(const std::string& id) noexcept;
  void resume(ManagedPlugin& plugin);
  void require_none_pending(const std::string& id) const;
  /// Suspends what is active, for a swap; throws, and it runs again.
  void suspend(ManagedPlugin& plugin, const std::shared_ptr<http::Hold>& hold,
               const NoWritesSince* only, const DiscoveredPlugin& before);
  /// Starts a generation after one whose requests are held. On failure marks the plugin as failed,
  /// and throws.
  void start_while_held(ManagedPlugin& plugin, const DiscoveredPlugin& found);

  void unpublish(const std::string& id);
  void show(PluginStatus& status, State state);
  void announce(const PluginStatus& status);
  void publish_state(const PluginStatus& status);
  void handle_fault(const StorageFault& fault);
  void ask_for_health();

  const LifecycleRooms rooms_;
  const LifecycleOptions options_;
  PluginStore store_;
  Quarantine quarantine_;
  settings::Store settings_;
  PublicPaths public_paths_;
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
  std::map<std::string, std::unique_ptr<ManagedPlugin>> plugins_;  // entries are never removed
  std::map<std::string, DiscoveredPlugin*> found_;                 // during start only
  bool is_starting_ = false;
  base::WorkQueue faults_;  // the thread that reports a fault may be inside the plugin
  base::PeriodicTask health_;
  std::thread late_;  // activates those that the start did not wait for
};

}  // namespace tenon::plugins
