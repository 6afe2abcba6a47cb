#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::observability {
class Audit;
}
namespace tenon::settings {
class Schema;
class Store;
struct Change;
}  // namespace tenon::settings

namespace tenon::console {

/// Reads and changes the settings of plugins for an admin, from HTTP and from the command line. A
/// plugin need not run. Every change is audited without its values. Thread-safe; blocks.
class SettingsAdmin {
 public:
  static constexpr std::size_t max_body_bytes = 1024 * 1024;

  /// Returns the schema of a plugin, null if it declares none; throws 404 "plugins.unknown".
  using FindSchema = std::function<std::shared_ptr<const settings::Schema>(const std::string& id)>;

  /// All must outlive it.
  SettingsAdmin(settings::Store& store, FindSchema find_schema, observability::Audit& audit)
      : store_(store), find_schema_(std::move(find_schema)), audit_(audit) {}

  /// Returns
  /// {"schema":{…}|null,"values":{…},"secrets":["key"],"errors":[{"field","code","message"}]}.
  /// `values` are stored ones that the schema declares, without secrets; `secrets` names the
  /// secrets that have a value; `errors` are stored values that the schema refuses, so that their
  /// defaults apply.
  std::string show(const std::string& id) const;

  /// Replaces all settings that the schema declares: {"values":{…}}. A setting without a value, or
  /// with null, has its default again; a secret without a value is kept. Returns show(). Throws 422
  /// "plugins.settings_invalid" with an error for each fault; nothing is stored then.
  std::string replace(const std::string& id, std::string_view body, const std::string& actor);

  /// Sets one setting to a JSON text; "null" restores the default. Returns show(). Throws as
  /// replace().
  std::string set(const std::string& id, const std::string& key, std::string_view json,
                  const std::string& actor);

 private:
  void change(const std::string& id, std::vector<settings::Change> wanted, bool is_whole,
              const settings::Schema& schema, const std::string& actor);

  settings::Store& store_;
  const FindSchema find_schema_;
  observability::Audit& audit_;
};

}  // namespace tenon::console
