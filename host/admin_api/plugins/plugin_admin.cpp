#include "admin_api/plugins/plugin_admin.hpp"

#include "admin_api/plugins/last_crashes.hpp"
#include "admin_api/plugins/plugins_json.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/public_paths.hpp"
#include "observability/audit.hpp"
#include "packages/reason.hpp"
#include "routing/router.hpp"

namespace tenon::console {

std::string PluginAdmin::item(const plugins::PluginStatus& status) const {
  const routing::Router::Totals totals = router_.totals(status.id);
  const auto crash = crashes_.find(status.id);
  return plugin_json(status, *lifecycle_.public_paths().grants(),
                     {.requests = totals.requests,
                      .errors = totals.errors,
                      .resident = lifecycle_.resident(status.id)},
                     crash ? &*crash : nullptr);
}

std::string PluginAdmin::list() const {
  std::string text = "{\"items\":[";
  const auto listing = lifecycle_.listing();
  for (const auto& status : *listing) {
    if (!text.ends_with('[')) text += ',';
    text += item(*status);
  }
  return text + "],\"next\":null}";
}

std::string PluginAdmin::show(const std::string& id) const {
  return item(*find(id));
}

std::shared_ptr<const plugins::PluginStatus> PluginAdmin::find(const std::string& id) const {
  const auto listing = lifecycle_.listing();
  for (const auto& status : *listing) {
    if (status->id == id) return status;
  }
  throw plugins::unknown_plugin(id);
}

std::string PluginAdmin::enable(const std::string& id, const std::string& actor) {
  std::string text = item(lifecycle_.enable(id));
  audit_.record({.actor = actor, .action = "plugins.enabled", .object = id, .details = {}});
  return text;
}

std::string PluginAdmin::disable(const std::string& id, const std::string& actor) {
  std::string text = item(lifecycle_.disable(id));
  audit_.record({.actor = actor, .action = "plugins.disabled", .object = id, .details = {}});
  return text;
}

std::string PluginAdmin::reload(const std::string& id, const std::string& actor) {
  std::string text = item(lifecycle_.reload(id));
  audit_.record({.actor = actor, .action = "plugins.reloaded", .object = id, .details = {}});
  return text;
}

std::string PluginAdmin::grant_path(const std::string& id, const std::string& path,
                                    const std::string& actor) {
  const auto status = find(id);
  lifecycle_.public_paths().grant(*status, path, actor);
  audit_.record({.actor = actor,
                 .action = "plugins.public_path_granted",
                 .object = id,
                 .details = path_details(path)});
  return item(*status);
}

void PluginAdmin::revoke_path(const std::string& id, const std::string& path,
                              const std::string& actor) {
  lifecycle_.public_paths().revoke(id, path);
  audit_.record({.actor = actor,
                 .action = "plugins.public_path_revoked",
                 .object = id,
                 .details = path_details(path)});
}

std::string PluginAdmin::plan(const std::string& id,
                              const std::optional<std::string>& tables) const {
  return lifecycle_.plan(id, tables).to_json();
}

}  // namespace tenon::console
