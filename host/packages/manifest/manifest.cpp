#include "packages/manifest/manifest.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <stdexcept>

#include <Poco/String.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "http/parser/ascii.hpp"
#include "http_client/origin_pattern.hpp"
#include "packages/manifest/json_reader.hpp"
#include "packages/manifest/policy_headers.hpp"
#include "packages/reason.hpp"
#include "settings/schema.hpp"

namespace tenon::plugins {

namespace {

constexpr std::array<std::string_view, 8> reserved_ids{"core", "docs", "ui",    "api",
                                                       "app",  "dav",  "admin", "tenon"};
constexpr std::size_t max_id_bytes = 96;

bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// 1…`max_length` of [a-z0-9] and `others`.
bool is_made_of(std::string_view text, std::string_view others, std::size_t max_length) {
  return !text.empty() && text.size() <= max_length &&
         std::all_of(text.begin(), text.end(), [others](char c) {
           return is_lower(c) || is_digit(c) || others.find(c) != std::string_view::npos;
         });
}

const Requirement* find(const std::vector<Requirement>& sorted, std::string_view id) noexcept {
  const auto at = std::lower_bound(
      sorted.begin(), sorted.end(), id,
      [](const Requirement& one, std::string_view wanted) { return one.id < wanted; });
  return at != sorted.end() && at->id == id ? &*at : nullptr;
}

// Other plugins under `key`, each with a range of its versions.
std::vector<Requirement> read_plugins(const JsonReader& top, const std::string& key,
                                      const Manifest& manifest) {
  std::vector<Requirement> plugins;
  const auto named = top.optional_object(key);
  if (!named) return plugins;
  if (named->keys().size() > ManifestLimits::entries) {
    top.refuse(key,
               "At most " + std::to_string(ManifestLimits::entries) + " plugins are allowed here.");
  }
  for (const std::string& id : named->keys()) {
    if (!is_plugin_id(id) || is_reserved_id(id))
      named->refuse(id, "\"" + id + "\" is no id of a plugin.");
    if (id == manifest.id) named->refuse(id, "A plugin must not name itself here.");
    if (find(manifest.requires_plugins, id)) {
      named->refuse(id, "\"" + id + "\" is required; the range there says which versions will do.");
    }
    const std::string text = named->text(id, 256);
    auto range = VersionRange::parse(text);
    if (!range)
      named->refuse(
          id, "\"" + text + "\" is no range of versions such as \"^1.2\" or \">=1.0.0 <3.0.0\".");
    plugins.push_back({id, std::move(*range)});
  }
  std::sort(plugins.begin(), plugins.end(),
            [](const Requirement& left, const Requirement& right) { return left.id < right.id; });
  return plugins;
}

DeclaredPermission read_permission(const JsonReader& entry, const std::string& plugin) {
  entry.allow({"id", "title", "roles"});
  DeclaredPermission permission{
      entry.text("id", max_id_bytes), entry.text("title", ManifestLimits::name), {}};
  const std::string prefix = plugin + ".";
  const std::string_view what =
      std::string_view(permission.id).substr(std::min(prefix.size(), permission.id.size()));
  if (!permission.id.starts_with(prefix) || !is_made_of(what, "_.-", 63)) {
    entry.refuse("id", "\"" + permission.id + "\" must be \"" + prefix +
                           "\" followed by 1 to 63 of a-z, 0-9, _, . and -.");
  }
  permission.roles = entry.has("roles") ? entry.texts("roles", 2) : std::vector<std::string>{};
  for (std::size_t i = 0; i < permission.roles.size(); ++i) {
    if (permission.roles[i] == "member" || permission.roles[i] == "admin") continue;
    entry.refuse("roles[" + std::to_string(i) + "]",
                 "\"" + permission.roles[i] + "\" is no role; known are member, admin.");
  }
  return permission;
}

void read_permissions(const JsonReader& top, Manifest& manifest) {
  std::set<std::string> seen;
  for (const JsonReader& entry : top.objects("permissions", ManifestLimits::entries)) {
    DeclaredPermission permission = read_permission(entry, manifest.id);
    if (!seen.insert(permission.id).second)
      entry.refuse("id", "\"" + permission.id + "\" is declared twice.");
    manifest.permissions.push_back(std::move(permission));
  }
}

/// Whether a browser resolves `link` to another path: a part of its path is empty, or a single-dot
/// or double-dot URL path segment (WHATWG URL, section 4.1), which may be spelled with "%2e".
bool has_relative_part(std::string_view link) {
  if (link.find('\\') != std::string_view::npos) return true;
  const std::string_view path = link.substr(0, link.find_first_of("?#"));
  std::string parts = Poco::toLower(std::string(path)) + "/";
  Poco::replaceInPlace(parts, std::string("%2e"), std::string("."));
  return path.find("//") != std::string_view::npos || parts.find("/./") != std::string::npos ||
         parts.find("/../") != std::string::npos;
}

Navigation read_navigation(const JsonReader& entry, const Manifest& manifest) {
  entry.allow({"id", "title", "path", "icon", "permission"});
  Navigation link{entry.text("id", max_id_bytes), entry.text("title", ManifestLimits::name),
                  entry.text("path", 512), entry.optional_text("icon", 64),
                  entry.optional_text("permission", max_id_bytes)};
  if (!is_made_of(link.id, "_.-", max_id_bytes))
    entry.refuse("id", "An id is made of a-z, 0-9, _, . and -.");
  const std::string own = "/app/" + manifest.id;
  if (link.path != own && !link.path.starts_with(own + "/")) {
    entry.refuse("path", "\"" + link.path + "\" must be " + own + " or lie below it.");
  }
  if (has_relative_part(link.path))
    entry.refuse("path", "\"" + link.path + "\" must have no empty, \".\" or \"..\" part.");
  if (!link.icon.empty() && !is_made_of(link.icon, "-", 64))
    entry.refuse("icon", "The name of an icon is made of a-z, 0-9 and -.");
  if (!link.permission.empty() && !manifest.declares(link.permission)) {
    entry.refuse("permission",
                 "\"" + link.permission + "\" is not among the permissions of this plugin.");
  }
  return link;
}

void read_ui(const JsonReader& top, Manifest& manifest) {
  const auto ui = top.optional_object("ui");
  if (!ui) return;
  ui->allow({"module", "navigation", "contributions", "points"});
  manifest.has_ui = true;
  manifest.ui_module = ui->optional_text("module", 256);
  if (manifest.ui_module.starts_with('/') || manifest.ui_module.find("..") != std::string::npos) {
    ui->refuse("module", "The module is a file inside the plugin's folder \"ui\".");
  }
  std::set<std::string> seen;
  for (const JsonReader& entry : ui->objects("navigation", ManifestLimits::entries)) {
    Navigation link = read_navigation(entry, manifest);
    if (!seen.insert(link.id).second)
      entry.refuse("id", "\"" + link.id + "\" is twice in the navigation.");
    manifest.navigation.push_back(std::move(link));
  }
  if (const auto contributions = ui->optional_object("contributions"))
    manifest.contributions = contributions->json();
  for (const JsonReader& entry : ui->objects("points", ManifestLimits::entries)) {
    entry.allow({"id", "title"});
    std::string id = entry.text("id", max_id_bytes);
    entry.text("title", ManifestLimits::name);
    if (!is_made_of(id, "_.-", max_id_bytes))
      entry.refuse("id", "An id is made of a-z, 0-9, _, . and -.");
    if (std::find(manifest.extension_points.begin(), manifest.extension_points.end(), id) !=
        manifest.extension_points.end())
      entry.refuse("id", "\"" + id + "\" is twice in the points.");
    manifest.extension_points.push_back(std::move(id));
  }
}

// A member as the file has it: its properties stay in their order, which is that of the form.
std::string_view member_text(std::string_view manifest, std::string_view wanted) {
  std::string_view text;
  base::JsonSlice(manifest).each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == wanted) text = value.text();
  });
  return text;
}

void read_settings(const JsonReader& top, std::string_view text, Manifest& manifest) {
  const auto schema = top.optional_object("settings");
  if (!schema) return;
  if (schema->has("type") && schema->text("type", 64) != "object") {
    schema->refuse("type", "Settings are an object; its properties are the keys.");
  }
  const auto properties = schema->optional_object("properties");
  if (properties && properties->keys().size() > ManifestLimits::entries) {
    schema->refuse("properties", "At most " + std::to_string(ManifestLimits::entries) +
                                     " settings may be declared.");
  }
  for (const std::string& key : properties ? properties->keys() : std::vector<std::string>()) {
    if (!is_setting_key(key))
      properties->refuse(key, "A setting's key is 1 to 64 of a-z, 0-9, _, . and -.");
  }
  try {
    manifest.settings = std::make_shared<const settings::Schema>(member_text(text, "settings"));
  } catch (const settings::SchemaFault& fault) {
    if (fault.key.empty()) top.refuse("settings", fault.message);
    properties->refuse(fault.key, fault.message);
  }
}

// Reads the phases of migrations that are functions; migrations in SQL state their own.
void read_migrations(const JsonReader& top, Manifest& manifest) {
  constexpr std::uint32_t max_number = 9'999;
  auto& numbers = manifest.expanding_migrations;
  for (const JsonReader& entry : top.objects("migrations", ManifestLimits::entries)) {
    entry.allow({"number", "phase"});
    const std::uint32_t number = entry.number("number");
    if (number == 0 || number > max_number)
      entry.refuse("number", "The number of a migration is 1 to 9,999.");
    if (const std::string phase = entry.text("phase", 32); phase != "expand") {
      entry.refuse("phase", "\"" + phase +
                                "\" is not known; known is expand. What takes away belongs into "
                                "migrations/NNNN_name.sql of the phase contract.");
    }
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      entry.refuse("number", "The migration " + std::to_string(number) + " is there twice.");
    numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
}

void read_response_headers(const JsonReader& top, Manifest& manifest) {
  if (!top.has("response_headers")) return;
  for (std::string& name : top.texts("response_headers", ManifestLimits::response_headers)) {
    const std::string location =
        "response_headers[" + std::to_string(manifest.response_headers.size()) + "]";
    if (!is_declarable_header(name) || !http::all_in(name, http::token_character)) {
      top.refuse(location,
                 "\"" + name +
                     "\" cannot be declared. Those that need it are Access-Control-…, "
                     "Content-Security-Policy, Cross-Origin-…-Policy and Clear-Site-Data; "
                     "Service-Worker-Allowed is never sent.");
    }
    if (manifest.declares_header(name)) top.refuse(location, "\"" + name + "\" is declared twice.");
    manifest.response_headers.push_back(std::move(name));
  }
}

void read_outgoing(const JsonReader& top, Manifest& manifest) {
  if (!top.has("outgoing")) return;
  for (std::string& pattern : top.texts("outgoing", ManifestLimits::outgoing)) {
    const std::string location = "outgoing[" + std::to_string(manifest.outgoing.size()) + "]";
    try {
      const http_client::OriginPattern parsed(pattern);
    } catch (const std::invalid_argument& failure) {
      top.refuse(location, "\"" + pattern + "\" must be " + failure.what() + ".");
    }
    if (manifest.declares_outgoing(pattern))
      top.refuse(location, "\"" + pattern + "\" is declared twice.");
    manifest.outgoing.push_back(std::move(pattern));
  }
}

void read_public_paths(const JsonReader& top, Manifest& manifest) {
  for (const JsonReader& entry : top.objects("public_paths", ManifestLimits::public_paths)) {
    entry.allow({"path", "route", "title"});
    DeclaredPublicPath declared{entry.text("path", 256), entry.text("route", 1024),
                                entry.text("title", ManifestLimits::name)};
    if (const std::string fault = public_path_fault(declared.path); !fault.empty())
      entry.refuse("path", "\"" + declared.path + "\" " + fault + ".");
    if (const std::string fault = public_path_route_fault(declared.route); !fault.empty())
      entry.refuse("route", "\"" + declared.route + "\" " + fault + ".");
    if (manifest.declares_public_path(declared.path))
      entry.refuse("path", "\"" + declared.path + "\" is declared twice.");
    manifest.public_paths.push_back(std::move(declared));
  }
}

// "delete" or "update" of a schedule.
records::Action read_action(const JsonReader& entry) {
  constexpr std::size_t max_table_bytes = 64;
  constexpr std::size_t max_condition_bytes = 4096;
  records::Action action;
  const bool is_update = entry.has("update");
  if (is_update == entry.has("delete"))
    entry.refuse("", "A schedule has either \"delete\" or \"update\".");
  const JsonReader change = entry.object(is_update ? "update" : "delete");
  if (is_update)
    change.allow({"table", "where", "set"});
  else
    change.allow({"table", "where"});
  action.kind = is_update ? records::Action::Kind::update : records::Action::Kind::remove;
  action.table = change.text("table", max_table_bytes);
  action.where = change.text("where", max_condition_bytes);
  if (is_update) action.set = change.object("set").json();
  return action;
}

void read_schedules(const JsonReader& top, Manifest& manifest) {
  std::set<std::string> seen;
  for (const JsonReader& entry : top.objects("schedules", ManifestLimits::entries)) {
    entry.allow({"name", "cron", "time_zone", "runs_missed", "delete", "update"});
    DeclaredSchedule schedule;
    schedule.name = entry.text("name", 64);
    if (!is_made_of(schedule.name, "_.-", 64))
      entry.refuse("name", "A name is 1 to 64 of a-z, 0-9, _, . and -.");
    if (!seen.insert(schedule.name).second)
      entry.refuse("name", "There are two schedules \"" + schedule.name + "\".");
    schedule.cron = entry.text("cron", 256);
    schedule.time_zone = entry.optional_text("time_zone", ManifestLimits::name);
    schedule.runs_missed = entry.optional_flag("runs_missed", true);
    schedule.action = read_action(entry);
    manifest.schedules.push_back(std::move(schedule));
  }
}

// The members of a manifest that say something about the code of its library.
constexpr std::array<const char*, 5> library_members{"isolation", "migrations", "outgoing",
                                                     "public_paths", "response_headers"};

void read_abi(const JsonReader& top, Manifest& manifest) {
  manifest.has_library = top.has("abi");
  if (manifest.has_library) {
    const JsonReader abi = top.object("abi");
    abi.allow({"major", "minor"});
    manifest.abi_major = abi.number("major");
    manifest.abi_minor = abi.number("minor");
    return;
  }
  for (const char* const member : library_members) {
    if (top.has(member))
      top.refuse(
          member,
          "It needs a library, and a plugin without \"abi\" has none. Add \"abi\", or remove "
          "this.");
  }
}

Isolation read_isolation(const JsonReader& top) {
  const std::string text = top.optional_text("isolation", 32);
  if (text.empty() || text == "none") return Isolation::none;
  if (text == "preferred") return Isolation::preferred;
  if (text == "required") return Isolation::required;
  top.refuse("isolation", "\"" + text + "\" is not known; known are preferred, required, none.");
}

std::string read_id(const JsonReader& top, const std::string& file) {
  std::string id = top.text("id", 64);
  if (!is_plugin_id(id)) {
    top.refuse("id", "\"" + id + "\" is no id: 2 to 32 of a-z, 0-9 and -, the first a letter.");
  }
  if (is_reserved_id(id)) {
    throw Refusal({"plugins.reserved_id",
                   "The id \"" + id + "\" is kept for the platform itself; choose another.", file,
                   "id"});
  }
  return id;
}

}  // namespace

bool Manifest::declares(std::string_view permission) const noexcept {
  return std::any_of(permissions.begin(), permissions.end(),
                     [permission](const auto& p) { return p.id == permission; });
}

bool Manifest::declares_header(std::string_view header) const noexcept {
  return std::any_of(response_headers.begin(), response_headers.end(),
                     [header](const auto& one) { return http::equals_ignoring_case(one, header); });
}

bool Manifest::declares_outgoing(std::string_view pattern) const noexcept {
  return std::find(outgoing.begin(), outgoing.end(), pattern) != outgoing.end();
}

bool Manifest::declares_public_path(std::string_view path) const noexcept {
  return std::any_of(public_paths.begin(), public_paths.end(),
                     [path](const DeclaredPublicPath& one) { return one.path == path; });
}

bool Manifest::is_required(std::string_view plugin) const noexcept {
  return find(requires_plugins, plugin) != nullptr;
}

const Requirement* Manifest::use_of(std::string_view plugin) const noexcept {
  const Requirement* required = find(requires_plugins, plugin);
  return required ? required : find(optional_plugins, plugin);
}

void write_abi(base::JsonWriter& json, bool has_library, std::uint32_t major, std::uint32_t minor) {
  json.key("abi");
  if (has_library)
    json.begin_object().member("major", major).member("minor", minor).end_object();
  else
    json.null();
}

bool is_plugin_id(std::string_view id) noexcept {
  return id.size() >= 2 && id.size() <= 32 && is_lower(id[0]) &&
         std::all_of(id.begin(), id.end(),
                     [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_reserved_id(std::string_view id) noexcept {
  return std::find(reserved_ids.begin(), reserved_ids.end(), id) != reserved_ids.end();
}

bool is_setting_key(std::string_view key) noexcept {
  return is_made_of(key, "_.-", 64);
}

Manifest parse_manifest(std::string_view text, const std::string& file) {
  Poco::JSON::Object::Ptr parsed;
  try {
    parsed = base::parse_json_object(text, {.max_bytes = ManifestLimits::file});
  } catch (const base::Error& failure) {
    throw Refusal({"plugins.manifest_invalid", failure.message(), file, {}});
  }
  const JsonReader top(parsed, file, {});
  top.allow({"$schema",    "id",          "name",         "version",          "description",
             "author",     "license",     "abi",          "requires",         "optional",
             "conflicts",  "permissions", "ui",           "settings",         "isolation",
             "migrations", "outgoing",    "public_paths", "response_headers", "schedules"});

  Manifest manifest;
  manifest.id = read_id(top, file);
  manifest.name = top.text("name", ManifestLimits::name);
  manifest.version_text = top.text("version", 64);
  const auto version = SemanticVersion::parse(manifest.version_text);
  if (!version)
    top.refuse("version",
               "\"" + manifest.version_text + "\" is no semantic version such as 1.2.3.");
  manifest.version = *version;
  manifest.description = top.optional_text("description", ManifestLimits::description);
  manifest.author = top.optional_text("author", ManifestLimits::name);
  manifest.license = top.optional_text("license", ManifestLimits::name);

  read_abi(top, manifest);
  manifest.requires_plugins = read_plugins(top, "requires", manifest);
  manifest.optional_plugins = read_plugins(top, "optional", manifest);
  manifest.conflicts = read_plugins(top, "conflicts", manifest);
  read_permissions(top, manifest);
  read_ui(top, manifest);
  read_settings(top, text, manifest);
  manifest.isolation = read_isolation(top);
  read_migrations(top, manifest);
  read_response_headers(top, manifest);
  read_outgoing(top, manifest);
  read_public_paths(top, manifest);
  read_schedules(top, manifest);
  return manifest;
}

namespace {

Manifest read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  std::array<char, 4096> piece;
  while (in && text.size() <= ManifestLimits::file) {
    in.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad() || (in.fail() && !in.eof())) {
    throw Refusal({"plugins.manifest_invalid", "The file cannot be read.", file, {}});
  }
  return parse_manifest(text, file);
}

}  // namespace

Manifest read_manifest(const std::string& folder) {
  const std::string file = folder + "/plugin.json";
  Manifest manifest = read_file(file);
  const std::string name = folder.substr(folder.rfind('/') + 1);
  if (manifest.id != name) {
    throw Refusal({"plugins.manifest_invalid",
                   "The id \"" + manifest.id + "\" and the name of the folder \"" + name +
                       "\" must be the same.",
                   file, "id"});
  }
  return manifest;
}

Manifest read_manifest(const std::string& folder, const std::string& id) {
  const std::string file = folder + "/plugin.json";
  Manifest manifest = read_file(file);
  if (manifest.id != id) {
    throw Refusal({"plugins.manifest_invalid",
                   "The id is \"" + manifest.id + "\", expected is \"" + id + "\".", file, "id"});
  }
  return manifest;
}

}  // namespace tenon::plugins
