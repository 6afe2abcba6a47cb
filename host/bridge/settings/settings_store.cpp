#include "bridge/settings/settings_store.hpp"

#include "data/database.hpp"

namespace tenon::plugins {

std::map<std::string, std::string, std::less<>> SettingsStore::read(std::string_view plugin) const {
  std::map<std::string, std::string, std::less<>> values;
  data::Rows rows =
      database_.query("SELECT key, value FROM plugins_settings WHERE plugin = ?1", {plugin});
  while (rows.next())
    values.emplace(rows.text(0), rows.text(1));
  return values;
}

void SettingsStore::write(std::string_view plugin, std::string_view key, std::string_view json) {
  database_.exec(
      "INSERT INTO plugins_settings(plugin, key, value) VALUES(?1, ?2, ?3) "
      "ON CONFLICT(plugin, key) DO UPDATE SET value = excluded.value",
      {plugin, key, json});
}

void SettingsStore::remove(std::string_view plugin, std::string_view key) {
  database_.exec("DELETE FROM plugins_settings WHERE plugin = ?1 AND key = ?2", {plugin, key});
}

}  // namespace tenon::plugins
