#include "registry/package_index.hpp"

#include <algorithm>

#include "base/json_writer.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/signature/signature.hpp"
#include "registry/index_json.hpp"

namespace tenon::plugins {

namespace {

using base::JsonWriter;

void write_permissions(JsonWriter& json, const std::vector<DeclaredPermission>& permissions) {
  json.key("permissions").begin_array();
  for (const DeclaredPermission& permission : permissions) {
    json.begin_object().member("id", permission.id).member("title", permission.title);
    json.key("roles").begin_array();
    for (const std::string& role : permission.roles)
      json.value(role);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

const IndexedVersion& IndexedPlugin::latest() const noexcept {
  const auto release = std::find_if(
      versions.begin(), versions.end(),
      [](const IndexedVersion& version) { return version.version.prerelease.empty(); });
  return release == versions.end() ? versions.front() : *release;
}

const IndexedPlugin* PackageIndex::find(std::string_view id) const noexcept {
  const auto found = std::lower_bound(
      plugins.begin(), plugins.end(), id,
      [](const IndexedPlugin& plugin, std::string_view wanted) { return plugin.id < wanted; });
  return found == plugins.end() || found->id != id ? nullptr : &*found;
}

void write_version_members(JsonWriter& json, const IndexedVersion& version) {
  json.member("version", version.version_text)
      .member("file", version.file)
      .member("size", version.size)
      .member("blake2b", hash_text(version.hash))
      .member("key", version.key);
  write_abi(json, version.has_library, version.abi_major, version.abi_minor);
  json.member("needs", version.needs_minor);
  json.key("requires").begin_object();
  for (const Requirement& requirement : version.requires_plugins)
    json.member(requirement.id, requirement.range.text());
  json.end_object();
  json.key("architectures").begin_array();
  for (const std::string& architecture : version.architectures)
    json.value(architecture);
  json.end_array();
  write_permissions(json, version.permissions);
  json.member("changelog", version.changelog);
  json.key("screenshots").begin_array();
  for (const Screenshot& screenshot : version.screenshots) {
    json.begin_object()
        .member("file", screenshot.file)
        .member("size", screenshot.size)
        .member("blake2b", hash_text(screenshot.hash))
        .end_object();
  }
  json.end_array();
}

void write_plugin(JsonWriter& json, const IndexedPlugin& plugin) {
  json.begin_object()
      .member("id", plugin.id)
      .member("name", plugin.name)
      .member("description", plugin.description)
      .member("author", plugin.author)
      .member("license", plugin.license);
  if (!plugin.icon.empty()) json.member("icon", plugin.icon);
  json.member("latest", plugin.latest().version_text);
  json.key("versions").begin_array();
  for (const IndexedVersion& version : plugin.versions) {
    json.begin_object();
    write_version_members(json, version);
    json.end_object();
  }
  json.end_array().end_object();
}

std::string write_index(const PackageIndex& index) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("format", "tenon-registry 1").member("serial", index.serial);
  json.key("keys").begin_array();
  for (const PublicKey& key : index.keys) {
    json.begin_object().member("number", key.id()).member("public", public_line(key)).end_object();
  }
  json.end_array();
  json.key("plugins").begin_array();
  for (const IndexedPlugin& plugin : index.plugins)
    write_plugin(json, plugin);
  json.end_array().end_object();
  return text + "\n";
}

PackageIndex open_index(std::string_view text, std::string_view signature, const PublicKey& key,
                        const std::string& file) {
  check_signature(parse_signature(signature, index_signature_name), text, key, file);
  return parse_index(text, file);
}

std::string hash_text(const FileHash& hash) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * hash.size());
  for (const unsigned char byte : hash) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string public_line(const PublicKey& key) {
  const std::string text = key.to_text();
  const std::size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace tenon::plugins
