#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::app {

/// Returns the folder of the SDK in an installation or a build folder: …/share/tenon/sdk.
std::string sdk_folder();

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
  bool lacks_ui_packages = false;  ///< it has a page, but this SDK has no packages to build it
};

/// The templates of the SDK: "minimal" has four lines, "table" a table with rules and tests, "page"
/// also a page, "full" also native code, "job" native code with a job, "c" native code in C, "rust"
/// in Rust.
inline constexpr std::array<std::string_view, 7> plugin_templates{
    "full", "page", "table", "minimal", "job", "c", "rust"};

/// Writes a new plugin into `folder`, which must not exist: a template of the SDK at `sdk`
/// (…/share/tenon/sdk) under these names, with the SDK's npm packages in ui/sdk if it has a page.
/// Leaves nothing where it fails. Throws base::Error "plugins.folder_exists",
/// "plugins.no_template", and Refusal "plugins.package_write_failed".
NewPlugin write_new_plugin(const PluginNames& names, std::string_view from, const std::string& sdk,
                           const std::string& folder);

}  // namespace tenon::app
