#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

/// The settings of all plugins, in the host's database: one JSON text a key. No place for secrets.
/// Thread-safe; blocks on the database.
class SettingsStore {
 public:
  /// The tables must be there (see host_tables.hpp).
  explicit SettingsStore(data::Database& database) noexcept : database_(database) {}

  std::map<std::string, std::string, std::less<>> read(std::string_view plugin) const;
  /// Stores or removes a value; durable on return.
  void write(std::string_view plugin, std::string_view key, std::string_view json);
  void remove(std::string_view plugin, std::string_view key);

 private:
  data::Database& database_;
};

}  // namespace tenon::plugins
