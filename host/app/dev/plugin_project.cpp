#include "app/dev/plugin_project.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <set>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/error.hpp"
#include "packages/manifest/manifest.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_copy(const std::string& path, const std::error_code& failure) {
  throw base::Error(500, "dev.copy_failed", path + ": " + failure.message() + ".");
}

bool is_there(const std::string& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

bool is_in_path(const std::string& program) {
  const char* const all = std::getenv("PATH");
  for (std::string_view path = all ? all : ""; !path.empty();) {
    const std::size_t end = std::min(path.find(':'), path.size());
    if (::access((std::string(path.substr(0, end)) + "/" + program).c_str(), X_OK) == 0)
      return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

// Copies a file if its size or time of change differ.
void copy_changed(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  const auto time = fs::last_write_time(from, failure);
  const bool is_same = !failure && fs::file_size(from, failure) == fs::file_size(to, failure) &&
                       !failure && fs::last_write_time(to, failure) == time && !failure;
  if (is_same) return;
  failure.clear();
  fs::create_directories(to.parent_path(), failure);
  // Not over the old file: the server may have it open.
  if (!failure) fs::remove(to, failure);
  if (!failure) fs::copy_file(from, to, failure);
  if (!failure) fs::last_write_time(to, time, failure);
  if (failure) refuse_copy(to.string(), failure);
}

// Makes `to` what `from` is; removes it if `from` is missing.
void mirror(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  if (!fs::exists(from, failure)) {
    fs::remove_all(to, failure);
    return;
  }
  if (fs::is_regular_file(from, failure)) return copy_changed(from, to);
  std::set<fs::path> kept;
  for (const auto& entry : fs::recursive_directory_iterator(from, failure)) {
    const fs::path name = entry.path().lexically_relative(from);
    for (fs::path part = name; !part.empty(); part = part.parent_path())
      kept.insert(part);
    if (entry.is_regular_file()) copy_changed(entry.path(), to / name);
  }
  if (failure) refuse_copy(from.string(), failure);
  std::vector<fs::path> old;
  for (const auto& entry : fs::recursive_directory_iterator(to, failure)) {
    if (!kept.contains(entry.path().lexically_relative(to))) old.push_back(entry.path());
  }
  for (const fs::path& path : old)
    fs::remove_all(path, failure);
}

}  // namespace

PluginProject::PluginProject(const std::string& folder, std::string sdk, BuildKind kind)
    : folder_(fs::absolute(folder).lexically_normal().string()), sdk_(std::move(sdk)), kind_(kind) {
  while (folder_.size() > 1 && folder_.ends_with('/'))
    folder_.pop_back();
  if (!is_there(folder_ + "/plugin.json")) {
    throw base::Error(404, "dev.no_plugin",
                      folder_ +
                          " has no plugin.json. Run this in the folder of a plugin, or create one: "
                          "tenon plugin new ID.");
  }
  refresh();
  std::error_code failure;
  fs::create_directories(folder_ + "/.tenon", failure);
  if (failure) refuse_copy(folder_ + "/.tenon", failure);
  std::ofstream(folder_ + "/.tenon/.gitignore") << "*\n";
}

void PluginProject::refresh() {
  std::ifstream file(folder_ + "/plugin.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const plugins::Manifest manifest = plugins::parse_manifest(text, folder_ + "/plugin.json");
  if (!id_.empty() && manifest.id != id_) {
    throw base::Error(409, "dev.id_changed",
                      "The id changed from \"" + id_ + "\" to \"" + manifest.id +
                          "\". Stop tenon dev and start it again.");
  }
  id_ = manifest.id;
  version_ = manifest.version_text;
  has_native_ = manifest.has_library;
  has_ui_ = is_there(ui_folder() + "/package.json");
  if (has_native_ && !is_there(folder_ + "/CMakeLists.txt")) {
    throw base::Error(422, "dev.no_cmake",
                      "plugin.json has \"abi\", but there is no CMakeLists.txt that builds the "
                      "library. Add one, or remove \"abi\".");
  }
}

bool PluginProject::is_ignored(std::string_view relative) {
  constexpr std::array<std::string_view, 4> folders{"node_modules", "build", "dist", "__pycache__"};
  const std::string_view name = relative.substr(relative.rfind('/') + 1);
  return name.starts_with('.') || name.ends_with('~') || name.ends_with(".gen.ts") ||
         std::find(folders.begin(), folders.end(), name) != folders.end();
}

PluginPart PluginProject::part_of(std::string_view relative) const {
  if (relative == "plugin.json") return PluginPart::manifest;
  if (relative == "tables.json" || relative.starts_with("migrations/")) return PluginPart::tables;
  if (relative.starts_with("tests/")) return PluginPart::none;
  if (relative.starts_with("ui/"))
    return relative.starts_with("ui/tests/") ? PluginPart::none : PluginPart::ui;
  constexpr std::array<std::string_view, 9> native{
      ".cpp", ".cc", ".c", ".hpp", ".h", ".rs", ".cmake", "CMakeLists.txt", "Cargo.toml"};
  const bool is_native = std::any_of(
      native.begin(), native.end(), [relative](auto ending) { return relative.ends_with(ending); });
  return is_native ? PluginPart::native : PluginPart::none;
}

std::optional<ToolCommand> PluginProject::install_ui() const {
  if (!has_ui_ || is_there(ui_folder() + "/node_modules")) return std::nullopt;
  return ToolCommand{{"npm", "install", "--no-fund", "--no-audit"}, ui_folder()};
}

ToolCommand PluginProject::rebuild_ui(bool has_refresh) const {
  ToolCommand command{{ui_folder() + "/node_modules/.bin/tenon-ui", "rebuild"},
                      ui_folder(),
                      {{"TENON_PLUGINS_OUT", work_folder() + "/ui"}}};
  if (has_refresh) command.words.emplace_back("--refresh");
  return command;
}

ToolCommand PluginProject::build_ui() const {
  return {{"npm", "run", "build", "--silent"},
          ui_folder(),
          {{"TENON_PLUGINS_OUT", work_folder() + "/ui"}}};
}

std::optional<ToolCommand> PluginProject::check_types() const {
  const std::string compiler = ui_folder() + "/node_modules/.bin/tsc";
  if (!has_ui_ || !is_there(compiler) || !is_there(ui_folder() + "/tsconfig.json"))
    return std::nullopt;
  return ToolCommand{
      {compiler, "--noEmit", "--watch", "--preserveWatchOutput", "--pretty", "false"}, ui_folder()};
}

ToolCommand PluginProject::configure_native() const {
  const std::string prefix = fs::path(sdk_ + "/../../..").lexically_normal().string();
  ToolCommand command{{"cmake", "--log-level=WARNING", "-S", folder_, "-B", native_folder(),
                       "-DCMAKE_PREFIX_PATH=" + prefix},
                      folder_};
  const auto add = [&command](std::initializer_list<const char*> words) {
    command.words.insert(command.words.end(), words.begin(), words.end());
  };
  if (is_in_path("ninja")) add({"-G", "Ninja"});
  if (kind_ == BuildKind::release) {
    add({"-DCMAKE_BUILD_TYPE=Release"});
    return command;
  }
  // Without the debug data of types, which a stack trace does not need.
  add({"-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-g1", "-DCMAKE_CXX_FLAGS_DEBUG=-g1",
       "-DTENON_PCH=ON", "-DTENON_JSON_DIAGNOSTICS=ON"});
  // Its precompiled header has the instances of templates, too: half the time of g++.
  if (std::getenv("CXX") == nullptr && is_in_path("clang++") && is_in_path("clang"))
    add({"-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++"});
  return command;
}

ToolCommand PluginProject::build_native() const {
  const bool has_ninja = is_there(native_folder() + "/build.ninja");
  return {
      {"cmake", "--build", native_folder(), "--target", id_, "--", has_ninja ? "--quiet" : "-s"},
      folder_};
}

std::optional<ToolCommand> PluginProject::test_native() const {
  if (!is_there(folder_ + "/tests")) return std::nullopt;
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  return ToolCommand{{"python3", "-m", "unittest", "discover", "-s", "tests", "-p", "*_test.py"},
                     folder_,
                     {{"PYTHONPATH", sdk_ + "/testing"},
                      {"PYTHONDONTWRITEBYTECODE", "1"},
                      {"TESTED_HOST", program},
                      {"TESTED_OUTPUT", work_folder() + "/test-output"},
                      {"TESTED_PLUGIN", plugin()}}};
}

std::optional<ToolCommand> PluginProject::test_ui() const {
  if (!has_ui_) return std::nullopt;
  return ToolCommand{{"npm", "test", "--silent"}, ui_folder()};
}

void PluginProject::lay_out() const {
  const fs::path to = plugin();
  const fs::path from = folder_;
  for (const char* name : {"plugin.json", "tables.json", "migrations", "README.md", "CHANGELOG.md",
                           "LICENSE", "screenshots"})
    mirror(from / name, to / name);
  mirror(has_ui_ ? fs::path(work_folder()) / "ui" / id_ / "ui" : fs::path(), to / "ui");
  const fs::path built = fs::path(native_folder()) / "lib/tenon/plugins" / id_ / "lib";
  if (has_native_)
    mirror(built, to / "lib");
  else
    mirror({}, to / "lib");
}

}  // namespace tenon::app
