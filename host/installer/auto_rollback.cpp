#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "installer/packages.hpp"
#include "lifecycle/lifecycle.hpp"
#include "observability/audit.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

// "30 of 60 requests"
std::string in_words(const Answers& answers) {
  return std::to_string(answers.faults) + " of " + std::to_string(answers.requests) + " requests";
}

std::string what_happened(const WatchedUpgrade& upgrade, const Answers& since) {
  return "Version " + upgrade.to + " failed at " + in_words(since) +
         " since it took the place of version " + upgrade.from + ", which failed at " +
         in_words(upgrade.before) + ".";
}

std::string details(const WatchedUpgrade& upgrade, const Answers& since, const std::string& kept) {
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

void PluginInstaller::meet_failing(const WatchedUpgrade& upgrade, const Answers& since) noexcept
    try {
  std::string kept;
  if (options_.on_failing_upgrade == OnFailingUpgrade::rollback) {
    try {
      undo_failing(upgrade, since);
      return;
    } catch (const std::exception& failure) {
      kept = describe(reason_of(failure, "plugins.failed"));
    }
  }
  tell_failing(upgrade, since, kept);
} catch (const std::exception& failure) {
  observability::log_error("a plugin that fails behind its upgrade was not told of",
                           {{"plugin", upgrade.plugin}, {"reason", failure.what()}});
}

void PluginInstaller::undo_failing(const WatchedUpgrade& upgrade, const Answers& since) {
  const std::string& id = upgrade.plugin;
  // Code of the version before alone would meet data that it does not know.
  if (require_previous(id).snapshot.empty())
    throw base::Error(409, "plugins.snapshot_missing", "Its data of then were not kept.");
  const NoWritesSince only{upgrade.generation};
  // What the version before acknowledged while its data were expanded is not in what was kept.
  const PluginStatus status =
      roll_back(id, upgrade.is_all_kept ? RollbackData::restore : RollbackData::keep, &only);
  const std::string text = what_happened(upgrade, since);
  observability::log_error("a plugin failed behind its upgrade, and was rolled back",
                           {{"plugin", id}, {"reason", text}});
  if (options_.audit) {
    options_.audit->record({.actor = "system",
                            .action = "plugins.rolled_back",
                            .object = id,
                            .details = details(upgrade, since, {})});
  }
  lifecycle_->note(id, status.version,
                   {std::string(upgrade_rolled_back),
                    text + " It was rolled back by itself: nothing had been written since.",
                    {},
                    {}});
}

void PluginInstaller::tell_failing(const WatchedUpgrade& upgrade, const Answers& since,
                                   const std::string& kept) {
  std::string text = what_happened(upgrade, since);
  if (!kept.empty()) text += " It was not rolled back by itself: " + kept;
  text += " Look into the log, and roll it back where that is better.";
  // By version: a rollback that is refused late has started the plugin again, as a later
  // generation.
  if (!lifecycle_->note(upgrade.plugin, upgrade.to, {std::string(upgrade_failing), text, {}, {}}))
    return;
  observability::log_error("a plugin fails behind its upgrade",
                           {{"plugin", upgrade.plugin}, {"reason", text}});
  if (!options_.audit) return;
  options_.audit->record({.actor = "system",
                          .action = "plugins.upgrade_failing",
                          .object = upgrade.plugin,
                          .details = details(upgrade, since, kept)});
}

}  // namespace tenon::plugins
