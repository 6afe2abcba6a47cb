#include "lifecycle/lifecycle.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "bridge/declaration.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "events/bus.hpp"
#include "lifecycle/host_tables.hpp"
#include "lifecycle/lifecycle_impl.hpp"
#include "lifecycle/open_databases.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "loader/loader.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "packages/installed/integrity.hpp"
#include "packages/resolver/resolver.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

// The room's tables, before anything reads them.
data::Database& prepared(data::Database& database) {
  make_host_tables(database);
  return database;
}

}  // namespace

LifecycleImpl::LifecycleImpl(LifecycleRooms rooms, LifecycleOptions options)
    : rooms_(rooms),
      options_(std::move(options)),
      store_(prepared(rooms_.database)),
      quarantine_(rooms_.database, options_.data),
      settings_(rooms_.database, settings::key_file(options_.data)),
      public_paths_(rooms_.database, &rooms_.router),
      packages_(rooms_.database, options_.data),
      keyring_(rooms_.database),
      folders_(options_.folders, &packages_),
      loader_(std::make_shared<Loader>(options_.data + "/run/plugins")),
      registry_(std::make_shared<PluginStates>()),
      closed_(options_.data),
      environment_{.data = options_.data,
                   .location = options_.location,
                   .check_time = data::CheckTime::before_opening,
                   .loader = *loader_,
                   .bridge = {&rooms_.users, &rooms_.permissions, &settings_, &rooms_.blobs,
                              &rooms_.uploads, &rooms_.jobs, &rooms_.bus, options_.host_version,
                              static_cast<std::uint64_t>(base::unix_milliseconds()), &services_,
                              rooms_.http_client},
                   .permissions = rooms_.permissions,
                   .live = rooms_.live,
                   .workers = rooms_.workers,
                   .router = rooms_.router,
                   .start_timeout = options_.start_timeout,
                   .health_timeout = options_.health_timeout,
                   .stop_timeout = options_.stop_timeout,
                   .on_activate = [this](const ActivePlugin& plugin) { report_active(plugin); },
                   .on_fault =
                       [this](data::Fault fault, const std::string& plugin,
                              std::uint64_t generation, std::string_view reason) {
                         faults_.add([this, stored = StorageFault{fault, plugin, generation,
                                                                  std::string(reason)}] {
                           handle_fault(stored);
                         });
                       },
                   .databases = std::make_shared<OpenDatabases>(),
                   .search = options_.search,
                   .closed = &closed_,
                   .reserve = options_.reserve},
      health_(options_.health_pause, [this] { ask_for_health(); }) {
  services_.describe_with(
      [registry = registry_](std::string_view id) { return in_words(registry->find(id).get()); });
  rooms_.metrics.add_collector(
      [registry = registry_, loader = loader_,
       databases = environment_.databases](observability::MetricsSink& sink) {
        databases->write_metrics(sink);
        write_metrics(*registry->current(), *loader, sink);
      });
}

void LifecycleImpl::report_active(ActivePlugin plugin) const {
  if (!options_.on_activate) return;
  plugin.is_installed = plugin.folder.starts_with(packages_.absolute("plugins/"));
  const auto before = plugin.is_installed ? packages_.previous(plugin.manifest.id) : std::nullopt;
  if (before && !before->folder.empty()) {
    const auto key = keyring_.find(before->signer);
    if (!key || key->trust != Trust::revoked)
      plugin.former_folder = packages_.absolute(before->folder);
  }
  options_.on_activate(plugin);
}

PluginStatus LifecycleImpl::status_of_found(const DiscoveredPlugin& found,
                                            const PluginStatus& before) const {
  PluginStatus status = status_with_tables(found);
  status.generation = before.generation;
  status.enabled = before.enabled;
  if (const auto previous = packages_.previous(found.id))
    status.previous_version = previous->version;
  return status;
}

// The files of a package must be unmodified, and its signer must not be revoked.
void LifecycleImpl::require_usable(const DiscoveredPlugin& found) const {
  if (found.refused) throw Refusal(*found.refused);
  if (found.manifest && found.manifest->isolation == Isolation::required)
    throw Refusal(isolation_unavailable(found.folder + "/plugin.json"));
  if (!found.installed) return;
  verify_files(found.folder, found.installed->list_hash);
  keyring_.require_not_revoked(found.installed->signer, found.folder);
}

PluginStatus LifecycleImpl::enable(const std::string& id) {
  ManagedPlugin& plugin = known(id);
  const std::lock_guard lock(plugin.mutex);
  if (is_stopping_) throw stopping();
  const bool is_reopened =
      plugin.activation && plugin.status.reason && plugin.status.reason->code == storage_failed;
  if (plugin.activation && !is_reopened) {
    contract(plugin);
    if (plugin.status.reason && is_note(*plugin.status.reason)) {
      plugin.status.reason.reset();
      announce(plugin.status);
    }
    return plugin.status;
  }
  const std::optional<DiscoveredPlugin> found = folders_.one(id);
  if (!found) throw unknown_plugin(id);
  // Two plugins that conflict are never both enabled.
  if (found->manifest) dependencies_.check_conflicts(*found->manifest);
  if (is_reopened) {
    dependencies_.leave(id);
    deactivate(plugin, options_.drain);
  }
  store_.set_enabled(id, true);
  quarantine_.admit(id);
  plugin.status.enabled = true;
  activate_found(plugin);
  return plugin.status;
}

// Activates the plugin from its present folder. Throws the reason, which is published too.
void LifecycleImpl::activate_found(ManagedPlugin& plugin) {
  const std::optional<DiscoveredPlugin> found = folders_.one(plugin.id);
  if (!found) throw unknown_plugin(plugin.id);
  plugin.status = status_of_found(*found, plugin.status);
  try {
    activate(plugin, *found, true);
  } catch (const std::exception& failure) {
    fail(plugin, failure);
    announce(plugin.status);
    const Reason& reason = *plugin.status.reason;
    throw Refusal(reason);
  }
  announce(plugin.status);
}

PluginStatus LifecycleImpl::disable(const std::string& id) {
  ManagedPlugin& plugin = known(id);
  const InterruptingLock lock(plugin);
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
    unpublish(id);
  plugin.status.state = State::disabled;
  announce(plugin.status);
  return plugin.status;
}

data::schema::Plan LifecycleImpl::plan(const std::string& id,
                                       const std::optional<std::string>& tables) {
  ManagedPlugin& plugin = known(id);
  const std::lock_guard lock(plugin.mutex);
  if (is_stopping_) throw stopping();
  const std::optional<DiscoveredPlugin> found = folders_.one(id);
  if (!found) throw unknown_plugin(id);
  if (!found->manifest) throw Refusal(*found->refused);
  const data::Declaration declaration =
      tables ? read_declaration(*found->manifest, found->folder, *tables)
             : read_declaration(*found->manifest, found->folder);
  return plan_declaration(plugin, declaration);
}

data::schema::Plan LifecycleImpl::plan_version(const std::string& id, const Manifest& manifest,
                                               const std::string& folder) {
  ManagedPlugin& plugin = of(id);
  const std::lock_guard lock(plugin.mutex);
  if (is_stopping_) throw stopping();
  return plan_declaration(plugin, read_declaration(manifest, folder));
}

data::schema::Plan LifecycleImpl::plan_declaration(ManagedPlugin& plugin,
                                                   const data::Declaration& declaration) {
  if (plugin.activation) return data::plan(*plugin.activation->database(), declaration);
  if (options_.plan) return options_.plan(declaration);
  // No generation has the file open: an activation would need the mutex.
  return data::plan_file(options_.data + "/" + plugin.id + ".db", true, declaration);
}

void LifecycleImpl::stop(std::chrono::milliseconds timeout) {
  is_stopping_ = true;
  loader_->keep_copies();
  faults_.stop();
  health_.stop();
  if (late_.joinable()) late_.join();
  for (const std::string& id : dependencies_.closing_order())
    close(of(id), timeout);
  // Closes those that were being enabled meanwhile; from here on every change sees that the server
  // stops.
  for (const auto& [id, plugin] : plugins_)
    close(*plugin, timeout);
  closed_.end();
  quarantine_.end();
}

std::shared_ptr<const Listing> LifecycleImpl::listing() const {
  return registry_->current();
}

std::size_t LifecycleImpl::resident(std::string_view id) const {
  return loader_->resident(id);
}

std::shared_ptr<const settings::Schema> LifecycleImpl::settings_schema(const std::string& id) {
  ManagedPlugin& plugin = known(id);
  const std::lock_guard lock(plugin.mutex);
  if (plugin.activation) return plugin.activation->manifest().settings;
  const std::optional<DiscoveredPlugin> found = folders_.one(id);
  if (!found) throw unknown_plugin(id);
  if (!found->manifest) throw Refusal(*found->refused);
  return found->manifest->settings;
}

ManagedPlugin& LifecycleImpl::of(const std::string& id) {
  const std::lock_guard lock(mutex_);
  auto& entry = plugins_[id];
  if (!entry) entry = std::make_unique<ManagedPlugin>(id);
  return *entry;
}

ManagedPlugin& LifecycleImpl::known(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = plugins_.find(id);
    if (found != plugins_.end() && !found->second->is_removed) return *found->second;
  }
  // It may have been added since the start.
  if (!folders_.one(id)) throw unknown_plugin(id);
  return of(id);
}

// Published and logged at most once a second.
void LifecycleImpl::show_migration(ManagedPlugin& plugin, const MigrationProgress& progress) {
  const std::int64_t now = base::unix_milliseconds();
  const bool is_next =
      !plugin.status.migration || plugin.status.migration->number != progress.number;
  plugin.status.migration =
      MigrationStatus{progress.number, progress.name, progress.done, progress.total};
  if (!is_next && !progress.is_finished && now - plugin.last_reported_ms < 1'000 &&
      now >= plugin.last_reported_ms)
    return;
  plugin.last_reported_ms = now;
  registry_->update(plugin.status);
  observability::log_info("the data of a plugin is migrated", {{"plugin", plugin.id},
                                                               {"number", progress.number},
                                                               {"name", progress.name},
                                                               {"done", progress.done},
                                                               {"total", progress.total},
                                                               {"over", progress.is_finished}});
}

Progress LifecycleImpl::progress_of(ManagedPlugin& plugin, Quarantine::Watch& watch) {
  return {.loaded = watch.on_loaded([this, &plugin] {
            if (!plugin.activation) show(plugin.status, State::loaded);
          }),
          .migrated = [this, &plugin](
                          const MigrationProgress& progress) { show_migration(plugin, progress); },
          .must_stop = [this, &plugin] { return is_stopping_ || plugin.interrupts > 0; }};
}

// Writes of the plugin before the change is ended would be lost when it ends.
void LifecycleImpl::require_none_pending(const std::string& id) const {
  for (const PendingOperation& change : packages_.pending_operations()) {
    if (change.plugin != id) continue;
    throw Refusal({"plugins.operation_pending",
                   "A change of its data was begun and could not be ended; the log says why. Start "
                   "the server again, which tries once more, or remove the plugin with its data.",
                   {},
                   {}});
  }
}

void LifecycleImpl::activate(ManagedPlugin& plugin, const DiscoveredPlugin& found, bool may_wait) {
  require_usable(found);
  require_none_pending(plugin.id);
  PluginStatus& status = plugin.status;
  status.reason.reset();
  dependencies_.join(*found.manifest);
  try {
    Quarantine::Watch watch(quarantine_, plugin.id);
    show(status, State::resolved);
    const bool is_first = status.generation == 0;
    status.generation = ++generations_;
    plugin.activation =
        Activation::begin(environment_, *found.manifest, found.folder, status.generation, is_first,
                          may_wait, progress_of(plugin, watch));
    watch.active();
    status.migration.reset();
  } catch (...) {
    status.migration.reset();
    dependencies_.remove(plugin.id);
    throw;
  }
  dependencies_.stay(plugin.id);
  note_active(plugin);
  if (!is_starting_) contract(plugin);
}

void LifecycleImpl::note_active(ManagedPlugin& plugin) {
  PluginStatus& status = plugin.status;
  status.routes = plugin.activation->route_count();
  status.tables = plugin.activation->table_names();
  status.state = State::active;
  observability::log_info("plugin active", {{"plugin", plugin.id},
                                            {"version", status.version},
                                            {"generation", status.generation},
                                            {"routes", status.routes}});
}

void LifecycleImpl::deactivate(ManagedPlugin& plugin, std::chrono::milliseconds drain) {
  const Activation::CloseResult left = Activation::end(std::move(plugin.activation), drain);
  dependencies_.remove(plugin.id);
  quarantine_.closed(plugin.id);
  plugin.status.routes = 0;
  if (options_.on_deactivate) options_.on_deactivate(plugin.id);
  observability::log_info("plugin closed", {{"plugin", plugin.id},
                                            {"generation", plugin.status.generation},
                                            {"mapped", left != Activation::CloseResult::nothing}});
}

void LifecycleImpl::close(ManagedPlugin& plugin, std::chrono::milliseconds timeout) {
  const std::lock_guard lock(plugin.mutex);
  if (!plugin.activation) return;
  deactivate(plugin, std::min(options_.drain, timeout));
  plugin.status.state = State::discovered;
  registry_->update(plugin.status);
}

void LifecycleImpl::fail(ManagedPlugin& plugin, const std::exception& failure) {
  plugin.status.reason = reason_of(failure, "plugins.failed");
  plugin.status.state = State::failed;
  plugin.status.routes = 0;
  unpublish(plugin.id);
  if (options_.on_deactivate) options_.on_deactivate(plugin.id);
  log_failure(plugin.status);
}

void LifecycleImpl::unpublish(const std::string& id) {
  rooms_.router.unpublish("/api/" + id, inactive_error(State::disabled));
}

// An intermediate state: listed, but not published.
void LifecycleImpl::show(PluginStatus& status, State state) {
  status.state = state;
  if (is_starting_) return;
  registry_->update(status);
}

void LifecycleImpl::announce(const PluginStatus& status) {
  registry_->update(status);
  publish_state(status);
}

void LifecycleImpl::publish_state(const PluginStatus& status) {
  std::string data;
  base::JsonWriter(data)
      .begin_object()
      .member("id", status.id)
      .member("state", to_string(status.state))
      .member("generation", status.generation)
      .end_object();
  rooms_.bus.publish(std::string(plugins_topic), std::move(data));
}

Lifecycle::Lifecycle(LifecycleRooms rooms, LifecycleOptions options)
    : implementation_(std::make_unique<LifecycleImpl>(rooms, std::move(options))) {}

Lifecycle::~Lifecycle() {
  stop();
}

void Lifecycle::start() {
  implementation_->start();
}
PluginStatus Lifecycle::enable(const std::string& id) {
  return implementation_->enable(id);
}
PluginStatus Lifecycle::reload(const std::string& id) {
  return implementation_->reload(id);
}
PluginStatus Lifecycle::disable(const std::string& id) {
  return implementation_->disable(id);
}
data::schema::Plan Lifecycle::plan(const std::string& id,
                                   const std::optional<std::string>& tables) {
  return implementation_->plan(id, tables);
}
data::schema::Plan Lifecycle::plan_version(const std::string& id, const Manifest& manifest,
                                           const std::string& folder) {
  return implementation_->plan_version(id, manifest, folder);
}
PluginStatus Lifecycle::replace(const std::string& id, const Replacement& change) {
  return implementation_->replace(id, change);
}
PluginStatus Lifecycle::swap(const std::string& id, const std::string& folder,
                             const std::function<void()>& commit,
                             const std::function<void()>& complete, const NoWritesSince* only,
                             bool replaces_data) {
  return implementation_->swap(id, folder, commit, complete, only, replaces_data);
}
bool Lifecycle::note(const std::string& id, const std::string& version, const Reason& reason) {
  return implementation_->note(id, version, reason);
}
void Lifecycle::remove(const std::string& id, const std::function<void()>& between) {
  implementation_->remove(id, between);
}
void Lifecycle::stop(std::chrono::milliseconds timeout) {
  implementation_->stop(timeout);
}
std::shared_ptr<const Listing> Lifecycle::listing() const {
  return implementation_->listing();
}
std::size_t Lifecycle::resident(std::string_view id) const {
  return implementation_->resident(id);
}

settings::Store& Lifecycle::settings() noexcept {
  return implementation_->settings();
}

PublicPaths& Lifecycle::public_paths() noexcept {
  return implementation_->public_paths();
}

std::shared_ptr<const settings::Schema> Lifecycle::settings_schema(const std::string& id) {
  return implementation_->settings_schema(id);
}

}  // namespace tenon::plugins
