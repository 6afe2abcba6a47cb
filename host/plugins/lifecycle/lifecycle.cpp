#include "plugins/lifecycle/lifecycle.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "data/migrate.hpp"
#include "events/bus.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "plugins/bridge/declaration.hpp"
#include "plugins/bridge/services_directory.hpp"
#include "plugins/bridge/settings_store.hpp"
#include "plugins/host_tables.hpp"
#include "plugins/lifecycle/activation.hpp"
#include "plugins/lifecycle/dependencies.hpp"
#include "plugins/lifecycle/discovery.hpp"
#include "plugins/lifecycle/fault_queue.hpp"
#include "plugins/lifecycle/open_databases.hpp"
#include "plugins/lifecycle/plugin_place.hpp"
#include "plugins/lifecycle/plugin_store.hpp"
#include "plugins/lifecycle/stored_plugins.hpp"
#include "plugins/loader/loader.hpp"
#include "plugins/resolver/resolver.hpp"
#include "plugins/storage_reason.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

/// The code under which a plugin is told that its file is no longer written; it is closed and
/// opened again when it is enabled.
constexpr std::string_view storage_failed = "data.storage_failed";

base::Error unknown(const std::string& id) {
  return {404, "plugins.unknown", "There is no plugin \"" + id + "\"."};
}

base::Error stopping() {
  return {503, "plugins.stopping", "The server is stopping."};
}

// The room's tables, before anything reads them.
data::Database& prepared(data::Database& database) {
  make_host_tables(database);
  return database;
}

}  // namespace

class Lifecycle::Implementation {
 public:
  Implementation(LifecycleRooms rooms, LifecycleOptions options)
      : rooms_(rooms),
        options_(std::move(options)),
        store_(prepared(rooms_.database)),
        settings_(rooms_.database),
        loader_(std::make_shared<Loader>(options_.data + "/run/plugins")),
        registry_(std::make_shared<Registry>()),
        environment_{.data = options_.data,
                     .place = options_.place,
                     .check_time = data::CheckTime::before_opening,
                     .loader = *loader_,
                     .bridge = {&rooms_.users, &rooms_.permissions, &settings_, &rooms_.blobs,
                                &rooms_.uploads, &rooms_.jobs, &rooms_.bus, options_.host_version,
                                static_cast<std::uint64_t>(base::unix_milliseconds()), &services_},
                     .permissions = rooms_.permissions,
                     .live = rooms_.live,
                     .workers = rooms_.workers,
                     .router = rooms_.router,
                     .start_patience = options_.start_patience,
                     .stop_patience = options_.stop_patience,
                     .on_activate = options_.on_activate,
                     .on_fault =
                         [this](data::Fault fault, const std::string& plugin,
                                std::uint64_t generation, std::string_view reason) {
                           faults_.add({fault, plugin, generation, std::string(reason)});
                         },
                     .databases = std::make_shared<OpenDatabases>(),
                     .search = options_.search},
        faults_([this](const StorageFault& fault) { meet(fault); }) {
    services_.describe_with(
        [registry = registry_](std::string_view id) { return in_words(registry->find(id).get()); });
    rooms_.metrics.add_collector(
        [registry = registry_, loader = loader_,
         databases = environment_.databases](observability::MetricsSink& sink) {
          databases->write_metrics(sink);
          write_metrics(*registry->current(), *loader, sink);
        });
  }

  void start() {
    const auto flags = store_.enabled();
    std::vector<Found> all = discover(options_.folders);
    std::vector<Candidate> candidates;
    Listing duplicates;
    for (Found& found : all) {
      PluginStatus status = status_of(found);
      if (status.is_duplicate) {
        log_failure(status);
        duplicates.push_back(std::make_shared<const PluginStatus>(std::move(status)));
        continue;
      }
      const auto flag = flags.find(found.id);
      status.enabled = flag == flags.end() || flag->second;
      Plugin& plugin = of(found.id);
      plugin.status = std::move(status);
      if (found.manifest)
        candidates.push_back({&*found.manifest, plugin.status.enabled, !found.refused});
      found_.insert_or_assign(found.id, &found);
    }
    is_starting_ = true;
    // Nobody waits for large files at a start. A plugin that somebody enables was perhaps out for
    // its damage.
    environment_.check_time = data::CheckTime::beside_work;
    std::vector<std::string> late = activate_all(resolve(candidates));
    environment_.check_time = data::CheckTime::before_opening;
    is_starting_ = false;
    found_.clear();

    Listing listing;
    for (const auto& [id, plugin] : plugins_)
      listing.push_back(std::make_shared<const PluginStatus>(plugin->status));
    listing.insert(listing.end(), duplicates.begin(), duplicates.end());
    registry_->replace(std::move(listing));
    for (const auto& [id, plugin] : plugins_)
      tell(plugin->status);
    faults_.start();
    if (!late.empty()) late_ = std::thread([this, late] { activate_late(late); });
  }

  PluginStatus enable(const std::string& id) {
    Plugin& plugin = known(id);
    const std::lock_guard turn(plugin.turn);
    if (is_stopping_) throw stopping();
    const bool is_reopened =
        plugin.activation && plugin.status.reason && plugin.status.reason->code == storage_failed;
    if (plugin.activation && !is_reopened) return plugin.status;
    std::optional<Found> found = discover_one(options_.folders, id);
    if (!found) throw unknown(id);
    // Two that cannot run beside each other are never both wanted.
    if (found->manifest) dependencies_.check_conflicts(*found->manifest);
    if (is_reopened) {
      dependencies_.leave(id);
      deactivate(plugin, options_.drain);
    }
    store_.set_enabled(id, true);
    const std::uint64_t generation = plugin.status.generation;
    plugin.status = status_of(*found);
    plugin.status.generation = generation;
    try {
      if (found->refused) throw Refusal(*found->refused);
      activate(plugin, *std::move(found->manifest), true);
    } catch (const std::exception& failure) {
      fail(plugin, failure);
      announce(plugin.status);
      const Reason& reason = *plugin.status.reason;
      throw Refusal(reason);
    }
    announce(plugin.status);
    return plugin.status;
  }

  PluginStatus disable(const std::string& id) {
    Plugin& plugin = known(id);
    const Interrupt interrupt(plugin);
    const std::lock_guard turn(plugin.turn);
    if (is_stopping_) throw stopping();
    if (plugin.activation) dependencies_.leave(id);
    try {
      store_.set_enabled(id, false);
    } catch (...) {
      if (plugin.activation) dependencies_.stay(id);
      throw;
    }
    plugin.status.enabled = false;
    plugin.status.reason.reset();
    if (plugin.activation)
      deactivate(plugin, options_.drain);
    else
      withdraw(id);
    plugin.status.state = State::disabled;
    announce(plugin.status);
    return plugin.status;
  }

  data::schema::Plan plan(const std::string& id, const std::optional<std::string>& tables) {
    Plugin& plugin = known(id);
    const std::lock_guard turn(plugin.turn);
    if (is_stopping_) throw stopping();
    const std::optional<Found> found = discover_one(options_.folders, id);
    if (!found) throw unknown(id);
    if (!found->manifest) throw Refusal(*found->refused);
    const data::Declaration declaration =
        tables ? read_declaration(*found->manifest, found->folder, *tables)
               : read_declaration(*found->manifest, found->folder);
    if (plugin.activation) return data::plan(*plugin.activation->database(), declaration);
    if (options_.plan) return options_.plan(declaration);
    // Nobody has it open: an activation would need the turn.
    return data::plan_file(options_.data + "/" + id + ".db", true, declaration);
  }

  void stop() {
    is_stopping_ = true;
    faults_.stop();
    if (late_.joinable()) late_.join();
    for (const std::string& id : dependencies_.closing_order())
      close(of(id));
    // One that was being enabled meanwhile; from here on every turn sees that the end has come.
    for (const auto& [id, plugin] : plugins_)
      close(*plugin);
  }

  std::shared_ptr<const Listing> listing() const { return registry_->current(); }
  std::size_t resident(std::string_view id) const { return loader_->resident(id); }

 private:
  // Makes a place for an id; only for ids that have a folder.
  Plugin& of(const std::string& id) {
    const std::lock_guard lock(mutex_);
    auto& place = plugins_[id];
    if (!place) place = std::make_unique<Plugin>(id);
    return *place;
  }

  Plugin& known(const std::string& id) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = plugins_.find(id);
      if (found != plugins_.end()) return *found->second;
    }
    // Perhaps it was put there since the start.
    if (!discover_one(options_.folders, id)) throw unknown(id);
    return of(id);
  }

  // Those whose data is still to be migrated by functions, and those that require them, in order:
  // nobody waits for these at a start.
  std::vector<std::string> activate_all(const Resolution& resolution) {
    std::vector<std::string> late;
    for (const auto& [id, plugin] : plugins_) {
      PluginStatus& status = plugin->status;
      if (status.enabled && !status.reason) {
        if (const auto refused = resolution.refused.find(id); refused != resolution.refused.end())
          status.reason = refused->second;
      }
      if (!status.enabled)
        status.state = State::disabled;
      else if (status.reason)
        status.state = State::failed;
      if (status.state == State::failed) log_failure(status);
      // Nothing answers under its prefix before it is active.
      withdraw(id);
    }
    for (const std::string& id : resolution.order) {
      Plugin& plugin = of(id);
      const std::lock_guard turn(plugin.turn);
      Manifest manifest = *std::move(found_.at(id)->manifest);
      const bool waits = requires_any_of(manifest, late);
      try {
        if (waits) throw MigrationsWait();
        activate(plugin, std::move(manifest), false);
      } catch (const MigrationsWait& wait) {
        late.push_back(id);
        plugin.status.state = State::resolved;
        rooms_.router.withdraw("/api/" + id, wait);
      } catch (const std::exception& failure) {
        fail(plugin, failure);
      }
    }
    return late;
  }

  void activate_late(const std::vector<std::string>& ids) {
    for (const std::string& id : ids) {
      Plugin& plugin = of(id);
      const std::lock_guard turn(plugin.turn);
      if (is_stopping_) return;
      if (plugin.activation || !plugin.status.enabled) continue;
      try {
        std::optional<Found> found = discover_one(options_.folders, id);
        if (!found) throw unknown(id);
        if (found->refused) throw Refusal(*found->refused);
        activate(plugin, *std::move(found->manifest), true);
      } catch (const std::exception& failure) {
        if (is_stopping_) return;
        fail(plugin, failure);
      }
      announce(plugin.status);
    }
  }

  // Told to who looks at most once a second, and to the log.
  void show_migration(Plugin& plugin, const MigrationProgress& progress) {
    const std::int64_t now = base::unix_milliseconds();
    const bool is_next =
        !plugin.status.migration || plugin.status.migration->number != progress.number;
    plugin.status.migration =
        MigrationStatus{progress.number, progress.name, progress.done, progress.total};
    if (!is_next && !progress.is_over && now - plugin.told_ms < 1'000 && now >= plugin.told_ms)
      return;
    plugin.told_ms = now;
    registry_->update(plugin.status);
    observability::log_info("the data of a plugin is migrated", {{"plugin", plugin.id},
                                                                 {"number", progress.number},
                                                                 {"name", progress.name},
                                                                 {"done", progress.done},
                                                                 {"total", progress.total},
                                                                 {"over", progress.is_over}});
  }

  // With the plugin's turn. Throws, everything undone, with the reason.
  void activate(Plugin& plugin, Manifest manifest, bool may_wait) {
    PluginStatus& status = plugin.status;
    status.reason.reset();
    dependencies_.join(manifest);
    try {
      show(status, State::resolved);
      const bool is_first = status.generation == 0;
      status.generation = ++generations_;
      plugin.activation = Activation::begin(
          environment_, std::move(manifest), status.folder, status.generation, is_first, may_wait,
          {.loaded = [&] { show(status, State::loaded); },
           .migrated = [&](const MigrationProgress& progress) { show_migration(plugin, progress); },
           .must_stop = [&] { return is_stopping_ || plugin.interrupts > 0; }});
      status.migration.reset();
    } catch (...) {
      status.migration.reset();
      dependencies_.remove(plugin.id);
      throw;
    }
    dependencies_.stay(plugin.id);
    status.routes = plugin.activation->route_count();
    status.state = State::active;
    observability::log_info("plugin active", {{"plugin", plugin.id},
                                              {"version", status.version},
                                              {"generation", status.generation},
                                              {"routes", status.routes}});
  }

  void deactivate(Plugin& plugin, std::chrono::milliseconds drain) {
    const Activation::Left left = Activation::end(std::move(plugin.activation), drain);
    dependencies_.remove(plugin.id);
    plugin.status.routes = 0;
    if (options_.on_deactivate) options_.on_deactivate(plugin.id);
    observability::log_info("plugin closed", {{"plugin", plugin.id},
                                              {"generation", plugin.status.generation},
                                              {"mapped", left != Activation::Left::nothing}});
  }

  void close(Plugin& plugin) {
    const std::lock_guard turn(plugin.turn);
    if (!plugin.activation) return;
    deactivate(plugin, options_.drain);
    plugin.status.state = State::discovered;
    registry_->update(plugin.status);
  }

  void fail(Plugin& plugin, const std::exception& failure) {
    plugin.status.reason = reason_of(failure, "plugins.failed");
    plugin.status.state = State::failed;
    plugin.status.routes = 0;
    withdraw(plugin.id);
    if (options_.on_deactivate) options_.on_deactivate(plugin.id);
    log_failure(plugin.status);
  }

  static void log_failure(const PluginStatus& status) {
    observability::log_error("plugin failed", {{"plugin", status.id},
                                               {"code", status.reason->code},
                                               {"reason", describe(*status.reason)},
                                               {"folder", status.folder}});
  }

  void withdraw(const std::string& id) {
    rooms_.router.withdraw("/api/" + id,
                           base::Error(404, "plugins.not_active", "This plugin is not active."));
  }

  // An intermediate state: seen by who looks, not told.
  void show(PluginStatus& status, State state) {
    status.state = state;
    if (is_starting_) return;
    registry_->update(status);
  }

  void announce(const PluginStatus& status) {
    registry_->update(status);
    tell(status);
  }

  void tell(const PluginStatus& status) {
    std::string data;
    base::JsonWriter(data)
        .begin_object()
        .member("id", status.id)
        .member("state", to_string(status.state))
        .member("generation", status.generation)
        .end_object();
    rooms_.bus.publish(std::string(plugins_topic), std::move(data));
  }

  // A damaged file takes its plugin out of service; under other faults it serves on, with a reason.
  void meet(const StorageFault& met) {
    Plugin& plugin = of(met.plugin);
    const std::lock_guard turn(plugin.turn);
    PluginStatus& status = plugin.status;
    if (is_stopping_ || !plugin.activation || status.generation != met.generation) return;
    if (met.fault == data::Fault::healed) {
      if (!status.reason || status.reason->code == storage_failed) return;
      status.reason.reset();
      observability::log_info("the storage of a plugin works again", {{"plugin", met.plugin}});
      announce(status);
      return;
    }
    // Worse than all that may follow, until the file is opened anew.
    if (status.reason && status.reason->code == storage_failed && met.fault != data::Fault::corrupt)
      return;
    const bool is_postgresql = static_cast<bool>(options_.place);
    const std::string_view code = is_postgresql && met.fault == data::Fault::io_failed
                                      ? "data.connection_lost"
                                      : data::code_of(met.fault);
    status.reason =
        storage_reason(code, met.detail, data_name(options_.data, met.plugin, is_postgresql));
    if (met.fault == data::Fault::corrupt) {
      dependencies_.force_leave(met.plugin);
      deactivate(plugin, options_.drain);
      status.state = State::failed;
      log_failure(status);
    } else {
      observability::log_error("the storage of a plugin has a fault",
                               {{"plugin", met.plugin},
                                {"code", status.reason->code},
                                {"reason", describe(*status.reason)},
                                {"file", status.reason->file}});
    }
    announce(status);
  }

  const LifecycleRooms rooms_;
  const LifecycleOptions options_;
  PluginStore store_;
  SettingsStore settings_;
  const std::shared_ptr<Loader> loader_;
  const std::shared_ptr<Registry> registry_;
  ServicesDirectory services_;
  ActivationEnvironment environment_;
  Dependencies dependencies_;
  std::atomic<std::uint64_t> generations_{0};
  std::atomic<bool> is_stopping_{false};
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Plugin>> plugins_;  // none is ever taken away
  std::map<std::string, Found*> found_;                     // during start only
  bool is_starting_ = false;
  FaultQueue faults_;
  std::thread late_;  // activates those that nobody waited for at the start
};

Lifecycle::Lifecycle(LifecycleRooms rooms, LifecycleOptions options)
    : implementation_(std::make_unique<Implementation>(rooms, std::move(options))) {}

Lifecycle::~Lifecycle() {
  stop();
}

void Lifecycle::start() {
  implementation_->start();
}
PluginStatus Lifecycle::enable(const std::string& id) {
  return implementation_->enable(id);
}
PluginStatus Lifecycle::disable(const std::string& id) {
  return implementation_->disable(id);
}
data::schema::Plan Lifecycle::plan(const std::string& id,
                                   const std::optional<std::string>& tables) {
  return implementation_->plan(id, tables);
}
void Lifecycle::stop() {
  implementation_->stop();
}
std::shared_ptr<const Listing> Lifecycle::listing() const {
  return implementation_->listing();
}
std::size_t Lifecycle::resident(std::string_view id) const {
  return implementation_->resident(id);
}

}  // namespace tenon::plugins
