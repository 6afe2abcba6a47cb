#include <utility>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "events/bus.hpp"
#include "http/hold.hpp"
#include "observability/log.hpp"
#include "plugins/lifecycle/implementation.hpp"
#include "plugins/loader/loader.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

// Requests that wait go on, however the change ends.
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
                             {"longest_ms", counted.max_wait / 1'000'000}});
  }
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;

 private:
  const std::shared_ptr<http::Hold> hold_;
};

void require_unwritten(const Plugin& plugin, const NoWritesSince& only) {
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

PluginStatus Lifecycle::Implementation::replace(const std::string& id, const Replacement& change) {
  Plugin& plugin = of(id);
  const InterruptingLock turn(plugin);
  if (is_stopping_) throw stopping();
  const std::optional<Found> before = folders_.one(id);
  const PluginStatus earlier = plugin.status;
  const Found next = look_at_version(change.folder, id);
  if (next.refused) throw Refusal(*next.refused);
  if (before && !plugin.status.enabled) {
    change.commit();
    plugin.status = status_of_found(*folders_.one(id), plugin.status);
    plugin.status.state = State::disabled;
    announce(plugin.status);
    return plugin.status;
  }

  // It is seen while it begins: without an id it would be an entry of its own that stays.
  if (!before) plugin.status = status_of_found(next, plugin.status);
  const auto hold = std::make_shared<http::Hold>();
  const Release release(hold);
  Activation* const from = plugin.activation.get();
  Handover handover{.from = from,
                    .hold = hold,
                    .begin_keeping = change.begin_keeping,
                    .keep = change.keep,
                    .arm = change.arm,
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
    go_back(plugin, change, handover, before, earlier);
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
  const auto left = old ? end_for(plugin, std::move(old), Activation::Successor::replaced)
                        : Activation::Left::nothing;
  if (left != Activation::Left::running)
    contract(plugin);
  else if (plugin.activation->has_left())
    note_pending(plugin, "The version before did not end.");
  return plugin.status;
}

// What is decided is not undone for it.
void Lifecycle::Implementation::lift_quarantine(const std::string& id) noexcept {
  try {
    quarantine_.lift(id);
  } catch (const std::exception& failure) {
    observability::log_warning(
        "the quarantine of a plugin is still stored, though another version took its place; the "
        "next start keeps it out until it is enabled",
        {{"plugin", id}, {"reason", failure.what()}});
  }
}

Activation::Left Lifecycle::Implementation::end_for(Plugin& plugin, std::unique_ptr<Activation> old,
                                                    Activation::Successor successor) {
  const std::uint64_t generation = old->generation();
  const Activation::Left left = Activation::end(std::move(old), options_.drain, successor);
  observability::log_info("plugin closed", {{"plugin", plugin.id},
                                            {"generation", generation},
                                            {"mapped", left != Activation::Left::nothing}});
  return left;
}

void Lifecycle::Implementation::go_back(Plugin& plugin, const Replacement& change,
                                        const Handover& handover,
                                        const std::optional<Found>& before,
                                        const PluginStatus& earlier) {
  if (handover.from == nullptr) {
    dependencies_.remove(plugin.id);
    try {
      if (handover.is_armed) change.restore(handover.is_touched);
    } catch (const std::exception& failure) {
      // The next change of it, or the next start, ends that; what is thrown is why this one failed.
      observability::log_error(
          "what a change of a plugin began could not be undone",
          {{"plugin", plugin.id}, {"reason", describe(reason_of(failure, "plugins.failed"))}});
    }
    if (before) {
      plugin.status = earlier;
      rooms_.router.withdraw("/api/" + plugin.id, unanswered(earlier.state));
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
  end_for(plugin, std::move(plugin.activation),
          handover.is_touched ? Activation::Successor::restored : Activation::Successor::held);
  try {
    if (handover.is_armed) {
      change.restore(handover.is_touched);
    } else {
      observability::log_info("the version before goes on with its data as they are",
                              {{"plugin", plugin.id}});
    }
  } catch (const std::exception& failure) {
    dependencies_.remove(plugin.id);
    fail(plugin, failure);
    announce(plugin.status);
    return;
  }
  try {
    begin_held(plugin, *before);
  } catch (const base::Error&) {
    return;  // the status says it; what is thrown is why the change failed
  }
}

void Lifecycle::Implementation::begin_held(Plugin& plugin, const Found& found) {
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

void Lifecycle::Implementation::suspend(Plugin& plugin, const std::shared_ptr<http::Hold>& hold,
                                        const NoWritesSince* only, const Found& before) {
  try {
    plugin.activation->suspend(hold);
    if (only) require_unwritten(plugin, *only);
  } catch (...) {
    // There is no way back but to begin it again.
    dependencies_.replace(plugin.activation->manifest());
    end_for(plugin, std::move(plugin.activation), Activation::Successor::held);
    begin_held(plugin, before);
    throw;
  }
}

bool Lifecycle::Implementation::note(const std::string& id, const std::string& version,
                                     const Reason& reason) {
  Plugin& plugin = known(id);
  const std::lock_guard turn(plugin.turn);
  PluginStatus& status = plugin.status;
  if (!plugin.activation || status.version != version) return false;
  if (status.reason && !is_note(*status.reason)) return false;
  status.reason = reason;
  announce(status);
  return true;
}

PluginStatus Lifecycle::Implementation::swap(const std::string& id, const std::string& folder,
                                             const std::function<void()>& commit,
                                             const std::function<void()>& complete,
                                             const NoWritesSince* only, bool replaces_data) {
  Plugin& plugin = known(id);
  const InterruptingLock turn(plugin);
  if (is_stopping_) throw stopping();
  const std::optional<Found> before = folders_.one(id);
  std::optional<Found> next =
      folder.empty() ? folders_.in_directories(id) : look_at_version(folder, id);
  if (!next)
    throw base::Error(404, "plugins.unknown", "No directory has the plugin \"" + id + "\".");
  if (next->refused) throw Refusal(*next->refused);
  const auto hold = std::make_shared<http::Hold>();
  const Release release(hold);
  const bool was_active = plugin.activation != nullptr;
  if (only) require_unwritten(plugin, *only);
  if (was_active) {
    dependencies_.replace(*next->manifest);
    suspend(plugin, hold, only, *before);
    end_for(plugin, std::move(plugin.activation),
            replaces_data ? Activation::Successor::restored : Activation::Successor::held);
  }
  try {
    commit();
  } catch (...) {
    if (was_active) {
      if (before->manifest) dependencies_.replace(*before->manifest);
      begin_held(plugin, *before);
    }
    throw;
  }
  if (std::optional<Found> found = folders_.one(id)) next = std::move(found);
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
    begin_held(plugin, *next);
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
void Lifecycle::Implementation::go_on(Plugin& plugin) {
  try {
    activate_found(plugin);
  } catch (const base::Error&) {
    return;  // the status says it; what is thrown is why it was not removed
  }
}

void Lifecycle::Implementation::remove(const std::string& id,
                                       const std::function<void()>& between) {
  Plugin& plugin = known(id);
  const InterruptingLock turn(plugin);
  if (is_stopping_) throw stopping();
  const bool was_active = plugin.activation != nullptr;
  if (was_active) {
    dependencies_.leave(id);
    deactivate(plugin, options_.drain);
  }
  try {
    between();
  } catch (...) {
    if (was_active) go_on(plugin);
    throw;
  }
  if (options_.on_remove) options_.on_remove(id);
  const std::uint64_t generation = plugin.status.generation;
  const std::optional<Found> left = folders_.one(id);
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
