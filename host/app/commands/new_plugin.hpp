#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::app {

/// The names that a new plugin is written with, all made of its id.
struct PluginNames {
  std::string id;          ///< "my-crm"
  std::string file;        ///< "my_crm", in the names of its files
  std::string name_space;  ///< "my_crm"; with a "_" at its end if C++ has another use for it
  std::string class_name;  ///< "MyCrmPlugin"
  std::string title;       ///< "My crm"
};

/// Throws base::Error "plugins.id_invalid" or "plugins.reserved_id" where no plugin can have it.
PluginNames names_of_plugin(std::string_view id);

/// The result of new_plugin().
struct NewPlugin {
  std::size_t files = 0;
  bool has_ui_packages = false;  ///< false if this SDK has none: the pages cannot be built
};

/// Writes a new plugin into `folder`, which must not exist: the template of the SDK at `sdk`
/// (…/share/tenon/sdk) under these names, with the SDK's npm packages in ui/sdk. Leaves nothing
/// where it fails. Throws base::Error "plugins.folder_exists", "plugins.no_template", and Refusal
/// "plugins.package_write_failed".
NewPlugin write_new_plugin(const PluginNames& names, const std::string& sdk,
                           const std::string& folder);

}  // namespace tenon::app
