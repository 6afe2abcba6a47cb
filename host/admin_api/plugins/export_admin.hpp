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

/// What an admin does with exports of plugins' data, as JSON, whether it comes over HTTP or from
/// the command line. Thread-safe; blocks. `actor` as AuditRecord has it.
class ExportAdmin {
 public:
  /// Both must outlive it.
  ExportAdmin(plugins::PluginInstaller& packages, observability::Audit& audit)
      : packages_(packages), audit_(audit) {}

  /// {"items":[…],"next":null}: the newest first; of one plugin, where `plugin` is not empty.
  std::string list(const std::string& plugin) const;
  /// The item of one. Throws 404 "plugins.export_unknown".
  std::string show(const std::string& name) const;
  /// The file of one, which goes out: this is put on record. Throws as show().
  std::string take_out(const std::string& name, const std::string& actor);
  /// An export comes in, of so many bytes (0: not known). Throws as plugins::ReceivedExport.
  std::unique_ptr<plugins::ReceivedExport> receive(std::uint64_t bytes);
  /// All of it came: it is one of the list, which is put on record. Gives the item, and its name in
  /// `name`. Of `plugin`, unless that is empty. Throws as ReceivedExport::finish().
  std::string received(plugins::ReceivedExport& came, const std::string& plugin,
                       const std::string& actor, std::string& name);
  void remove(const std::string& name, const std::string& actor);

 private:
  plugins::PluginInstaller& packages_;
  observability::Audit& audit_;
};

}  // namespace tenon::console
