#pragma once

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

/// What an admin does with plugins, as JSON, whether it comes over HTTP or from the command line;
/// every change is put on record. Thread-safe; blocks.
class PluginAdmin {
 public:
  /// All must outlive it.
  PluginAdmin(plugins::Lifecycle& lifecycle, const routing::Router& router,
              observability::Audit& audit) noexcept
      : lifecycle_(lifecycle), router_(router), audit_(audit) {}

  /// {"items":[…],"next":null}
  std::string list() const;
  /// The items of these three. Throw 404 "plugins.unknown", and what Lifecycle throws. `actor` as
  /// AuditRecord has it.
  std::string show(const std::string& id) const;
  std::string enable(const std::string& id, const std::string& actor);
  std::string disable(const std::string& id, const std::string& actor);
  /// What activating it would do to its data, with `tables` in the place of its tables.json where
  /// there is one: {"plugin","from","to","steps","refusals","left_to_migrations"}. Throws as
  /// Lifecycle::plan.
  std::string plan(const std::string& id, const std::optional<std::string>& tables) const;

 private:
  std::string item(const plugins::PluginStatus& status) const;

  plugins::Lifecycle& lifecycle_;
  const routing::Router& router_;
  observability::Audit& audit_;
};

}  // namespace tenon::console
