#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "bridge/db/plugin_database.hpp"
#include "jobs/jobs.hpp"
#include "lifecycle/lifecycle_impl.hpp"
#include "lifecycle/open_databases.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "loader/loader.hpp"
#include "observability/log.hpp"
#include "packages/resolver/resolver.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

// For each plugin after those that used up LifecycleOptions::boot_timeout.
constexpr std::chrono::milliseconds min_boot_timeout{1'000};

bool is_timeout(const Reason& reason) {
  return reason.code == "plugins.create_timeout" || reason.code == "plugins.start_timeout";
}

}  // namespace

void LifecycleImpl::start() {
  public_paths_.refresh();
  quarantine_.check_last_run(options_.restart, [this](const std::string& id) {
    const std::optional<DiscoveredPlugin> found = folders_.one(id);
    return found && found->manifest ? found->manifest->version_text : std::string();
  });
  if (const std::string& job = quarantine_.crashing_job(); !job.empty()) {
    observability::log_error("a job crashed the server twice and is not run again", {{"job", job}});
    rooms_.jobs.fail_for_good(job, "The server went down while this job ran, for the second time.");
  }
  for (const FolderProblem& problem : folders_.problems()) {
    observability::log_warning("no plugins in a directory of plugins",
                               {{"directory", problem.directory}, {"reason", problem.reason}});
  }
  const auto flags = store_.enabled();
  std::vector<DiscoveredPlugin> all = folders_.all();
  std::vector<Candidate> candidates;
  Listing duplicates;
  for (DiscoveredPlugin& found : all) {
    PluginStatus status = status_of(found);
    if (status.is_duplicate) {
      status.tables = declared_tables(found.folder);
      log_failure(status);
      duplicates.push_back(std::make_shared<const PluginStatus>(std::move(status)));
      continue;
    }
    const auto flag = flags.find(found.id);
    status.enabled = flag == flags.end() || flag->second;
    const bool is_held = quarantine_.hold(status);
    ManagedPlugin& plugin = of(found.id);
    plugin.status = std::move(status);
    if (found.manifest)
      candidates.push_back({&*found.manifest, plugin.status.enabled, !found.refused && !is_held});
    found_.insert_or_assign(found.id, &found);
  }
  for (const auto& [id, plugin] : plugins_) {
    if (const auto previous = packages_.previous(id))
      plugin->status.previous_version = previous->version;
  }
  is_starting_ = true;
  // A start does not wait for checks of large files. A plugin that an admin enables may have been
  // closed because its file is damaged.
  environment_.check_time = data::CheckTime::while_serving;
  closed_.begin();
  std::vector<std::string> late = activate_all(resolve(candidates));
  environment_.check_time = data::CheckTime::before_opening;
  environment_.start_timeout = options_.start_timeout;
  is_starting_ = false;
  // An active one has reported its tables.
  for (const auto& [id, plugin] : plugins_) {
    if (!plugin->activation) plugin->status.tables = declared_tables(plugin->status.folder);
  }
  found_.clear();
  loader_->forget_left();

  Listing listing;
  for (const auto& [id, plugin] : plugins_)
    listing.push_back(std::make_shared<const PluginStatus>(plugin->status));
  listing.insert(listing.end(), duplicates.begin(), duplicates.end());
  registry_->replace(std::move(listing));
  for (const auto& [id, plugin] : plugins_)
    publish_state(plugin->status);
  faults_.start();
  health_.start();
  environment_.databases->begin_checks();
  std::vector<std::string> contract_ids;
  for (const auto& [id, plugin] : plugins_) {
    if (plugin->activation && plugin->activation->has_pending_contract())
      contract_ids.push_back(id);
  }
  if (late.empty() && contract_ids.empty()) return;
  late_ = std::thread([this, late, contract_ids] {
    contract_late(contract_ids);
    activate_late(late);
  });
}

// Returns the plugins that the start does not wait for, in order: those whose data functions still
// have to migrate, those that did not return from create or start in time, and those that require
// them.
std::vector<std::string> LifecycleImpl::activate_all(const Resolution& resolution) {
  std::vector<std::string> late;
  for (const auto& [id, plugin] : plugins_) {
    PluginStatus& status = plugin->status;
    if (status.enabled && !status.reason) {
      if (const auto refused = resolution.refused.find(id); refused != resolution.refused.end())
        status.reason = refused->second;
    }
    if (!status.enabled)
      status.state = State::disabled;
    else if (status.reason && status.state != State::quarantined)
      status.state = State::failed;
    if (status.state == State::failed) log_failure(status);
    // Until it is active, requests to its prefix get an error.
    rooms_.router.unpublish("/api/" + id, inactive_error(status.state));
  }
  auto boot_left = std::min(options_.boot_timeout, options_.start_timeout);
  for (const std::string& id : resolution.order) {
    environment_.start_timeout = std::max(boot_left, min_boot_timeout);
    const auto begun = std::chrono::steady_clock::now();
    ManagedPlugin& plugin = of(id);
    const std::lock_guard lock(plugin.mutex);
    const DiscoveredPlugin& found = *found_.at(id);
    const bool waits = requires_any_of(*found.manifest, late);
    try {
      if (waits) throw MigrationsWait();
      activate(plugin, found, false);
    } catch (const MigrationsWait& wait) {
      late.push_back(id);
      plugin.status.state = State::resolved;
      rooms_.router.unpublish("/api/" + id, wait);
    } catch (const std::exception& failure) {
      fail(plugin, failure);
      if (!is_timeout(*plugin.status.reason)) continue;
      late.push_back(id);
      boot_left -= std::chrono::duration_cast<std::chrono::milliseconds>(
          std::chrono::steady_clock::now() - begun);
    }
  }
  return late;
}

void LifecycleImpl::contract_late(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    ManagedPlugin& plugin = of(id);
    const std::lock_guard lock(plugin.mutex);
    if (is_stopping_) return;
    contract(plugin);
  }
}

void LifecycleImpl::activate_late(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    ManagedPlugin& plugin = of(id);
    const std::lock_guard lock(plugin.mutex);
    if (is_stopping_) return;
    if (plugin.activation || !plugin.status.enabled) continue;
    try {
      const std::optional<DiscoveredPlugin> found = folders_.one(id);
      if (!found) throw unknown_plugin(id);
      activate(plugin, *found, true);
    } catch (const std::exception& failure) {
      if (is_stopping_) return;
      fail(plugin, failure);
    }
    announce(plugin.status);
  }
}

}  // namespace tenon::plugins
