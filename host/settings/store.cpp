#include "settings/store.hpp"

#include <algorithm>

#include "data/database.hpp"
#include "observability/log.hpp"

namespace tenon::settings {

Values Store::read(std::string_view plugin) const {
  Values values;
  data::Rows rows =
      database_.query("SELECT key, value FROM plugins_settings WHERE plugin = ?1", {plugin});
  while (rows.next()) {
    const std::string key(rows.text(0));
    if (!SecretKey::is_sealed(rows.text(1))) {
      values.emplace(key, rows.text(1));
    } else if (auto opened = secrets_.open(plugin, key, rows.text(1))) {
      values.emplace(key, *std::move(opened));
    } else {
      observability::log_warning("secret setting cannot be decrypted",
                                 {{"plugin", plugin}, {"key", key}});
    }
  }
  return values;
}

bool Store::is_empty(std::string_view plugin) const {
  return !database_.query("SELECT 1 FROM plugins_settings WHERE plugin = ?1 LIMIT 1", {plugin})
              .next();
}

Values Store::read_for_export(std::string_view plugin) const {
  Values values;
  data::Rows rows =
      database_.query("SELECT key, value FROM plugins_settings WHERE plugin = ?1", {plugin});
  while (rows.next()) {
    if (!SecretKey::is_sealed(rows.text(1))) values.emplace(rows.text(0), rows.text(1));
  }
  return values;
}

void Store::change(std::string_view plugin, const Decide& decide) {
  std::vector<std::shared_ptr<Listener>> called;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<Change> changes = decide(read(plugin));
    if (changes.empty()) return;
    std::vector<std::string> texts;
    for (const Change& change : changes)
      texts.push_back(change.is_secret && !change.json.empty()
                          ? secrets_.seal(plugin, change.key, change.json)
                          : change.json);
    database_.write([&](data::Transaction& transaction) {
      for (std::size_t i = 0; i < changes.size(); ++i) {
        if (texts[i].empty()) {
          transaction.exec("DELETE FROM plugins_settings WHERE plugin = ?1 AND key = ?2",
                           {plugin, changes[i].key});
        } else {
          transaction.exec(
              "INSERT INTO plugins_settings(plugin, key, value) VALUES(?1, ?2, ?3) "
              "ON CONFLICT(plugin, key) DO UPDATE SET value = excluded.value",
              {plugin, changes[i].key, texts[i]});
        }
      }
    });
    for (const auto& [id, listener] : listeners_) {
      if (id != plugin) continue;
      if (auto alive = listener.lock()) called.push_back(std::move(alive));
    }
    for (const auto& listener : called)
      listener->on_changed(changes);
  }
  for (const auto& listener : called)
    listener->deliver();
}

void Store::subscribe(std::string plugin, const std::shared_ptr<Listener>& listener) {
  const std::lock_guard lock(mutex_);
  std::erase_if(listeners_, [](const auto& one) { return one.second.expired(); });
  listener->on_loaded(read(plugin));
  listeners_.emplace_back(std::move(plugin), listener);
}

}  // namespace tenon::settings
