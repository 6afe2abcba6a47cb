#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "registry/limits.hpp"
#include "registry/package_index.hpp"
#include "registry/registry_refusal.hpp"

namespace tenon::plugins {

namespace {

using base::JsonSlice;
using base::JsonType;

constexpr std::size_t version_bytes = 64;
constexpr std::size_t range_bytes = 256;
constexpr std::size_t permission_bytes = 96;

// One object of the index with its location; every complaint names it. Borrows the text.
class IndexObject {
 public:
  IndexObject(const JsonSlice& slice, const std::string& file, std::string path)
      : file_(file), path_(std::move(path)) {
    if (slice.type() != JsonType::object) refuse("A JSON object is expected.");
    slice.each_member([this](std::string name, const JsonSlice& value) {
      members_.emplace(std::move(name), value);
    });
  }

  [[noreturn]] void refuse(std::string message, std::string_view name = {}) const {
    refuse_index(std::move(message), file_, location(name));
  }
  [[noreturn]] void refuse_size(std::string message, std::string_view name) const {
    refuse_index_size(std::move(message), file_, location(name));
  }
  std::string location(std::string_view name) const {
    if (path_.empty() || name.empty()) return path_ + std::string(name);
    return path_ + "." + std::string(name);
  }

  const std::map<std::string, JsonSlice>& members() const noexcept { return members_; }

  // UTF-8 of `min_bytes` to `max_bytes` bytes without control characters; with `has_lines`, line
  // breaks and tabs are allowed.
  std::string text(const char* name, std::size_t max_bytes, std::size_t min_bytes = 1,
                   bool has_lines = false) const {
    return text_of(member(name, JsonType::string, "A text"), name, max_bytes, min_bytes, has_lines);
  }

  std::uint64_t number(const char* name, std::uint64_t max) const {
    const auto value = member(name, JsonType::number, "A whole number").integer();
    if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > max)
      refuse("A whole number of 0 to " + std::to_string(max) + " is expected.", name);
    return static_cast<std::uint64_t>(*value);
  }

  bool is_null(const char* name) const {
    const auto found = members_.find(name);
    return found != members_.end() && found->second.type() == JsonType::null;
  }

  IndexObject object(const char* name) const {
    return {member(name, JsonType::object, "A JSON object"), file_, location(name)};
  }

  std::vector<IndexObject> objects(const char* name, std::size_t max_count) const {
    std::vector<IndexObject> found;
    each(name, max_count, [&](const JsonSlice& value, const std::string& at) {
      found.emplace_back(value, file_, location(at));
    });
    return found;
  }

  std::vector<std::string> texts(const char* name, std::size_t max_count, std::size_t bytes) const {
    std::vector<std::string> found;
    each(name, max_count, [&](const JsonSlice& value, const std::string& at) {
      if (value.type() != JsonType::string) refuse("A text is expected.", at);
      found.push_back(text_of(value, at, bytes, 1, false));
    });
    return found;
  }

  std::string text_of(const JsonSlice& value, const std::string& name, std::size_t max_bytes,
                      std::size_t min_bytes, bool has_lines) const {
    std::string text = value.string();
    if (text.size() < min_bytes || text.size() > max_bytes) {
      refuse("A text of " + std::to_string(min_bytes) + " to " + std::to_string(max_bytes) +
                 " bytes is expected, not of " + std::to_string(text.size()) + ".",
             name);
    }
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_allowed = byte >= 0x20 && byte != 0x7f;
      if (!is_allowed && !(has_lines && (c == '\n' || c == '\t')))
        refuse("The text holds a control character.", name);
    }
    return text;
  }

 private:
  JsonSlice member(const char* name, JsonType type, const char* what) const {
    const auto found = members_.find(name);
    if (found == members_.end()) refuse("It is missing.", name);
    if (found->second.type() != type) refuse(std::string(what) + " is expected.", name);
    return found->second;
  }

  template <typename Take>
  void each(const char* name, std::size_t max_count, Take&& take) const {
    std::size_t count = 0;
    member(name, JsonType::array, "A JSON array").each_element([&](const JsonSlice& value) {
      if (count == max_count)
        refuse_size("At most " + std::to_string(max_count) + " entries are allowed here.", name);
      take(value, std::string(name) + "[" + std::to_string(count++) + "]");
    });
  }

  const std::string& file_;
  std::string path_;
  std::map<std::string, JsonSlice> members_;
};

FileHash read_hash(const IndexObject& from) {
  const std::string text = from.text("blake2b", 2 * sizeof(FileHash), 0);
  FileHash hash{};
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  const bool is_hash = text.size() == 2 * hash.size() &&
                       std::all_of(text.begin(), text.end(), [&](char c) { return digit(c) >= 0; });
  if (!is_hash) from.refuse("128 lower-case hexadecimal digits are expected.", "blake2b");
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] = static_cast<unsigned char>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
  return hash;
}

std::string read_file_name(const IndexObject& from) {
  std::string name = from.text("file", PackageLimits::name);
  if (const std::string fault = fault_of_name(name); !fault.empty()) from.refuse(fault, "file");
  return name;
}

std::vector<PublicKey> read_keys(const IndexObject& top) {
  std::vector<PublicKey> keys;
  for (const IndexObject& entry : top.objects("keys", RegistryLimits::keys)) {
    const std::string number = entry.text("number", 16);
    const std::string line = entry.text("public", 100);
    try {
      keys.push_back(read_public_key("untrusted comment: -\n" + line + "\n", "public"));
    } catch (const Refusal& refusal) {
      entry.refuse(refusal.reason().message, "public");
    }
    if (keys.back().id() != number)
      entry.refuse("The key's own number is " + keys.back().id() + ".", "number");
    if (keys.size() > 1 && keys[keys.size() - 2].id() >= number)
      entry.refuse("Keys are sorted by their numbers, and each appears once.", "number");
  }
  return keys;
}

std::vector<Requirement> read_requirements(const IndexObject& version, const std::string& plugin) {
  std::vector<Requirement> requirements;
  const IndexObject wanted = version.object("requires");
  if (wanted.members().size() > ManifestLimits::entries)
    version.refuse_size(
        "At most " + std::to_string(ManifestLimits::entries) + " plugins may be required.",
        "requires");
  for (const auto& [id, value] : wanted.members()) {
    if (!is_plugin_id(id) || is_reserved_id(id) || id == plugin)
      wanted.refuse("This is no id of another plugin.");
    if (value.type() != JsonType::string) wanted.refuse("A text is expected.", id);
    auto range = VersionRange::parse(wanted.text_of(value, id, range_bytes, 1, false));
    if (!range) wanted.refuse("This is no range of versions.", id);
    requirements.push_back({id, std::move(*range)});
  }
  return requirements;
}

std::vector<DeclaredPermission> read_permissions(const IndexObject& version,
                                                 const std::string& plugin) {
  std::vector<DeclaredPermission> permissions;
  for (const IndexObject& entry : version.objects("permissions", ManifestLimits::entries)) {
    DeclaredPermission permission{entry.text("id", permission_bytes),
                                  entry.text("title", ManifestLimits::name),
                                  entry.texts("roles", 2, 16)};
    if (!permission.id.starts_with(plugin + "."))
      entry.refuse("A permission's id begins with the id of its plugin.", "id");
    permissions.push_back(std::move(permission));
  }
  return permissions;
}

std::vector<std::string> read_architectures(const IndexObject& version) {
  auto architectures = version.texts("architectures", RegistryLimits::architectures, 32);
  for (std::size_t i = 0; i < architectures.size(); ++i) {
    const bool is_sorted = i == 0 || architectures[i - 1] < architectures[i];
    if (!is_sorted || !fault_of_name(architectures[i]).empty())
      version.refuse("Names of machines are expected, sorted and each once.", "architectures");
  }
  return architectures;
}

IndexedVersion read_version(const IndexObject& from, const std::string& plugin,
                            const std::vector<PublicKey>& keys) {
  IndexedVersion version;
  version.version_text = from.text("version", version_bytes);
  const auto parsed = SemanticVersion::parse(version.version_text);
  if (!parsed) from.refuse("This is no semantic version such as 1.2.3.", "version");
  version.version = *parsed;
  version.file = read_file_name(from);
  version.size = from.number("size", PackageLimits::packed);
  version.hash = read_hash(from);
  version.key = from.text("key", 16);
  if (std::none_of(keys.begin(), keys.end(),
                   [&](const PublicKey& key) { return key.id() == version.key; }))
    from.refuse("The key is not among the keys of the index.", "key");
  version.has_library = !from.is_null("abi");
  if (version.has_library) {
    const IndexObject abi = from.object("abi");
    version.abi_major = static_cast<std::uint32_t>(abi.number("major", 65535));
    version.abi_minor = static_cast<std::uint32_t>(abi.number("minor", 65535));
  }
  version.needs_minor = static_cast<std::uint32_t>(from.number("needs", 65535));
  version.requires_plugins = read_requirements(from, plugin);
  version.architectures = read_architectures(from);
  version.permissions = read_permissions(from, plugin);
  version.changelog = from.text("changelog", RegistryLimits::changelog, 0, true);
  for (const IndexObject& entry : from.objects("screenshots", RegistryLimits::screenshots))
    version.screenshots.push_back({read_file_name(entry),
                                   entry.number("size", RegistryLimits::screenshot),
                                   read_hash(entry)});
  return version;
}

// Indexes by older tools have none.
std::string read_icon(const IndexObject& plugin) {
  if (!plugin.members().contains("icon")) return {};
  std::string icon = plugin.text("icon", 64);
  if (icon.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    plugin.refuse("The name of an icon is made of a-z, 0-9 and -.", "icon");
  return icon;
}

IndexedPlugin read_plugin(const IndexObject& from, const std::vector<PublicKey>& keys) {
  IndexedPlugin plugin;
  plugin.id = from.text("id", 64);
  if (!is_plugin_id(plugin.id) || is_reserved_id(plugin.id))
    from.refuse("This is no id of a plugin.", "id");
  plugin.name = from.text("name", ManifestLimits::name);
  plugin.description = from.text("description", ManifestLimits::description, 0);
  plugin.author = from.text("author", ManifestLimits::name, 0);
  plugin.license = from.text("license", ManifestLimits::name, 0);
  plugin.icon = read_icon(from);
  for (const IndexObject& entry : from.objects("versions", RegistryLimits::versions)) {
    plugin.versions.push_back(read_version(entry, plugin.id, keys));
    const std::size_t count = plugin.versions.size();
    if (count > 1 && plugin.versions[count - 2].version <= plugin.versions[count - 1].version)
      entry.refuse("Versions are sorted with the newest first, and each appears once.", "version");
  }
  if (plugin.versions.empty()) from.refuse("There must be one version or more.", "versions");
  if (from.text("latest", version_bytes) != plugin.latest().version_text)
    from.refuse("The latest version is " + plugin.latest().version_text + ".", "latest");
  return plugin;
}

}  // namespace

PackageIndex parse_index(std::string_view text, const std::string& file) {
  if (text.size() > RegistryLimits::index)
    refuse_index_size("The index is larger than " +
                          std::to_string(RegistryLimits::index / (1024 * 1024)) + " MiB.",
                      file);
  try {
    base::check_json(text,
                     {.max_bytes = RegistryLimits::index, .max_depth = RegistryLimits::depth});
  } catch (const base::Error& failure) {
    refuse_index(failure.message(), file);
  }
  const IndexObject top(JsonSlice(text), file, {});
  if (const std::string format = top.text("format", 100); format != "tenon-registry 1") {
    top.refuse("This is \"" + format +
                   "\", and this host reads \"tenon-registry 1\"; a newer one may read it.",
               "format");
  }
  PackageIndex index;
  index.serial = top.number("serial", RegistryLimits::serial);
  if (index.serial == 0) top.refuse("Serials begin with 1.", "serial");
  index.keys = read_keys(top);
  for (const IndexObject& entry : top.objects("plugins", RegistryLimits::plugins)) {
    index.plugins.push_back(read_plugin(entry, index.keys));
    const std::size_t count = index.plugins.size();
    if (count > 1 && index.plugins[count - 2].id >= index.plugins[count - 1].id)
      entry.refuse("Plugins are sorted by their ids, and each appears once.", "id");
  }
  return index;
}

}  // namespace tenon::plugins
