#pragma once

#include <string>

namespace tenon::observability {
class Audit;
}
namespace tenon::plugins {
class Packages;
struct ExportItem;
}  // namespace tenon::plugins

namespace tenon::console {

/// What an admin does with exports of plugins' data, as JSON, whether it comes over HTTP or from
/// the command line. Thread-safe; blocks. `actor` as AuditRecord has it.
class ExportsDesk {
 public:
  /// Both must outlive it.
  ExportsDesk(plugins::Packages& packages, observability::Audit& audit)
      : packages_(packages), audit_(audit) {}

  /// {"items":[…],"next":null}: the newest first; of one plugin, where `plugin` is not empty.
  std::string list(const std::string& plugin) const;
  /// The item of one. Throws 404 "plugins.export_unknown".
  std::string show(const std::string& name) const;
  /// The file of one, which goes out: this is put on record. Throws as show().
  std::string take_out(const std::string& name, const std::string& actor);
  void remove(const std::string& name, const std::string& actor);

 private:
  plugins::Packages& packages_;
  observability::Audit& audit_;
};

}  // namespace tenon::console
