#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

/// Stores over a restart which plugins the admin wants to run. Thread-safe; blocks on the database.
class PluginStore {
 public:
  /// The tables must be there (see host_tables.hpp).
  explicit PluginStore(data::Database& database) noexcept : database_(database) {}

  /// Returns the plugins that were ever enabled or disabled. Others count as enabled: any user who
  /// can write into the folder of plugins is trusted.
  std::map<std::string, bool, std::less<>> enabled() const;
  /// Durable at the return.
  void set_enabled(std::string_view plugin, bool is_enabled);

 private:
  data::Database& database_;
};

}  // namespace tenon::plugins
