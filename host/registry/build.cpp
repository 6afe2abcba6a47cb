#include "registry/build.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/signature/signature.hpp"
#include "registry/limits.hpp"
#include "registry/package_facts.hpp"
#include "registry/registry_refusal.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr const char* folder_invalid = "plugins.registry_folder_invalid";
constexpr const char* serial_refused = "plugins.registry_serial";

[[noreturn]] void refuse(const char* code, std::string message, const std::string& file) {
  throw Refusal({code, std::move(message), file, {}}, 422);
}

// Files of a folder by their names; nothing where there is no such folder.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    names.push_back(entry->path().filename().string());
  if (failure && failure != std::errc::no_such_file_or_directory)
    refuse(folder_invalid, "It cannot be read: " + failure.message() + ".", folder);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<PublicKey> read_keys(const std::string& folder) {
  std::vector<PublicKey> keys;
  for (const std::string& name : names_in(folder + "/keys")) {
    if (!name.ends_with(".pub")) continue;
    const std::string path = folder + "/keys/" + name;
    keys.push_back(read_public_key(
        read_bounded(path, PackageLimits::key_file, "plugins.signature_key_invalid"), path));
    if (const std::string id = keys.back().id(); name != id + ".pub")
      refuse(folder_invalid, "This is the key " + id + "; name the file keys/" + id + ".pub.",
             path);
  }
  return keys;
}

// Returns the fault of one package.
base::FieldError fault_of(const std::string& file, const base::Error& error) {
  const auto* refusal = dynamic_cast<const Refusal*>(&error);
  if (!refusal) return {file, error.code(), error.message()};
  Reason reason = refusal->reason();
  reason.file.clear();
  return {file, error.code(), describe(reason)};
}

class Build {
 public:
  explicit Build(const std::string& folder) : folder_(folder), keys_(read_keys(folder)) {
    std::error_code failure;
    if (!fs::is_directory(folder, failure)) refuse(folder_invalid, "This is no folder.", folder);
    find_packages("", 0);
  }

  PackageIndex index() {
    for (const std::string& file : packages_) {
      try {
        add(file);
      } catch (const base::Error& error) {
        faults_.push_back(fault_of(file, error));
      }
    }
    if (!faults_.empty()) {
      throw base::Error(422, "plugins.registry_build_refused",
                        std::to_string(faults_.size()) + " of " + std::to_string(packages_.size()) +
                            " packages cannot be in a registry; nothing was changed:",
                        faults_);
    }
    PackageIndex index;
    for (const PublicKey& key : keys_) {
      if (signers_.contains(key.id())) index.keys.push_back(key);
    }
    for (auto& [id, found] : plugins_) {
      std::sort(found.plugin.versions.begin(), found.plugin.versions.end(),
                [](const IndexedVersion& left, const IndexedVersion& right) {
                  return left.version > right.version;
                });
      describe_plugin(found.plugin, found.texts.at(found.plugin.latest().version_text));
      index.plugins.push_back(std::move(found.plugin));
    }
    return index;
  }

  // Lays the pictures where the index says that they are.
  void extract() const {
    for (const auto& [file, pictures] : pictures_) {
      const Archive archive = Archive::read(folder_ + "/" + file);
      const Contents contents = Contents::unchecked(archive);
      for (const auto& [name, target] : pictures) {
        const std::string content = contents.read(name, RegistryLimits::screenshot);
        const std::string path = folder_ + "/" + target.file;
        if (hash_of(content) != target.hash)
          refuse(folder_invalid, "The package was changed meanwhile; build again.", file);
        if (holds(path, content)) continue;
        std::error_code failure;
        fs::create_directories(fs::path(path).parent_path(), failure);
        if (failure) refuse_write("made", fs::path(path).parent_path().string(), failure.value());
        replace_file(path, content);
      }
    }
  }

  static bool holds(const std::string& path, const std::string& content) {
    std::error_code failure;
    return fs::file_size(path, failure) == content.size() && !failure &&
           read_bounded(path, content.size(), folder_invalid) == content;
  }

 private:
  struct PluginFacts {
    IndexedPlugin plugin;
    std::map<std::string, Manifest> texts;  // by the version
  };

  void find_packages(const std::string& below, int level) {
    const std::string path = below.empty() ? folder_ : folder_ + "/" + below;
    if (level > RegistryLimits::folders)
      refuse(
          folder_invalid,
          "Packages may lie at most " + std::to_string(RegistryLimits::folders) + " folders deep.",
          path);
    for (const std::string& name : names_in(path)) {
      const std::string file = below.empty() ? name : below + "/" + name;
      const auto status = fs::symlink_status(folder_ + "/" + file);
      if (fs::is_directory(status)) find_packages(file, level + 1);
      if (fs::is_directory(status) || !name.ends_with(".tenon")) continue;
      std::string fault = fault_of_name(file);
      if (fault.empty() && !fs::is_regular_file(status))
        fault = "This is no regular file; a web server may not follow it.";
      if (!fault.empty()) faults_.push_back({file, folder_invalid, fault});
      packages_.push_back(file);
    }
  }

  void add(const std::string& file) {
    const bool is_refused =
        std::any_of(faults_.begin(), faults_.end(),
                    [&file](const base::FieldError& fault) { return fault.field == file; });
    if (is_refused) return;
    PackageFacts facts = read_package_facts(
        read_bounded(folder_ + "/" + file, PackageLimits::packed, "plugins.package_unreadable"),
        file, keys_);
    const std::string version = facts.version.version_text;
    PluginFacts& found = plugins_[facts.manifest.id];
    found.plugin.id = facts.manifest.id;
    for (const IndexedVersion& other : found.plugin.versions) {
      if (other.version != facts.version.version) continue;
      refuse(folder_invalid,
             "It is " + facts.manifest.id + " " + version + ", and so is " + other.file +
                 "; take one of them away.",
             file);
    }
    for (std::size_t i = 0; i < facts.pictures.size(); ++i)
      pictures_[file].emplace_back(facts.pictures[i], facts.version.screenshots[i]);
    signers_.insert(facts.version.key);
    found.plugin.versions.push_back(std::move(facts.version));
    found.texts.emplace(version, std::move(facts.manifest));
  }

  static void describe_plugin(IndexedPlugin& plugin, const Manifest& manifest) {
    plugin.name = manifest.name;
    plugin.description = manifest.description;
    plugin.author = manifest.author;
    plugin.license = manifest.license;
    plugin.icon = manifest.navigation.empty() ? std::string() : manifest.navigation.front().icon;
  }

  const std::string& folder_;
  std::vector<PublicKey> keys_;
  std::vector<std::string> packages_;
  std::vector<base::FieldError> faults_;
  std::set<std::string> signers_;
  std::map<std::string, PluginFacts> plugins_;
  std::map<std::string, std::vector<std::pair<std::string, Screenshot>>> pictures_;  // by package
};

// Returns the present index.json; nothing if there is none.
std::optional<std::string> earlier_text(const std::string& path) {
  if (!fs::exists(fs::symlink_status(path))) return std::nullopt;
  return read_bounded(path, RegistryLimits::index, folder_invalid);
}

// Sets the serial that follows what is there.
void number(PackageIndex& index, const std::optional<std::string>& earlier,
            std::optional<std::uint64_t> wanted) {
  std::uint64_t last = 0;
  try {
    if (earlier) last = parse_index(*earlier, index_name).serial;
  } catch (const Refusal& refusal) {
    if (wanted) {
      index.serial = *wanted;
      return;
    }
    refuse(serial_refused,
           "The index that is there cannot be read, so that its serial is not known (" +
               refusal.message() + "). Give a larger one than it had with --serial N.",
           index_name);
  }
  index.serial = std::max<std::uint64_t>(last, 1);
  const bool is_same = !earlier || write_index(index) == *earlier;
  if (!is_same) index.serial = last + 1;
  if (!wanted) return;
  if (*wanted < index.serial)
    refuse(serial_refused,
           "The index that is there has the serial " + std::to_string(last) +
               "; clients refuse one that is not larger.",
           index_name);
  index.serial = *wanted;
}

}  // namespace

BuiltRegistry build_registry(const std::string& folder, const SecretKey& key,
                             std::optional<std::uint64_t> serial) {
  Build build(folder);
  BuiltRegistry built{build.index()};
  const std::string path = folder + "/" + index_name;
  const std::string signature_path = folder + "/" + index_signature_name;
  number(built.index, earlier_text(path), serial);
  const std::string text = write_index(built.index);
  // Checks the limits of a reader.
  parse_index(text, path);
  const std::string signature =
      sign_text(text, key, "tenon registry " + std::to_string(built.index.serial)).to_text();
  build.extract();
  built.is_changed = !Build::holds(path, text) || !Build::holds(signature_path, signature);
  if (built.is_changed) {
    replace_file(signature_path, signature);
    replace_file(path, text);
  }
  return built;
}

}  // namespace tenon::plugins
