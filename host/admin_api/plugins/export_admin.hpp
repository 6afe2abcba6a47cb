#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tenon::observability {
class Audit;
}
namespace tenon::plugins {
class PluginInstaller;
class ReceivedExport;
struct ExportItem;
}  // namespace tenon::plugins

namespace tenon::console {

/// Runs an admin's actions on exports of plugins' data, from HTTP and from the command line, and
/// returns JSON. Thread-safe; blocks. `actor` as in AuditRecord.
class ExportAdmin {
 public:
  /// Both must outlive it.
  ExportAdmin(plugins::PluginInstaller& packages, observability::Audit& audit)
      : packages_(packages), audit_(audit) {}

  /// {"items":[…],"next":null}: the newest first; of one plugin, where `plugin` is not empty.
  std::string list(const std::string& plugin) const;
  /// The item of one. Throws 404 "plugins.export_unknown".
  std::string show(const std::string& name) const;
  /// Returns the file of an export for its download, which is audited. Throws as show().
  std::string take_out(const std::string& name, const std::string& actor);
  /// Begins the upload of an export of so many bytes (0: not known). Throws as
  /// plugins::ReceivedExport.
  std::unique_ptr<plugins::ReceivedExport> receive(std::uint64_t bytes);
  /// Ends an upload: the export is listed, which is audited. Returns the item, and its name in
  /// `name`. It must be of `plugin`, unless that is empty. Throws as ReceivedExport::finish().
  std::string received(plugins::ReceivedExport& came, const std::string& plugin,
                       const std::string& actor, std::string& name);
  void remove(const std::string& name, const std::string& actor);

 private:
  plugins::PluginInstaller& packages_;
  observability::Audit& audit_;
};

}  // namespace tenon::console
