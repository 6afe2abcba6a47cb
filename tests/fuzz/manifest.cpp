// plugin.json: what is taken is within the limits, and written out again it reads the same.

#include "packages/manifest/manifest.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "packages/reason.hpp"
#include "property.hpp"
#include "settings/schema.hpp"

namespace {

using namespace tenon::plugins;
using tenon::base::JsonWriter;

void member(JsonWriter& json, std::string_view key, const std::string& text) {
  if (!text.empty()) json.member(key, text);
}

void write_ui(JsonWriter& json, const Manifest& manifest) {
  json.key("ui").begin_object();
  member(json, "module", manifest.ui_module);
  json.key("navigation").begin_array();
  for (const Navigation& link : manifest.navigation) {
    json.begin_object().member("id", link.id).member("title", link.title).member("path", link.path);
    member(json, "icon", link.icon);
    member(json, "permission", link.permission);
    json.end_object();
  }
  json.end_array().key("contributions").raw(manifest.contributions).end_object();
}

void write_plugins(JsonWriter& json, const char* key, const std::vector<Requirement>& plugins) {
  json.key(key).begin_object();
  for (const Requirement& plugin : plugins)
    json.member(plugin.id, plugin.range.text());
  json.end_object();
}

std::string write(const Manifest& manifest) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("id", manifest.id).member("name", manifest.name);
  json.member("version", manifest.version_text);
  member(json, "description", manifest.description);
  member(json, "author", manifest.author);
  member(json, "license", manifest.license);
  if (manifest.has_library) {
    json.key("abi").begin_object().member("major", manifest.abi_major);
    json.member("minor", manifest.abi_minor).end_object();
  }
  write_plugins(json, "requires", manifest.requires_plugins);
  write_plugins(json, "optional", manifest.optional_plugins);
  write_plugins(json, "conflicts", manifest.conflicts);
  json.key("permissions").begin_array();
  for (const DeclaredPermission& permission : manifest.permissions) {
    json.begin_object().member("id", permission.id).member("title", permission.title);
    json.key("roles").begin_array();
    for (const std::string& role : permission.roles)
      json.value(role);
    json.end_array().end_object();
  }
  json.end_array();
  const char* isolation[] = {"none", "preferred", "required"};
  if (manifest.has_library)
    json.member("isolation", isolation[static_cast<std::size_t>(manifest.isolation)]);
  if (manifest.has_ui) write_ui(json, manifest);
  if (manifest.settings) json.key("settings").raw(manifest.settings->json());
  json.end_object();
  return text;
}

bool is_shown(const std::string& text, std::size_t max_bytes) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  }
  return text.size() <= max_bytes;
}

void check(const Manifest& manifest) {
  TENON_HOLDS(is_plugin_id(manifest.id) && !is_reserved_id(manifest.id));
  TENON_HOLDS(!manifest.name.empty() && is_shown(manifest.name, ManifestLimits::name));
  TENON_HOLDS(is_shown(manifest.description, ManifestLimits::description));
  TENON_HOLDS(is_shown(manifest.author, ManifestLimits::name));
  TENON_HOLDS(is_shown(manifest.license, ManifestLimits::name));
  TENON_HOLDS(manifest.has_library || manifest.isolation == Isolation::none);
  TENON_HOLDS(manifest.has_library ||
              (manifest.expanding_migrations.empty() && manifest.response_headers.empty() &&
               manifest.outgoing.empty() && manifest.public_paths.empty()));
  TENON_HOLDS(manifest.public_paths.size() <= ManifestLimits::public_paths);
  for (const DeclaredPublicPath& one : manifest.public_paths)
    TENON_HOLDS(public_path_fault(one.path).empty() && public_path_route_fault(one.route).empty());
  TENON_HOLDS(manifest.abi_major <= 65535 && manifest.abi_minor <= 65535);
  TENON_HOLDS(manifest.requires_plugins.size() <= ManifestLimits::entries);
  TENON_HOLDS(manifest.optional_plugins.size() <= ManifestLimits::entries);
  TENON_HOLDS(manifest.conflicts.size() <= ManifestLimits::entries);
  for (const Requirement& required : manifest.requires_plugins)
    TENON_HOLDS(manifest.use_of(required.id) == &required);
  TENON_HOLDS(manifest.permissions.size() <= ManifestLimits::entries);
  TENON_HOLDS(manifest.navigation.size() <= ManifestLimits::entries);
  for (const DeclaredPermission& permission : manifest.permissions)
    TENON_HOLDS(permission.id.starts_with(manifest.id + "."));
  for (const Navigation& link : manifest.navigation) {
    TENON_HOLDS(link.path == "/app/" + manifest.id ||
                link.path.starts_with("/app/" + manifest.id + "/"));
    const std::string path = link.path.substr(0, link.path.find_first_of("?#"));
    TENON_HOLDS(path.find("/../") == std::string::npos && !path.ends_with("/.."));
    TENON_HOLDS(link.permission.empty() || manifest.declares(link.permission));
  }
  TENON_HOLDS(manifest.ui_module.find("..") == std::string::npos);
  // JSON that others get is valid.
  tenon::base::check_json(manifest.contributions);
  if (!manifest.settings) return;
  TENON_HOLDS(manifest.settings->properties().size() <= ManifestLimits::entries);
  tenon::base::check_json(manifest.settings->json());
  for (const auto& [key, text] : manifest.settings->with_defaults({})) {
    TENON_HOLDS(is_setting_key(key));
    tenon::base::check_json(text);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Manifest manifest = parse_manifest(tenon::fuzz::text_of(data, size), "plugin.json");
    check(manifest);
    const std::string written = write(manifest);
    const Manifest again = parse_manifest(written, "plugin.json");
    TENON_HOLDS(write(again) == written);
    TENON_HOLDS(!again.settings == !manifest.settings);
    if (again.settings) TENON_HOLDS(again.settings->json() == manifest.settings->json());
    TENON_HOLDS(again.version == manifest.version);
  } catch (const Refusal& refusal) {
    TENON_HOLDS(refusal.code() == "plugins.manifest_invalid" ||
                refusal.code() == "plugins.reserved_id");
    TENON_HOLDS(refusal.reason().file == "plugin.json" && !refusal.message().empty());
    if (data != nullptr) {
      // Only the input may be refused, not what was written from it.
      bool is_input = false;
      try {
        parse_manifest(tenon::fuzz::text_of(data, size), "plugin.json");
      } catch (const Refusal&) {
        is_input = true;
      }
      TENON_HOLDS(is_input);
    }
  }
  return 0;
}
