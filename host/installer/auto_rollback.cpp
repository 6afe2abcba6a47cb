#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/lifecycle.hpp"
#include "observability/audit.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

// "30 of 60 requests"
std::string in_words(const ResponseCounts& counts) {
  return std::to_string(counts.faults) + " of " + std::to_string(counts.requests) + " requests";
}

std::string what_happened(const WatchedUpgrade& upgrade, const ResponseCounts& since) {
  return "Version " + upgrade.to + " failed at " + in_words(since) + " since it replaced version " +
         upgrade.from + ", which failed at " + in_words(upgrade.before) + ".";
}

std::string details(const WatchedUpgrade& upgrade, const ResponseCounts& since,
                    const std::string& kept) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("from", upgrade.from)
      .member("to", upgrade.to)
      .member("requests", since.requests)
      .member("faults", since.faults)
      .member("requests_before", upgrade.before.requests)
      .member("faults_before", upgrade.before.faults);
  if (!kept.empty()) json.member("kept", kept);
  json.end_object();
  return text;
}

}  // namespace

void PluginInstaller::on_upgrade_failing(const WatchedUpgrade& upgrade,
                                         const ResponseCounts& since) noexcept try {
  std::string kept;
  if (options_.on_failing_upgrade == OnFailingUpgrade::rollback) {
    try {
      auto_rollback(upgrade, since);
      return;
    } catch (const std::exception& failure) {
      kept = describe(reason_of(failure, "plugins.failed"));
    }
  }
  report_failing(upgrade, since, kept);
} catch (const std::exception& failure) {
  observability::log_error("could not report failing upgrade",
                           {{"plugin", upgrade.plugin}, {"reason", failure.what()}});
}

void PluginInstaller::auto_rollback(const WatchedUpgrade& upgrade, const ResponseCounts& since) {
  const std::string& id = upgrade.plugin;
  // The code of the version before alone might not understand the data.
  if (require_previous(id).snapshot.empty())
    throw base::Error(409, "plugins.snapshot_missing",
                      "There is no snapshot of its data from before the upgrade.");
  const NoWritesSince only{upgrade.generation};
  // Writes that the version before acknowledged while its data was expanded are not in the
  // snapshot.
  const PluginStatus status =
      roll_back(id, upgrade.is_all_kept ? RollbackData::restore : RollbackData::keep, &only);
  const std::string text = what_happened(upgrade, since);
  observability::log_error("failing upgrade rolled back", {{"plugin", id}, {"reason", text}});
  if (options_.audit) {
    options_.audit->record({.actor = "system",
                            .action = "plugins.rolled_back",
                            .object = id,
                            .details = details(upgrade, since, {})});
  }
  lifecycle_->note(id, status.version,
                   {std::string(upgrade_rolled_back),
                    text + " It was rolled back automatically: nothing had been written since.",
                    {},
                    {}});
}

void PluginInstaller::report_failing(const WatchedUpgrade& upgrade, const ResponseCounts& since,
                                     const std::string& kept) {
  std::string text = what_happened(upgrade, since);
  if (!kept.empty()) text += " It was not rolled back automatically: " + kept;
  text += " Check the log, and roll it back if that is better.";
  // By version: a rollback that is refused late has started the plugin again, as a later
  // generation.
  if (!lifecycle_->note(upgrade.plugin, upgrade.to, {std::string(upgrade_failing), text, {}, {}}))
    return;
  observability::log_error("upgrade is failing", {{"plugin", upgrade.plugin}, {"reason", text}});
  if (!options_.audit) return;
  options_.audit->record({.actor = "system",
                          .action = "plugins.upgrade_failing",
                          .object = upgrade.plugin,
                          .details = details(upgrade, since, kept)});
}

}  // namespace tenon::plugins
