#include "packages/archive/pack.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "packages/archive/deflate.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/archive/package_refusal.hpp"
#include "packages/archive/source_folder.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/elf/library_facts.hpp"
#include "records/model/model.hpp"
#include "schema/tables.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* manifest_name = "plugin.json";

class Packing {
 public:
  explicit Packing(const std::string& folder) : source_(folder) {}

  PackedPlugin pack() {
    const std::string manifest_file = source_.path() + "/" + manifest_name;
    if (!has(manifest_name)) {
      refuse_package("plugins.package_folder_invalid",
                     "There is no plugin.json; name the folder of a plugin.", source_.path());
    }
    // The manifest says where the library lies; what is packed is what was read here.
    manifest_text_ = source_.read(manifest_name, ManifestLimits::file);
    manifest_ = parse_manifest(manifest_text_, manifest_file);
    library_ = library_path(manifest_.id);
    if (manifest_.has_library && !has(library_)) {
      refuse_package("plugins.missing_library",
                     "The library for this machine is missing; build it, and pack again.",
                     source_.path(), library_);
    }
    for (const std::string& name : source_.names())
      add(name);
    return finish();
  }

 private:
  bool has(const std::string& name) const {
    return std::binary_search(source_.names().begin(), source_.names().end(), name);
  }

  void add(const std::string& name) {
    const std::string content =
        name == manifest_name ? manifest_text_ : source_.read(name, PackageLimits::unpacked);
    check(name, content);
    unpacked_ += content.size();
    if (unpacked_ > PackageLimits::unpacked) {
      refuse_size("The files are larger than " +
                      std::to_string(PackageLimits::unpacked / (1024 * 1024)) + " MiB together.",
                  source_.path());
    }
    files_.push_back({name, content.size(), hash_of(content)});
    DeflatedContent packed = deflate_content(content);
    packed_ += packed.bytes.size();
    check_packed(packed_);
    ZipEntry entry{name, packed.method, crc_of(content), static_cast<std::uint32_t>(content.size()),
                   contents_.emplace_back(std::move(packed.bytes))};
    entries_.push_back(std::move(entry));
  }

  void check(const std::string& name, const std::string& content) const {
    const std::string path = source_.path() + "/" + name;
    if (name == "tables.json") {
      const records::Model expressions(data::schema::parse_tables(content, path),
                                       data::Dialect::sqlite, path);
    }
    require_declared(manifest_, name, path);
    if (name == library_) inspect_library(manifest_, std::as_bytes(std::span(content)), path);
  }

  void check_packed(std::uint64_t size) const {
    if (size <= PackageLimits::packed) return;
    refuse_size("The package would be larger than " +
                    std::to_string(PackageLimits::packed / (1024 * 1024)) + " MiB.",
                source_.path());
  }

  PackedPlugin finish() {
    const std::string list = write_file_list(files_);
    std::vector<ZipEntry> all{stored_entry(list_name, list)};
    all.insert(all.end(), entries_.begin(), entries_.end());
    PackedPlugin made{std::move(manifest_), write_zip(all)};
    check_packed(made.bytes.size());
    return made;
  }

  SourceFolder source_;
  std::string manifest_text_;
  Manifest manifest_;
  std::string library_;
  std::uint64_t unpacked_ = 0;
  std::uint64_t packed_ = 0;
  std::vector<ListedFile> files_;
  std::deque<std::string> contents_;  // where the entries point; none of them moves
  std::vector<ZipEntry> entries_;
};

}  // namespace

PackedPlugin pack_folder(const std::string& folder) {
  return Packing(folder).pack();
}

std::string sign_package(const Archive& archive, const SecretKey& key) {
  const Contents contents = Contents::unchecked(archive);
  contents.verify();
  const Manifest manifest = manifest_of(contents, archive.file());
  std::string bytes = archive.with_signature(sign_text(
      archive.list_text(), key, "tenon package " + manifest.id + " " + manifest.version_text));
  if (bytes.size() > PackageLimits::packed)
    refuse_size("Signed, the package would be larger than " +
                    std::to_string(PackageLimits::packed / (1024 * 1024)) + " MiB.",
                archive.file());
  return bytes;
}

Manifest manifest_of(const Contents& contents, const std::string& file) {
  return parse_manifest(contents.read(manifest_name, ManifestLimits::file),
                        file + "/" + manifest_name);
}

}  // namespace tenon::plugins
