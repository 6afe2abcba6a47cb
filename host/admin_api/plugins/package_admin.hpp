#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "installer/plugin_installer.hpp"
#include "packages/installed/uploads.hpp"

namespace tenon::observability {
class Audit;
}

namespace tenon::console {

/// Runs an admin's actions on packages and keys, from HTTP and from the command line, and returns
/// JSON. Every change is audited. Thread-safe; blocks. `actor` as in AuditRecord.
class PackageAdmin {
 public:
  static constexpr std::size_t max_consents = 200;

  /// The item of a plugin by its id.
  using Show = std::function<std::string(const std::string& plugin)>;

  /// All must outlive it; `data` is the data directory.
  PackageAdmin(plugins::PluginInstaller& packages, Show show, observability::Audit& audit,
               const std::string& data);

  /// Plans the installation of these bytes; the package is kept, to be installed by its name.
  std::string plan(std::string bytes);
  /// Plans the installation of a kept package. Throws 404 "plugins.package_unknown".
  std::string plan_kept(const std::string& package);
  /// Keeps a package whose list of files has this hash.
  void keep(const std::string& package, std::string_view bytes) { uploads_.keep(package, bytes); }
  std::string plan_file(const std::string& path);
  /// Installs a package and returns the item of the plugin. Throws as PluginInstaller::install; a
  /// package that waits for consent is kept. `data` is the name of an export, or the absolute path
  /// of one; empty: none is restored.
  std::string install(std::string bytes, const std::vector<std::string>& consents,
                      const std::string& data, const std::string& actor);
  std::string install_kept(const std::string& package, const std::vector<std::string>& consents,
                           const std::string& data, const std::string& actor);
  std::string install_file(const std::string& path, const std::vector<std::string>& consents,
                           const std::string& data, const std::string& actor);
  std::string plan_rollback(const std::string& id) const;
  /// `data` is "restore" (or empty) or "keep"; else 422 "plugins.validation".
  std::string rollback(const std::string& id, const std::string& data, const std::string& actor);
  /// `data` is "keep", "export" or "purge": 422 "plugins.validation" for anything else. Returns the
  /// name of the export, or nothing.
  std::string remove(const std::string& id, const std::string& data, const std::string& actor);
  std::string reset_data(const std::string& id, const std::string& actor);

  /// {"items":[…],"next":null}
  std::string keys() const;
  std::string trust(const std::string& key, const std::string& name, const std::string& actor);
  std::string revoke(const std::string& number, const std::string& reason,
                     const std::string& actor);
  void forget(const std::string& number, const std::string& actor);

 private:
  std::string install(const plugins::Archive& archive, const std::vector<std::string>& consents,
                      const std::string& data, const std::string& actor);

  plugins::PluginInstaller& packages_;
  const Show show_;
  observability::Audit& audit_;
  plugins::PackageUploads uploads_;
};

}  // namespace tenon::console
