#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packages/manifest/public_path.hpp"
#include "packages/manifest/semantic_version.hpp"
#include "packages/manifest/version_range.hpp"
#include "records/model/action.hpp"

namespace tenon::base {
class JsonWriter;
}
namespace tenon::settings {
class Schema;
}

namespace tenon::plugins {

/// An entry of the shell's navigation.
struct Navigation {
  std::string id;
  std::string title;
  std::string path;        ///< "/app/<plugin>" or below
  std::string icon;        ///< name of an icon; may be empty
  std::string permission;  ///< who sees it; empty: every user who sees the plugin
};

struct DeclaredPermission {
  std::string id;  ///< "<plugin>.<what>"
  std::string title;
  std::vector<std::string> roles;  ///< "member", "admin"
};

/// Another plugin, in one of these versions.
struct Requirement {
  std::string id;
  VersionRange range;
};

/// A change of records at certain times, which needs no code.
struct DeclaredSchedule {
  std::string name;       ///< 1…64 of [a-z0-9_.-]
  std::string cron;       ///< as records::check_times() takes it; not checked yet
  std::string time_zone;  ///< IANA name; empty: UTC
  bool runs_missed = true;
  records::Action action;
};

enum class Isolation : std::uint8_t { none, preferred, required };

/// The content of plugin.json, checked. Texts for display are UTF-8 without control characters.
struct Manifest {
  std::string id;
  std::string name;
  SemanticVersion version;
  std::string version_text;  ///< as plugin.json has it, build metadata included
  std::string description;
  std::string author;
  std::string license;
  bool has_library = false;     ///< `abi` is there
  std::uint32_t abi_major = 0;  ///< 0 without a library, as the minor
  std::uint32_t abi_minor = 0;
  std::vector<Requirement> requires_plugins;  ///< sorted by id
  std::vector<Requirement> optional_plugins;  ///< sorted by id; none is required too
  std::vector<Requirement> conflicts;         ///< sorted by id; none is required too
  std::vector<DeclaredPermission> permissions;
  Isolation isolation = Isolation::none;
  /// Policy headers (policy_headers.hpp) that its responses may have, as plugin.json has them.
  std::vector<std::string> response_headers;
  /// Servers that it may send requests to, as http_client::OriginPattern reads them.
  std::vector<std::string> outgoing;
  /// Short paths outside of /api that it asks for.
  std::vector<DeclaredPublicPath> public_paths;
  /// Migrations that are functions and of the phase expand, ascending.
  std::vector<std::uint32_t> expanding_migrations;

  bool has_ui = false;
  std::string ui_module;  ///< relative to the folder `ui`; empty: its manifest.json decides
  std::vector<Navigation> navigation;
  std::string contributions = "{}";  ///< one JSON object, as plugin.json has it
  /// Points of its pages to which plugins contribute; their full names begin with `<id>.`.
  std::vector<std::string> extension_points;

  std::vector<DeclaredSchedule> schedules;

  std::shared_ptr<const settings::Schema> settings;  ///< null: none is declared

  bool declares(std::string_view permission) const noexcept;
  bool is_required(std::string_view plugin) const noexcept;
  /// Returns whether it declares a policy header; ignores case.
  bool declares_header(std::string_view header) const noexcept;
  bool declares_outgoing(std::string_view pattern) const noexcept;
  bool declares_public_path(std::string_view path) const noexcept;
  /// Returns the entry of a plugin in `requires` or `optional`; null if neither names it.
  const Requirement* use_of(std::string_view plugin) const noexcept;
};

/// The bounds of a manifest, tested and named in the room's README.
struct ManifestLimits {
  static constexpr std::size_t file = 256 * 1024;   ///< bytes of plugin.json
  static constexpr std::size_t name = 100;          ///< bytes of short texts
  static constexpr std::size_t description = 1000;  ///< bytes
  static constexpr std::size_t entries = 100;  ///< permissions, required, optional and conflicting
                                               ///< plugins, navigation entries, points of pages,
                                               ///< settings, migrations, schedules: each
  static constexpr std::size_t response_headers = 20;
  static constexpr std::size_t outgoing = 20;
  static constexpr std::size_t public_paths = 4;
};

/// Writes the ABI of a library as {"major","minor"}; null for a plugin without a library.
void write_abi(base::JsonWriter& json, bool has_library, std::uint32_t major, std::uint32_t minor);

/// The form of a plugin's id: [a-z][a-z0-9-]{1,31}.
bool is_plugin_id(std::string_view id) noexcept;
/// Returns whether the platform reserves the id: core, ui, api, app, dav, admin, tenon.
bool is_reserved_id(std::string_view id) noexcept;
/// The form of a settings key: 1…64 of [a-z0-9_.-].
bool is_setting_key(std::string_view key) noexcept;

/// Reads a manifest. Throws Refusal "plugins.manifest_invalid" or "plugins.reserved_id" that names
/// `file`, the location and the reason; unknown keys are refused by name.
Manifest parse_manifest(std::string_view text, const std::string& file);

/// Reads `<folder>/plugin.json`; its id must be the folder's name. Throws as parse_manifest.
Manifest read_manifest(const std::string& folder);
/// Reads a manifest in a folder of any name; its id must be `id`.
Manifest read_manifest(const std::string& folder, const std::string& id);

}  // namespace tenon::plugins
