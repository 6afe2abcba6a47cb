#pragma once

#include <memory>
#include <optional>
#include <string>

namespace tenon::observability {
class Audit;
}
namespace tenon::plugins {
class Lifecycle;
struct PluginStatus;
}  // namespace tenon::plugins
namespace tenon::routing {
class Router;
}

namespace tenon::console {

class LastCrashes;

/// Runs an admin's actions on plugins, from HTTP and from the command line, and returns JSON. Every
/// change is audited. Thread-safe; blocks.
class PluginAdmin {
 public:
  /// All must outlive it.
  PluginAdmin(plugins::Lifecycle& lifecycle, const routing::Router& router,
              observability::Audit& audit, const LastCrashes& crashes) noexcept
      : lifecycle_(lifecycle), router_(router), audit_(audit), crashes_(crashes) {}

  /// {"items":[…],"next":null}
  std::string list() const;
  /// These three return the item of the plugin. Throw 404 "plugins.unknown", and as Lifecycle.
  /// `actor` as in AuditRecord.
  std::string show(const std::string& id) const;
  std::string enable(const std::string& id, const std::string& actor);
  std::string disable(const std::string& id, const std::string& actor);
  std::string reload(const std::string& id, const std::string& actor);
  /// Serves the plugin at a public path. Returns the item. Throws 404 "plugins.unknown", and as
  /// PublicPaths::grant().
  std::string grant_path(const std::string& id, const std::string& path, const std::string& actor);
  /// Takes a public path away from a plugin, which need not be there any more. Throws as
  /// PublicPaths::revoke().
  void revoke_path(const std::string& id, const std::string& path, const std::string& actor);
  /// Plans what activating it would do to its data. `tables`, if given, replaces its tables.json:
  /// {"plugin","from","to","steps","refusals",…}. Throws as Lifecycle::plan.
  std::string plan(const std::string& id, const std::optional<std::string>& tables) const;
  /// Returns the status of a plugin. Throws 404 "plugins.unknown".
  std::shared_ptr<const plugins::PluginStatus> find(const std::string& id) const;

 private:
  std::string item(const plugins::PluginStatus& status) const;

  plugins::Lifecycle& lifecycle_;
  const routing::Router& router_;
  observability::Audit& audit_;
  const LastCrashes& crashes_;
};

}  // namespace tenon::console
