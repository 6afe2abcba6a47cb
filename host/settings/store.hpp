#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/schema.hpp"
#include "settings/secret_key.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::settings {

/// One change of a setting; the JSON text is empty if its value was removed.
struct Change {
  std::string key;
  std::string json;
  bool is_secret = false;  ///< stored encrypted
};

/// Follows the settings of one plugin. All functions but deliver() are called with the store's lock
/// held: they must not block or call the store.
class Listener {
 public:
  virtual ~Listener() = default;
  /// The stored values, once, before any change.
  virtual void on_loaded(Values values) = 0;
  virtual void on_changed(const std::vector<Change>& changes) = 0;
  /// Called without the lock after on_changed(), by the thread that made the change.
  virtual void deliver() noexcept = 0;
};

/// Returns the file of the SecretKey in a data directory.
inline std::string key_file(const std::string& data) {
  return data + "/secrets.key";
}

/// The settings of all plugins, in the host's database. A change from anywhere (the plugin, the
/// console, the command line) is stored here first and then reaches the running generations of the
/// plugin. Thread-safe; blocks on the database.
class Store {
 public:
  /// The tables must exist (see lifecycle/host_tables.hpp). `key_file`: of SecretKey.
  Store(data::Database& database, std::string key_file)
      : database_(database), secrets_(std::move(key_file)) {}

  /// Returns the stored values. Leaves out secrets that the key does not open, with a warning in
  /// the log.
  Values read(std::string_view plugin) const;
  /// Returns whether nothing is stored, secrets that cannot be opened included.
  bool is_empty(std::string_view plugin) const;
  /// Returns the values that an export may contain: no secrets, because they are encrypted for this
  /// installation.
  Values read_for_export(std::string_view plugin) const;

  /// Returns the changes to store, given the stored values; throws to store nothing.
  using Decide = std::function<std::vector<Change>(const Values& stored)>;
  /// Stores the changes in one transaction, durably, then calls the listeners. Changes happen one
  /// after the other.
  void change(std::string_view plugin, const Decide& decide);

  /// Calls listener->on_loaded(), and from then on the others until it is destroyed.
  void subscribe(std::string plugin, const std::shared_ptr<Listener>& listener);

 private:
  data::Database& database_;
  mutable SecretKey secrets_;  ///< reads its file at the first secret
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::weak_ptr<Listener>>> listeners_;
};

}  // namespace tenon::settings
