#include <utility>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "events/bus.hpp"
#include "http/connection/hold.hpp"
#include "lifecycle/lifecycle_impl.hpp"
#include "loader/loader.hpp"
#include "observability/log.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

// Releases the requests that wait, however the change ends.
class Release {
 public:
  explicit Release(std::shared_ptr<http::Hold> hold) noexcept : hold_(std::move(hold)) {}
  ~Release() {
    hold_->release();
    const http::Hold::Statistics counted = hold_->statistics();
    if (counted.waited == 0) return;
    observability::log_info("requests waited for a change of a plugin",
                            {{"waited", counted.waited},
                             {"refused", counted.refused},
                             {"max_wait_ms", counted.max_wait / 1'000'000}});
  }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;

 private:
  const std::shared_ptr<http::Hold> hold_;
};

void require_no_writes_since(const ManagedPlugin& plugin, const NoWritesSince& only) {
  if (!plugin.activation || plugin.status.generation != only.generation) {
    throw base::Error(409, "plugins.replaced",
                      "Another generation of this plugin is active by now.");
  }
  if (const std::uint64_t writes = plugin.activation->writes(); writes != 0) {
    throw base::Error(409, "plugins.writes_since_upgrade",
                      writes == 1 ? "A write that was acknowledged since would be lost."
                                  : std::to_string(writes) +
                                        " writes that were acknowledged since would be lost.");
  }
}

}  // namespace

PluginStatus LifecycleImpl::replace(const std::string& id, const Replacement& change) {
  ManagedPlugin& plugin = of(id);
  const InterruptingLock lock(plugin);
  if (is_stopping_) throw stopping();
  const std::optional<DiscoveredPlugin> before = folders_.one(id);
  const PluginStatus earlier = plugin.status;
  const DiscoveredPlugin next = look_at_version(change.folder, id);
  if (next.refused) throw Refusal(*next.refused);
  if (before && !plugin.status.enabled) {
    change.commit();
    plugin.status = status_of_found(*folders_.one(id), plugin.status);
    plugin.status.state = State::disabled;
    announce(plugin.status);
    return plugin.status;
  }

  // The status is listed while the plugin starts: without an id it would stay as an entry of its
  // own.
  if (!before) plugin.status = status_of_found(next, plugin.status);
  const auto hold = std::make_shared<http::Hold>();
  const Release release(hold);
  Activation* const from = plugin.activation.get();
  Handover handover{.from = from,
                    .hold = hold,
                    .start_snapshot = change.start_snapshot,
                    .take_snapshot = change.take_snapshot,
                    .commit_to_restore = change.commit_to_restore,
                    .commit = [&] {
                      change.commit();
                      lift_quarantine(id);
                    }};
  if (from != nullptr)
    dependencies_.replace(*next.manifest);
  else
    dependencies_.join(*next.manifest);
  const std::uint64_t generation = ++generations_;
  std::unique_ptr<Activation> made;
  try {
    quarantine_.watch(id);
    Quarantine::Watch watch(quarantine_, id, next.manifest->version_text);
    made = Activation::begin(environment_, *next.manifest, next.folder, generation,
                             plugin.status.generation == 0, true, progress_of(plugin, watch),
                             &handover);
    watch.active();
  } catch (const std::exception& failure) {
    observability::log_error("a change of a plugin failed",
                             {{"plugin", id},
                              {"version", next.manifest->version_text},
                              {"reason", describe(reason_of(failure, "plugins.failed"))}});
    plugin.status.migration.reset();
    revert(plugin, change, handover, before, earlier);
    throw;
  }
  std::unique_ptr<Activation> old = std::exchange(plugin.activation, std::move(made));
  dependencies_.stay(id);
  plugin.is_removed = false;
  plugin.status = status_of_found(*folders_.one(id), plugin.status);
  plugin.status.generation = generation;
  note_active(plugin);
  hold->release();
  announce(plugin.status);
  const auto left = old ? retire_generation(plugin, std::move(old), Activation::Successor::replaced)
                        : Activation::CloseResult::nothing;
  if (left != Activation::CloseResult::running)
    contract(plugin);
  else if (plugin.activation->has_pending_contract())
    note_pending(plugin, "The version before did not end.");
  return plugin.status;
}

PluginStatus LifecycleImpl::reload(const std::string& id) {
  ManagedPlugin& plugin = known(id);
  const std::optional<DiscoveredPlugin> found = folders_.one(id);
  if (!found) throw unknown_plugin(id);
  if (found->installed) throw Refusal(installed_from_package());
  bool is_active = false;
  {
    const std::lock_guard lock(plugin.mutex);
    if (!plugin.status.enabled) {
      throw base::Error(409, "plugins.not_active",
                        "The plugin is disabled. Enable it: it then loads its files.");
    }
    is_active = plugin.activation != nullptr;
  }
  if (!is_active) return enable(id);
  Replacement change;
  change.folder = found->folder;
  change.take_snapshot = [](data::Database*, data::OnlineSnapshot*) {};
  change.commit_to_restore = change.commit = [] {};
  change.restore = [](bool) {};
  return replace(id, change);
}

// A failure does not undo the change, which is committed.
void LifecycleImpl::lift_quarantine(const std::string& id) noexcept {
  try {
    quarantine_.lift(id);
  } catch (const std::exception& failure) {
    observability::log_warning(
        "the quarantine of a plugin is still stored, though another version took its place; the "
        "next start keeps it out until it is enabled",
        {{"plugin", id}, {"reason", failure.what()}});
  }
}

Activation::CloseResult LifecycleImpl::retire_generation(ManagedPlugin& plugin,
                                                         std::unique_ptr<Activation> old,
                                                         Activation::Successor successor) {
  const std::uint64_t generation = old->generation();
  const Activation::CloseResult left = Activation::end(std::move(old), options_.drain, successor);
  observability::log_info("plugin closed", {{"plugin", plugin.id},
                                            {"generation", generation},
                                            {"mapped", left != Activation::CloseResult::nothing}});
  return left;
}

void LifecycleImpl::revert(ManagedPlugin& plugin, const Replacement& change,
                           const Handover& handover, const std::optional<DiscoveredPlugin>& before,
                           const PluginStatus& earlier) {
  if (handover.from == nullptr) {
    dependencies_.remove(plugin.id);
    try {
      if (handover.will_restore) change.restore(handover.data_modified);
    } catch (const std::exception& failure) {
      // The next change of the plugin, or the next start, ends it; the exception is why this one
      // failed.
      observability::log_error(
          "what a change of a plugin began could not be undone",
          {{"plugin", plugin.id}, {"reason", describe(reason_of(failure, "plugins.failed"))}});
    }
    if (before) {
      plugin.status = earlier;
      rooms_.router.unpublish("/api/" + plugin.id, inactive_error(earlier.state));
      announce(plugin.status);
    } else {
      plugin.is_removed = true;
      rooms_.router.remove("/api/" + plugin.id);
      registry_->remove(plugin.id);
      if (options_.on_deactivate) options_.on_deactivate(plugin.id);
    }
    return;
  }
  dependencies_.replace(plugin.activation->manifest());
  if (!handover.is_suspended) return;
  retire_generation(
      plugin, std::move(plugin.activation),
      handover.data_modified ? Activation::Successor::restored : Activation::Successor::held);
  try {
    if (handover.will_restore) {
      change.restore(handover.data_modified);
    } else {
      observability::log_info("the version before continues with its data as it is",
                              {{"plugin", plugin.id}});
    }
  } catch (const std::exception& failure) {
    dependencies_.remove(plugin.id);
    fail(plugin, failure);
    announce(plugin.status);
    return;
  }
  try {
    start_while_held(plugin, *before);
  } catch (const base::Error&) {
    return;  // the status has the reason; the exception is why the change failed
  }
}

void LifecycleImpl::start_while_held(ManagedPlugin& plugin, const DiscoveredPlugin& found) {
  plugin.status = status_of_found(found, plugin.status);
  plugin.status.generation = ++generations_;
  try {
    require_usable(found);
    Quarantine::Watch watch(quarantine_, plugin.id);
    plugin.activation =
        Activation::begin(environment_, *found.manifest, found.folder, plugin.status.generation,
                          false, true, progress_of(plugin, watch));
    watch.active();
  } catch (const std::exception& failure) {
    plugin.status.migration.reset();
    dependencies_.remove(plugin.id);
    fail(plugin, failure);
    announce(plugin.status);
    const Reason& reason = *plugin.status.reason;
    throw Refusal(reason);
  }
  plugin.status.migration.reset();
  note_active(plugin);
  announce(plugin.status);
}

void LifecycleImpl::suspend(ManagedPlugin& plugin, const std::shared_ptr<http::Hold>& hold,
                            const NoWritesSince* only, const DiscoveredPlugin& before) {
  try {
    plugin.activation->suspend(hold);
    if (only) require_no_writes_since(plugin, *only);
  } catch (...) {
    // A suspended generation cannot serve again; only a new one can.
    dependencies_.replace(plugin.activation->manifest());
    retire_generation(plugin, std::move(plugin.activation), Activation::Successor::held);
    start_while_held(plugin, before);
    throw;
  }
}

bool LifecycleImpl::note(const std::string& id, const std::string& version, const Reason& reason) {
  ManagedPlugin& plugin = known(id);
  const std::lock_guard lock(plugin.mutex);
  PluginStatus& status = plugin.status;
  if (!plugin.activation || status.version != version) return false;
  if (status.reason && !is_note(*status.reason)) return false;
  status.reason = reason;
  announce(status);
  return true;
}

PluginStatus LifecycleImpl::swap(const std::string& id, const std::string& folder,
                                 const std::function<void()>& commit,
                                 const std::function<void()>& complete, const NoWritesSince* only,
                                 bool replaces_data) {
  ManagedPlugin& plugin = known(id);
  const InterruptingLock lock(plugin);
  if (is_stopping_) throw stopping();
  const std::optional<DiscoveredPlugin> before = folders_.one(id);
  std::optional<DiscoveredPlugin> next =
      folder.empty() ? folders_.in_directories(id) : look_at_version(folder, id);
  if (!next)
    throw base::Error(404, "plugins.unknown", "No directory has the plugin \"" + id + "\".");
  if (next->refused) throw Refusal(*next->refused);
  const auto hold = std::make_shared<http::Hold>();
  const Release release(hold);
  const bool was_active = plugin.activation != nullptr;
  if (only) require_no_writes_since(plugin, *only);
  if (was_active) {
    dependencies_.replace(*next->manifest);
    suspend(plugin, hold, only, *before);
    retire_generation(
        plugin, std::move(plugin.activation),
        replaces_data ? Activation::Successor::restored : Activation::Successor::held);
  }
  try {
    commit();
  } catch (...) {
    if (was_active) {
      if (before->manifest) dependencies_.replace(*before->manifest);
      start_while_held(plugin, *before);
    }
    throw;
  }
  if (std::optional<DiscoveredPlugin> found = folders_.one(id)) next = std::move(found);
  try {
    complete();
  } catch (const std::exception& failure) {
    plugin.status = status_of_found(*next, plugin.status);
    dependencies_.remove(id);
    fail(plugin, failure);
    announce(plugin.status);
    throw;
  }
  if (was_active) {
    start_while_held(plugin, *next);
  } else if (plugin.status.enabled) {
    quarantine_.watch(id);
    activate_found(plugin);
    lift_quarantine(id);
  } else {
    plugin.status = status_of_found(*next, plugin.status);
    plugin.status.state = State::disabled;
    announce(plugin.status);
  }
  return plugin.status;
}

// Nothing was removed.
void LifecycleImpl::resume(ManagedPlugin& plugin) {
  try {
    activate_found(plugin);
  } catch (const base::Error&) {
    return;  // the status has the reason; the exception is why it was not removed
  }
}

void LifecycleImpl::remove(const std::string& id, const std::function<void()>& between) {
  ManagedPlugin& plugin = known(id);
  const InterruptingLock lock(plugin);
  if (is_stopping_) throw stopping();
  const bool was_active = plugin.activation != nullptr;
  if (was_active) {
    dependencies_.leave(id);
    deactivate(plugin, options_.drain);
  }
  try {
    between();
  } catch (...) {
    if (was_active) resume(plugin);
    throw;
  }
  if (options_.on_remove) options_.on_remove(id);
  const std::uint64_t generation = plugin.status.generation;
  const std::optional<DiscoveredPlugin> left = folders_.one(id);
  plugin.status = PluginStatus();
  plugin.status.generation = generation;
  if (left) {
    // An older one that a directory has must not begin by itself on data that may be newer.
    store_.set_enabled(id, false);
    plugin.status.enabled = false;
    plugin.status = status_of_found(*left, plugin.status);
    plugin.status.state = State::disabled;
    announce(plugin.status);
    return;
  }
  plugin.is_removed = true;
  rooms_.router.remove("/api/" + id);
  registry_->remove(id);
  std::string data;
  base::JsonWriter(data)
      .begin_object()
      .member("id", id)
      .member("state", "removed")
      .member("generation", generation)
      .end_object();
  rooms_.bus.publish(std::string(plugins_topic), std::move(data));
}

}  // namespace tenon::plugins
