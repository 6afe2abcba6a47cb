#include "console/plugin_admin.hpp"

#include "console/plugins_json.hpp"
#include "observability/audit.hpp"
#include "plugins/lifecycle/lifecycle.hpp"
#include "plugins/reason.hpp"
#include "routing/router.hpp"

namespace tenon::console {

std::string PluginsDesk::item(const plugins::PluginStatus& status) const {
  const routing::Router::Totals totals = router_.totals(status.id);
  return plugin_json(status, {.requests = totals.requests,
                              .errors = totals.errors,
                              .resident = lifecycle_.resident(status.id)});
}

std::string PluginsDesk::list() const {
  std::string text = "{\"items\":[";
  const auto listing = lifecycle_.listing();
  for (const auto& status : *listing) {
    if (!text.ends_with('[')) text += ',';
    text += item(*status);
  }
  return text + "],\"next\":null}";
}

std::string PluginsDesk::show(const std::string& id) const {
  const auto listing = lifecycle_.listing();
  for (const auto& status : *listing) {
    if (status->id == id) return item(*status);
  }
  throw plugins::unknown_plugin(id);
}

std::string PluginsDesk::enable(const std::string& id, const std::string& actor) {
  std::string text = item(lifecycle_.enable(id));
  audit_.record({.actor = actor, .action = "plugins.enabled", .object = id, .details = {}});
  return text;
}

std::string PluginsDesk::disable(const std::string& id, const std::string& actor) {
  std::string text = item(lifecycle_.disable(id));
  audit_.record({.actor = actor, .action = "plugins.disabled", .object = id, .details = {}});
  return text;
}

std::string PluginsDesk::plan(const std::string& id,
                              const std::optional<std::string>& tables) const {
  return lifecycle_.plan(id, tables).to_json();
}

}  // namespace tenon::console
