#include "app/dev/new_plugin.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "codegen/cpp_names.hpp"
#include "config/load.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/manifest/manifest.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_file_bytes = 16 * 1024 * 1024;
constexpr const char* no_template = "plugins.no_template";

// Names that CMake keeps for targets of its own; a plugin's id is one.
constexpr std::array<std::string_view, 6> target_names{"all",     "clean",      "help",
                                                       "install", "preinstall", "test"};
constexpr std::array<std::string_view, 3> made_folders{"build", "dist", "node_modules"};

// The files below sdk/templates/<folder> whose path begins so. A later part replaces files of an
// earlier one.
struct TemplatePart {
  const char* folder;
  std::string_view beginning;
  std::vector<std::string_view> templates;
};
const std::array<TemplatePart, 10> template_parts{
    {{"minimal", "", {"minimal"}},
     {"ci", "", {"full", "page", "table", "job", "c", "rust"}},
     {"job", "", {"job"}},
     {"c", "", {"c"}},
     {"rust", "", {"rust"}},
     {"full", "", {"full"}},
     {"full", "tables.json", {"page", "table"}},
     {"full", "ui/", {"page"}},
     {"table", "", {"page", "table"}},
     {"page", "", {"page"}}}};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_source(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".hpp" || file.extension() == ".c" ||
         file.extension() == ".rs";
}

// The longest first, where one begins as another does.
using Replacements = std::vector<std::pair<std::string_view, std::string>>;

std::string replaced(std::string_view text, const Replacements& replacements) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    const auto found = std::find_if(replacements.begin(), replacements.end(),
                                    [&](const auto& one) { return text.starts_with(one.first); });
    if (found == replacements.end()) {
      made += text.front();
      text.remove_prefix(1);
    } else {
      made += found->second;
      text.remove_prefix(found->first.size());
    }
  }
  return made;
}

// Files below `top` by their relative paths, without what npm and CMake make.
std::vector<std::string> files_below(const fs::path& top) {
  std::vector<std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator at(top, failure);
  for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    if (at->is_directory() && is_among(made_folders, at->path().filename().string())) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file()) {
      files.push_back(at->path().lexically_relative(top).string());
    }
  }
  if (failure || files.empty()) {
    throw base::Error(404, no_template,
                      top.string() +
                          ": the template of new plugins is missing. Install the SDK next to this "
                          "program: cmake --install BUILD --component sdk --prefix PREFIX.");
  }
  return files;
}

}  // namespace

std::string sdk_folder() {
  const fs::path program = config::process_sources({}).program_directory;
  return (program / "../share/tenon/sdk").lexically_normal().string();
}

PluginNames names_of_plugin(std::string_view id) {
  if (!plugins::is_plugin_id(id)) {
    throw base::Error(422, "plugins.id_invalid",
                      "\"" + std::string(id) +
                          "\" is no id of a plugin: 2 to 32 of a-z, 0-9 and '-', a letter first.");
  }
  if (plugins::is_reserved_id(id) || is_among(target_names, id)) {
    throw base::Error(422, "plugins.reserved_id",
                      "\"" + std::string(id) + "\" is kept for " +
                          (plugins::is_reserved_id(id) ? "the platform" : "CMake") +
                          "; choose another id.");
  }
  PluginNames names;
  names.id = id;
  names.file = id;
  std::replace(names.file.begin(), names.file.end(), '-', '_');
  names.name_space = codegen::identifier(id);
  names.class_name = codegen::upper_camel(names.file);
  if (!names.class_name.ends_with("Plugin") || names.class_name == "Plugin")
    names.class_name += "Plugin";
  names.title = id;
  std::replace(names.title.begin(), names.title.end(), '-', ' ');
  names.title.front() = static_cast<char>(names.title.front() - 'a' + 'A');
  return names;
}

NewPlugin write_new_plugin(const PluginNames& names, std::string_view from, const std::string& sdk,
                           const std::string& folder) {
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure))) {
    throw base::Error(409, "plugins.folder_exists",
                      folder +
                          ": this is there already; nothing was written. Choose another "
                          "folder with --output.");
  }
  const Replacements in_names{{"my_plugin", names.file}};
  const Replacements in_texts{
      {"my-plugin", names.id}, {"My plugin", names.title}, {"my_plugin", names.file}};
  const Replacements in_sources{{"my-plugin", names.id},
                                {"my_plugin_settings.hpp", names.file + "_settings.hpp"},
                                {"my_plugin_tables.hpp", names.file + "_tables.hpp"},
                                {"my_plugin", names.name_space},
                                {"MyPlugin", names.class_name}};
  std::map<std::string, std::string> files;
  for (const TemplatePart& part : template_parts) {
    if (std::find(part.templates.begin(), part.templates.end(), from) == part.templates.end())
      continue;
    const fs::path source = fs::path(sdk) / "templates" / part.folder;
    for (const std::string& file : files_below(source)) {
      if (!file.starts_with(part.beginning)) continue;
      const std::string text =
          plugins::read_bounded((source / file).string(), max_file_bytes, no_template);
      files[replaced(file, in_names)] = replaced(text, is_source(file) ? in_sources : in_texts);
    }
  }
  NewPlugin made;
  if (files.contains("ui/package.json")) {
    made.lacks_ui_packages = true;
    for (const auto& entry : fs::directory_iterator(fs::path(sdk) / "npm", failure)) {
      if (entry.path().extension() != ".tgz") continue;
      made.lacks_ui_packages = false;
      files["ui/sdk/" + entry.path().filename().string()] =
          plugins::read_bounded(entry.path().string(), max_file_bytes, no_template);
    }
  }
  const fs::path parent = fs::absolute(folder).parent_path();
  fs::create_directories(parent, failure);
  plugins::FreshFolder fresh(folder);
  for (const auto& [name, text] : files) {
    fresh.begin_file(name);
    fresh.write(text);
    fresh.end_file();
  }
  fresh.keep();
  made.files = files.size();
  return made;
}

}  // namespace tenon::app
