#include "packages/archive/archive.hpp"

#include <algorithm>
#include <utility>

#include <sodium.h>

#include "packages/archive/deflate.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/archive/package_refusal.hpp"

namespace tenon::plugins {

namespace {

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

// FILES or SIGNATURE, of which nothing is inflated.
std::string_view plain_content(const ZipEntry& entry, std::size_t max_bytes,
                               const std::string& file) {
  if (entry.method != ZipMethod::stored)
    refuse_form("This entry must be stored as it is.", file, entry.name);
  if (entry.size > max_bytes)
    refuse_size("The entry is larger than " + std::to_string(max_bytes / 1024) + " KiB.", file,
                entry.name);
  if (crc_of(entry.packed) != entry.crc) refuse_form("Its checksum is wrong.", file, entry.name);
  return entry.packed;
}

// The list and the archive have the same files in the same order.
void compare(const std::vector<ListedFile>& files, std::span<const ZipEntry> entries,
             const std::string& file) {
  for (std::size_t i = 0; i < std::max(files.size(), entries.size()); ++i) {
    const bool is_listed = i < files.size();
    const bool is_there = i < entries.size();
    if (is_listed && is_there && files[i].name == entries[i].name) {
      if (files[i].size != entries[i].size)
        refuse_form("FILES says that it has " + std::to_string(files[i].size) +
                        " bytes, its header " + std::to_string(entries[i].size) + ".",
                    file, files[i].name);
      continue;
    }
    if (is_listed && (!is_there || files[i].name < entries[i].name))
      refuse_form("FILES lists it, but it is not at that position in the package.", file,
                  files[i].name);
    // A name that is in no list may hold anything.
    const std::string name = entries[i].name;
    refuse_form("FILES does not name it, or not in its place.", file,
                fault_of_name(name).empty() ? name : "entry with a name that is not allowed");
  }
}

}  // namespace

Archive::Archive(std::string bytes, std::string file)
    : file_(std::move(file)), bytes_(std::make_unique<const std::string>(std::move(bytes))) {
  entries_ = read_zip(*bytes_, file_);
  if (entries_.empty() || entries_[0].name != list_name)
    refuse_form("The first entry is not FILES.", file_);
  const std::string_view list = plain_content(entries_[0], PackageLimits::list, file_);
  if (entries_.size() > 1 && entries_[1].name == signature_name)
    signature_ =
        parse_signature(plain_content(entries_[1], PackageLimits::signature, file_), file_);
  files_ = parse_file_list(list, file_);
  compare(files_, file_entries(), file_);
}

Archive Archive::read(const std::string& path) {
  return {read_bounded(path, PackageLimits::packed, "plugins.package_unreadable"), path};
}

std::uint64_t Archive::unpacked_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const ListedFile& listed : files_)
    sum += listed.size;
  return sum;
}

std::span<const ZipEntry> Archive::file_entries() const noexcept {
  return std::span<const ZipEntry>(entries_).subspan(signature_ ? 2 : 1);
}

std::string Archive::with_signature(const Signature& signature) const {
  const std::string text = signature.to_text();
  std::vector<ZipEntry> entries{entries_[0], stored_entry(signature_name, text)};
  entries.insert(entries.end(), file_entries().begin(), file_entries().end());
  return write_zip(entries);
}

void require_signature(const Archive& archive) {
  if (archive.signature()) return;
  refuse_package("plugins.package_unsigned",
                 "The package is not signed; \"tenon plugin sign\" does that.", archive.file());
}

Contents::Contents(const Archive& archive, const PublicKey& key) : archive_(archive) {
  require_signature(archive);
  check_signature(*archive.signature(), archive.list_text(), key, archive.file());
}

std::optional<std::size_t> Contents::find(std::string_view name) const noexcept {
  const auto& files = archive_.files_;
  const auto found =
      std::lower_bound(files.begin(), files.end(), name,
                       [](const ListedFile& one, std::string_view by) { return one.name < by; });
  if (found == files.end() || found->name != name) return std::nullopt;
  return static_cast<std::size_t>(found - files.begin());
}

bool Contents::has(std::string_view name) const noexcept {
  return find(name).has_value();
}

void Contents::inflate(std::size_t index, const std::function<void(std::string_view)>& sink) const {
  const ListedFile& listed = archive_.files_[index];
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, listed.hash.size());
  std::string fault = inflate_entry(archive_.file_entries()[index], [&](std::string_view piece) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(piece.data()),
                              piece.size());
    sink(piece);
  });
  FileHash hash;
  crypto_generichash_final(&state, hash.data(), hash.size());
  if (fault.empty() && hash != listed.hash) fault = "It is not the file that FILES has.";
  if (!fault.empty()) {
    refuse_package("plugins.package_damaged", fault + " Get the package again.", archive_.file(),
                   listed.name);
  }
}

void Contents::verify() const {
  for (std::size_t i = 0; i < archive_.files_.size(); ++i)
    inflate(i, [](std::string_view) {});
}

std::string Contents::read(std::string_view name, std::uint64_t max_bytes) const {
  const auto index = find(name);
  if (!index)
    refuse_form("The package has no file " + quoted(std::string(name)) + ".", archive_.file());
  if (archive_.files_[*index].size > max_bytes)
    refuse_size("The file is larger than " + std::to_string(max_bytes) + " bytes.", archive_.file(),
                std::string(name));
  std::string content;
  inflate(*index, [&content](std::string_view piece) { content += piece; });
  return content;
}

void Contents::unpack(const std::string& folder) const {
  FreshFolder fresh(folder);
  for (std::size_t i = 0; i < archive_.files_.size(); ++i) {
    fresh.begin_file(archive_.files_[i].name);
    inflate(i, [&fresh](std::string_view piece) { fresh.write(piece); });
    fresh.end_file();
  }
  fresh.keep();
}

}  // namespace tenon::plugins
