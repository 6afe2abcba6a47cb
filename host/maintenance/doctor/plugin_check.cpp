#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "lifecycle/discovery.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/probation/quarantine.hpp"
#include "maintenance/doctor/checks.hpp"
#include "maintenance/doctor/host_tables.hpp"
#include "packages/resolver/resolver.hpp"

namespace tenon::console {

namespace {

void add_failure(Report& report, const std::string& id, const std::string& code,
                 const std::string& message) {
  report.error(
      "plugins.failed", id, message + " (" + code + ")",
      "Fix the cause, then: tenon plugin enable " + id + ". Or: tenon plugin disable " + id + ".");
}

// Reports pending contract migrations. The checks of their sources report other reasons of an
// active plugin.
void warn_pending(Report& report, const std::string& id, const Poco::JSON::Object& plugin) {
  const auto reason = plugin.getObject("reason");
  if (reason->optValue<std::string>("code", "") != plugins::contract_pending) return;
  report.warning(std::string(plugins::contract_pending), id,
                 reason->optValue<std::string>("message", ""),
                 "Fix the cause, then: tenon plugin enable " + id + ".");
}

// Ids of all plugins that are there.
using Ids = std::set<std::string>;

// Checks the list of the running server.
Ids check_running(const std::string& list, Report& report) {
  Ids ids;
  std::size_t active = 0;
  const auto response = base::parse_json_object(list, {.max_bytes = list.size() + 1});
  const auto plugins = response->getArray("items");
  for (std::size_t i = 0; i < plugins->size(); ++i) {
    const auto plugin = plugins->getObject(static_cast<unsigned>(i));
    const auto id = plugin->getValue<std::string>("id");
    const auto state = plugin->getValue<std::string>("state");
    ids.insert(id);
    if (state == "active") ++active;
    if (state == "active" && !plugin->isNull("reason")) warn_pending(report, id, *plugin);
    if (state == "active" || state == "disabled") continue;
    if ((state == "failed" || state == "quarantined") && !plugin->isNull("reason")) {
      const auto reason = plugin->getObject("reason");
      add_failure(report, id, reason->optValue<std::string>("code", ""),
                  reason->optValue<std::string>("message", ""));
    } else {
      report.warning("plugins.pending", id, "It is neither active nor disabled: " + state + ".",
                     "Try again in a moment; then look into the server's log.");
    }
  }
  report.summarize(std::to_string(ids.size()) + " plugins, " + std::to_string(active) + " active");
  return ids;
}

std::map<std::string, bool> enabled_flags(const CheckContext& context) {
  std::map<std::string, bool> flags;
  HostTables tables(context);
  tables.each("SELECT plugin, enabled FROM plugins_state",
              [&flags](std::string plugin, std::int64_t enabled) {
                flags.insert_or_assign(std::move(plugin), enabled != 0);
              });
  return flags;
}

// Those that the next start keeps out, with the reason.
std::map<std::string, std::string> quarantined(const CheckContext& context) {
  std::map<std::string, std::string> messages;
  HostTables tables(context);
  // An id has no blank. Earlier versions have no such table.
  tables.each("SELECT plugin || ' ' || message, since_ms FROM plugins_quarantine",
              [&messages](const std::string& text, std::int64_t) {
                const std::size_t end = text.find(' ');
                messages.emplace(text.substr(0, end), text.substr(end + 1));
              });
  return messages;
}

// Returns the plugins of directories, and those installed from packages, which take precedence.
std::vector<plugins::DiscoveredPlugin> all_plugins(const CheckContext& context) {
  std::vector<plugins::DiscoveredPlugin> all =
      plugins::PluginFolders(context.installation.settings->plugins, nullptr).all();
  HostTables tables(context);
  // Earlier versions have no such table.
  tables.each(
      "SELECT plugin || ' ' || folder, serial FROM plugins_versions "
      "WHERE is_current = 1 AND folder <> ''",
      [&](const std::string& text, std::int64_t) {
        const std::size_t end = text.find(' ');
        const std::string id = text.substr(0, end);
        std::erase_if(all, [&id](const plugins::DiscoveredPlugin& one) { return one.id == id; });
        all.push_back(
            plugins::look_at_version(context.installation.data + "/" + text.substr(end + 1), id));
      });
  return all;
}

// Checks the plugins that the next start would find.
Ids check_stored(const CheckContext& context, Report& report) {
  const auto flags = enabled_flags(context);
  const std::vector<plugins::DiscoveredPlugin> all = all_plugins(context);
  const auto held = quarantined(context);
  std::vector<plugins::Candidate> candidates;
  Ids ids;
  for (const plugins::DiscoveredPlugin& found : all) {
    const auto flag = flags.find(found.id);
    const bool is_enabled = flag == flags.end() || flag->second;
    ids.insert(found.id);
    if (found.refused && is_enabled)
      add_failure(report, found.id, found.refused->code, plugins::describe(*found.refused));
    const bool is_duplicate = found.refused && found.refused->code == "plugins.duplicate_id";
    const auto excluded = is_duplicate ? held.end() : held.find(found.id);
    if (excluded != held.end() && is_enabled && !found.refused)
      add_failure(report, found.id, std::string(plugins::crashed_code), excluded->second);
    if (found.manifest && !is_duplicate) {
      candidates.push_back(
          {&*found.manifest, is_enabled, !found.refused && excluded == held.end()});
    }
  }
  for (const auto& [id, reason] : plugins::resolve(candidates).refused)
    add_failure(report, id, reason.code, plugins::describe(reason));
  report.summarize(std::to_string(ids.size()) + " plugins, none loaded");
  return ids;
}

}  // namespace

void check_plugins(CheckContext& context) {
  Report& report = context.report;
  report.begin("plugins");
  Ids ids;
  try {
    if (context.plugin_list)
      ids = check_running(*context.plugin_list, report);
    else if (context.installation.settings && !context.has_server)
      ids = check_stored(context, report);
    else
      return report.summarize("not looked at");
  } catch (const std::exception& failure) {
    report.warning("plugins.unknown", context.installation.data,
                   std::string("Its plugins cannot be listed: ") + failure.what(),
                   "Look into the server's log.");
    return;
  }
  for (const std::string& file : context.databases) {
    const std::string id = std::filesystem::path(file).stem().string();
    if (id == "tenon" || ids.contains(id)) continue;
    report.note("plugins.orphan_database", file, "No plugin of this name is there.",
                "Put the plugin back to use it, or move the file away.");
  }
}

}  // namespace tenon::console
