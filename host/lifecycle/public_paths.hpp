#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "packages/installed/public_path_store.hpp"

namespace tenon::routing {
class Router;
}

namespace tenon::plugins {

struct PluginStatus;

/// Grants public paths to plugins, and forwards the granted ones in the router. Thread-safe; blocks
/// on the database.
class PublicPaths {
 public:
  using Grants = std::vector<PublicPathGrant>;

  /// `router` is null if no server runs. Both outlive it; the tables must be there (see
  /// host_tables.hpp).
  PublicPaths(data::Database& database, routing::Router* router)
      : store_(database), router_(router) {}

  /// Reads the grants again, and forwards them. Called at the start, and after another room changed
  /// them.
  void refresh();
  /// Returns the grants, sorted by path: as refresh() read them, or without a router from the
  /// database.
  std::shared_ptr<const Grants> grants() const;

  /// Grants a path that the plugin's present version declares. One that it has already stays.
  /// `actor` as in AuditRecord. Throws 404 "plugins.public_path_unknown" if the version does not
  /// declare it, 409 "plugins.public_path_taken".
  void grant(const PluginStatus& plugin, const std::string& path, const std::string& actor);
  /// Takes a path away. Throws 404 "plugins.public_path_unknown" if the plugin does not have it.
  void revoke(const std::string& plugin, const std::string& path);

 private:
  void refresh_locked();

  PublicPathStore store_;
  routing::Router* const router_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Grants> grants_ = std::make_shared<const Grants>();
};

}  // namespace tenon::plugins
