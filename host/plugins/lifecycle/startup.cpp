#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "jobs/jobs.hpp"
#include "observability/log.hpp"
#include "plugins/bridge/plugin_database.hpp"
#include "plugins/lifecycle/implementation.hpp"
#include "plugins/lifecycle/open_databases.hpp"
#include "plugins/lifecycle/stored_plugins.hpp"
#include "plugins/loader/loader.hpp"
#include "plugins/resolver/resolver.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

// For each plugin after those that used up LifecycleOptions::boot_patience.
constexpr std::chrono::milliseconds min_boot_patience{1'000};

bool is_timeout(const Reason& reason) {
  return reason.code == "plugins.create_timeout" || reason.code == "plugins.start_timeout";
}

}  // namespace

void Lifecycle::Implementation::start() {
  quarantine_.judge(options_.restart, [this](const std::string& id) {
    const std::optional<Found> found = folders_.one(id);
    return found && found->manifest ? found->manifest->version_text : std::string();
  });
  if (const std::string& job = quarantine_.crashing_job(); !job.empty()) {
    observability::log_error("a job brought the server down twice and is not run again",
                             {{"job", job}});
    rooms_.jobs.set_aside(job, "The server went down while this job ran, for the second time.");
  }
  for (const FolderProblem& problem : folders_.problems()) {
    observability::log_warning("no plugins in a directory of plugins",
                               {{"directory", problem.directory}, {"reason", problem.reason}});
  }
  const auto flags = store_.enabled();
  std::vector<Found> all = folders_.all();
  std::vector<Candidate> candidates;
  Listing duplicates;
  for (Found& found : all) {
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
    Plugin& plugin = of(found.id);
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
  // Nobody waits for large files at a start. A plugin that somebody enables was perhaps out for
  // its damage.
  environment_.check_time = data::CheckTime::beside_work;
  closed_.begin();
  std::vector<std::string> late = activate_all(resolve(candidates));
  environment_.check_time = data::CheckTime::before_opening;
  environment_.start_patience = options_.start_patience;
  is_starting_ = false;
  // An active one has said it.
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
    tell(plugin->status);
  faults_.start();
  health_.start();
  environment_.databases->begin_checks();
  std::vector<std::string> contracting;
  for (const auto& [id, plugin] : plugins_) {
    if (plugin->activation && plugin->activation->has_left()) contracting.push_back(id);
  }
  if (late.empty() && contracting.empty()) return;
  late_ = std::thread([this, late, contracting] {
    contract_late(contracting);
    activate_late(late);
  });
}

// Those whose data is still to be migrated by functions, those that did not come back from create
// or start in time, and those that require them, in order: the start does not wait for these.
std::vector<std::string> Lifecycle::Implementation::activate_all(const Resolution& resolution) {
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
    // Nothing answers under its prefix before it is active.
    rooms_.router.withdraw("/api/" + id, unanswered(status.state));
  }
  auto boot_left = std::min(options_.boot_patience, options_.start_patience);
  for (const std::string& id : resolution.order) {
    environment_.start_patience = std::max(boot_left, min_boot_patience);
    const auto begun = std::chrono::steady_clock::now();
    Plugin& plugin = of(id);
    const std::lock_guard turn(plugin.turn);
    const Found& found = *found_.at(id);
    const bool waits = requires_any_of(*found.manifest, late);
    try {
      if (waits) throw MigrationsWait();
      activate(plugin, found, false);
    } catch (const MigrationsWait& wait) {
      late.push_back(id);
      plugin.status.state = State::resolved;
      rooms_.router.withdraw("/api/" + id, wait);
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

void Lifecycle::Implementation::contract_late(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    Plugin& plugin = of(id);
    const std::lock_guard turn(plugin.turn);
    if (is_stopping_) return;
    contract(plugin);
  }
}

void Lifecycle::Implementation::activate_late(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    Plugin& plugin = of(id);
    const std::lock_guard turn(plugin.turn);
    if (is_stopping_) return;
    if (plugin.activation || !plugin.status.enabled) continue;
    try {
      const std::optional<Found> found = folders_.one(id);
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
