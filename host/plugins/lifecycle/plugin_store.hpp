#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

/// What the host remembers of plugins over a restart: what the admin wants. Thread-safe; blocks on
/// the database.
class PluginStore {
 public:
  /// The tables must be there (see host_tables.hpp).
  explicit PluginStore(data::Database& database) noexcept : database_(database) {}

  /// Plugins that were ever enabled or disabled. Others count as enabled: whoever can write into
  /// the folder of plugins is trusted.
  std::map<std::string, bool, std::less<>> enabled() const;
  /// Durable at the return.
  void set_enabled(std::string_view plugin, bool is_enabled);

 private:
  data::Database& database_;
};

}  // namespace tenon::plugins
