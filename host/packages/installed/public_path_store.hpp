#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data

namespace tenon::plugins {

/// An admin's decision that a plugin is served at a public path.
struct PublicPathGrant {
  std::string path;
  std::string plugin;
  std::int64_t granted_ms = 0;
  std::string granted_by;  ///< id of a user, or "local"
};

/// Returns the grant to another plugin that keeps `plugin` from having `path`: of that path, of one
/// above or of one below it. Null: the path is free.
const PublicPathGrant* find_conflict(const std::vector<PublicPathGrant>& grants,
                                     std::string_view plugin, std::string_view path) noexcept;

/// Returns why a path is refused, and what to do.
std::string describe_conflict(const PublicPathGrant& taken, std::string_view path);

/// Grants a path in the transaction. A path that the plugin has already stays as it is. Throws 409
/// "plugins.public_path_taken" that names the other plugin.
void grant_public_path(data::Transaction& transaction, const PublicPathGrant& grant);

/// Stores the grants of public paths in the host's database, each path for one plugin.
/// Thread-safe; blocks on the database.
class PublicPathStore {
 public:
  /// The tables must be there (see host_tables.hpp).
  explicit PublicPathStore(data::Database& database) noexcept : database_(database) {}

  /// Returns all grants, sorted by path.
  std::vector<PublicPathGrant> all() const;
  /// Grants a path as grant_public_path() does. Durable at the return.
  void grant(const PublicPathGrant& grant);
  /// Returns false if the plugin does not have the path. Durable at the return.
  bool revoke(std::string_view plugin, std::string_view path);

 private:
  data::Database& database_;
};

}  // namespace tenon::plugins
