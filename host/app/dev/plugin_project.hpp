#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/dev/child_process.hpp"

namespace tenon::app {

/// The part of a plugin that a changed file belongs to.
enum class PluginPart : std::uint8_t { none, manifest, tables, native, ui };

/// Whom a build is for: `dev` is quick and for this machine, `release` is for a package.
enum class BuildKind : std::uint8_t { dev, release };

/// The source folder of a plugin, as `tenon plugin new` writes it: plugin.json, tables.json,
/// migrations/, CMakeLists.txt with src/, ui/ with a package.json. All but plugin.json may be
/// missing. Its folder `.tenon` has the files of builds, and the data of `tenon dev`.
class PluginProject {
 public:
  /// `sdk` is the folder …/share/tenon/sdk. Throws base::Error, and Refusal of the manifest.
  PluginProject(const std::string& folder, std::string sdk, BuildKind kind);

  const std::string& folder() const noexcept { return folder_; }
  const std::string& id() const noexcept { return id_; }
  const std::string& version() const noexcept { return version_; }
  bool has_native() const noexcept { return has_native_; }
  bool has_ui() const noexcept { return has_ui_; }

  std::string data() const { return folder_ + "/.tenon/data"; }
  /// The directory for `tenon serve --plugins`; the built plugin is a folder in it.
  std::string plugins() const {
    return folder_ + (kind_ == BuildKind::dev ? "/.tenon/plugins" : "/dist");
  }
  std::string plugin() const { return plugins() + "/" + id_; }

  static bool is_ignored(std::string_view relative);
  PluginPart part_of(std::string_view relative) const;

  /// Reads plugin.json again. Throws as the constructor; a changed id is refused.
  void refresh();

  /// Commands that build it; nothing if there is nothing to do. `configure` and `install_ui` are
  /// for the first time. rebuild_ui() builds for `dev` once for each line of its input;
  /// `has_refresh`: for pages of the server that have React Fast Refresh.
  std::optional<ToolCommand> install_ui() const;
  ToolCommand rebuild_ui(bool has_refresh) const;
  ToolCommand build_ui() const;
  /// Checks the types of the page again after each change, until it is stopped; nothing without a
  /// page or without TypeScript in its packages.
  std::optional<ToolCommand> check_types() const;
  ToolCommand configure_native() const;
  ToolCommand build_native() const;
  /// Runs its tests on the built plugin.
  std::optional<ToolCommand> test_native() const;
  std::optional<ToolCommand> test_ui() const;

  /// Copies what is built to plugin(): changed files only. Throws base::Error 500
  /// "dev.copy_failed".
  void lay_out() const;

 private:
  std::string work_folder() const {
    return folder_ + (kind_ == BuildKind::dev ? "/.tenon/dev" : "/.tenon/release");
  }
  std::string native_folder() const { return work_folder() + "/native"; }
  std::string ui_folder() const { return folder_ + "/ui"; }

  std::string folder_;
  std::string sdk_;
  BuildKind kind_;
  std::string id_;
  std::string version_;
  bool has_native_ = false;
  bool has_ui_ = false;
};

}  // namespace tenon::app
