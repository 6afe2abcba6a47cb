#include "lifecycle/plugin_store.hpp"

#include "base/clock.hpp"
#include "data/database.hpp"

namespace tenon::plugins {

std::map<std::string, bool, std::less<>> PluginStore::enabled() const {
  std::map<std::string, bool, std::less<>> flags;
  data::Rows rows = database_.query("SELECT plugin, enabled FROM plugins_state");
  while (rows.next())
    flags.emplace(rows.text(0), rows.boolean(1));
  return flags;
}

void PluginStore::set_enabled(std::string_view plugin, bool is_enabled) {
  database_.exec(
      "INSERT INTO plugins_state(plugin, enabled, changed_ms) VALUES(?1, ?2, ?3) "
      "ON CONFLICT(plugin) DO UPDATE SET enabled = excluded.enabled, changed_ms = "
      "excluded.changed_ms",
      {plugin, is_enabled, base::unix_milliseconds()});
}

}  // namespace tenon::plugins
