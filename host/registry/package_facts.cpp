#include "registry/package_facts.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/utf8.hpp"
#include "blobs/image_type.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/pack.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/elf/library_facts.hpp"
#include "registry/changelog.hpp"
#include "registry/limits.hpp"
#include "registry/registry_refusal.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view changelog_name = "CHANGELOG.md";
constexpr std::string_view pictures_folder = "screenshots/";

// The type that the end of a name promises; empty where it is none that a registry shows.
std::string_view type_of_name(std::string_view name) {
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".webp")) return "image/webp";
  if (name.ends_with(".jpg") || name.ends_with(".jpeg")) return "image/jpeg";
  return {};
}

class Facts {
 public:
  Facts(const Archive& archive, const PublicKey& key) : archive_(archive), contents_(archive, key) {
    contents_.verify();
    facts_.manifest = manifest_of(contents_, archive.file());
  }

  PackageFacts take() {
    const Manifest& manifest = facts_.manifest;
    IndexedVersion& version = facts_.version;
    version.version = manifest.version;
    version.version_text = manifest.version_text;
    version.file = archive_.file();
    version.size = archive_.packed_bytes();
    version.key = archive_.signature()->key_id();
    version.has_library = manifest.has_library;
    version.abi_major = manifest.abi_major;
    version.abi_minor = manifest.abi_minor;
    version.requires_plugins = manifest.requires_plugins;
    version.permissions = manifest.permissions;
    read_libraries();
    read_changelog();
    for (const ListedFile& listed : archive_.files()) {
      if (listed.name.starts_with(pictures_folder)) read_picture(listed);
    }
    return std::move(facts_);
  }

 private:
  void read_libraries() {
    const Manifest& manifest = facts_.manifest;
    for (const ListedFile& listed : archive_.files()) {
      const std::string shown_as = archive_.file() + "/" + listed.name;
      require_declared(manifest, listed.name, shown_as);
      const std::string_view machine = architecture_of_path(listed.name, manifest.id);
      if (machine.empty()) continue;
      const std::string content = contents_.read(listed.name, PackageLimits::unpacked);
      const LibraryFacts library =
          foreign_facts(manifest, std::as_bytes(std::span(content)), shown_as);
      facts_.version.needs_minor = std::max(facts_.version.needs_minor, library.needs_host_minor);
      facts_.version.architectures.emplace_back(machine);
    }
    if (manifest.has_library && facts_.version.architectures.empty())
      refuse("plugins.missing_library", "It has no library for any machine.", "lib");
  }

  void read_changelog() {
    if (!contents_.has(changelog_name)) return;
    const std::string text = contents_.read(changelog_name, RegistryLimits::changes);
    std::string changes = changelog_of(text, facts_.version.version_text);
    const bool has_control = std::any_of(changes.begin(), changes.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    });
    if (has_control || !base::is_valid_utf8(changes))
      refuse("plugins.registry_changelog_invalid",
             "The changelog of this version must be UTF-8 without control characters.",
             changelog_name);
    if (changes.size() > RegistryLimits::changelog)
      refuse("plugins.registry_too_large",
             "The changelog of this version is longer than " +
                 std::to_string(RegistryLimits::changelog) + " bytes.",
             changelog_name);
    facts_.version.changelog = std::move(changes);
  }

  void read_picture(const ListedFile& listed) {
    constexpr const char* invalid = "plugins.registry_screenshot_invalid";
    const std::string name = listed.name.substr(pictures_folder.size());
    const std::string_view type = type_of_name(name);
    if (name.find('/') != std::string::npos || type.empty())
      refuse(invalid, "Only .png, .webp, .jpg and .jpeg are allowed in screenshots.", listed.name);
    if (facts_.pictures.size() == RegistryLimits::screenshots)
      refuse("plugins.registry_too_large",
             "There are more than " + std::to_string(RegistryLimits::screenshots) + " screenshots.",
             listed.name);
    if (listed.size > RegistryLimits::screenshot)
      refuse("plugins.registry_too_large",
             "The screenshot is larger than " +
                 std::to_string(RegistryLimits::screenshot / (1024 * 1024)) + " MiB.",
             listed.name);
    const std::string content = contents_.read(listed.name, RegistryLimits::screenshot);
    if (blobs::image_type_of(std::string_view(content).substr(0, blobs::image_head_bytes)) != type)
      refuse(invalid, "It is no picture of the kind that its name says.", listed.name);
    const std::string& version = facts_.version.version_text;
    facts_.version.screenshots.push_back(
        {facts_.manifest.id + "/" + version.substr(0, version.find('+')) + "/" + listed.name,
         listed.size, listed.hash});
    facts_.pictures.push_back(listed.name);
  }

  [[noreturn]] void refuse(const char* code, std::string message, std::string_view location) const {
    throw Refusal({code, std::move(message), archive_.file(), std::string(location)}, 422);
  }

  const Archive& archive_;
  const Contents contents_;
  PackageFacts facts_;
};

}  // namespace

PackageFacts read_package_facts(std::string bytes, const std::string& file,
                                const std::vector<PublicKey>& keys) {
  const FileHash hash = hash_of(bytes);
  const Archive archive(std::move(bytes), file);
  require_signature(archive);
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const PublicKey& one) {
    return one.number == archive.signature()->number;
  });
  if (key == keys.end()) {
    const std::string number = archive.signature()->key_id();
    throw Refusal(
        {"plugins.registry_key_missing",
         "The key " + number + " signed it, whose public half is not there: put it at keys/" +
             number + ".pub.",
         file,
         {}},
        422);
  }
  PackageFacts facts = Facts(archive, *key).take();
  facts.version.hash = hash;
  return facts;
}

}  // namespace tenon::plugins
