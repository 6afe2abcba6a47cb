#include "plugins/loader/loader.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/json.hpp"
#include "data/private_folder.hpp"
#include "plugins/loader/elf_file.hpp"
#include "plugins/loader/private_copy.hpp"
#include "plugins/manifest/json_reader.hpp"
#include "plugins/manifest/manifest.hpp"
#include "plugins/reason.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

std::string library_file(const std::string& folder, std::string_view architecture,
                         const std::string& id) {
  return folder + "/lib/" + std::string(architecture) + "/" + id + ".so";
}

// The library for this machine; where there is none, says for which machines there are some.
std::string find_library(const Manifest& manifest, const std::string& folder) {
  std::string file = library_file(folder, host_architecture(), manifest.id);
  std::error_code failure;
  if (fs::exists(file, failure)) return file;
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder + "/lib", failure)) {
    const std::string name = entry.path().filename().string();
    if (fs::exists(library_file(folder, name, manifest.id), failure)) others.push_back(name);
  }
  if (others.empty()) {
    throw Refusal(
        {"plugins.missing_library", "The plugin has no library; it is expected here.", file, {}});
  }
  std::sort(others.begin(), others.end());
  std::string known;
  for (const std::string& name : others)
    known += (known.empty() ? "" : ", ") + name;
  throw Refusal({"plugins.wrong_architecture",
                 "The plugin has a library for " + known + ", none for " +
                     std::string(host_architecture()) + ".",
                 file,
                 {}});
}

LibraryFacts parse_facts(const std::string& text, const std::string& file) {
  try {
    const JsonReader top(base::parse_json_object(text), file, TENON_FACTS_SECTION);
    LibraryFacts facts;
    facts.id = top.text("id", 64);
    facts.version = top.text("version", 64);
    const JsonReader abi = top.object("abi");
    facts.abi_major = abi.number("major");
    facts.abi_minor = abi.number("minor");
    facts.needs_host_minor = top.number("needs_host_minor");
    return facts;
  } catch (const Refusal& failure) {
    Reason reason = failure.reason();
    reason.code = "plugins.missing_facts";
    throw Refusal(std::move(reason));
  } catch (const base::Error& failure) {
    throw Refusal({"plugins.missing_facts", failure.message(), file, TENON_FACTS_SECTION});
  }
}

LibraryFacts facts_of(const ElfFacts& elf, const std::string& file) {
  if (elf.has_section) return parse_facts(elf.section, file);
  throw Refusal({"plugins.missing_facts",
                 "The library has no section " TENON_FACTS_SECTION
                 "; build it with tenon_add_plugin() of the SDK.",
                 file,
                 {}});
}

void compare(const LibraryFacts& facts, const Manifest& manifest, const std::string& file) {
  const auto check = [&file](const char* what, const std::string& library,
                             const std::string& manifest_says) {
    if (library == manifest_says) return;
    throw Refusal({"plugins.facts_mismatch",
                   std::string("The library says ") + what + " " + library + ", plugin.json says " +
                       manifest_says + "; build and install both together.",
                   file, what});
  };
  check("id", facts.id, manifest.id);
  check("version", facts.version, manifest.version_text);
  check("abi.major", std::to_string(facts.abi_major), std::to_string(manifest.abi_major));
  check("abi.minor", std::to_string(facts.abi_minor), std::to_string(manifest.abi_minor));
}

std::string why_it_may_stay(const ElfFacts& elf) {
  if (elf.has_unique_symbols) return "it holds a GNU_UNIQUE symbol";
  if (elf.is_never_unloaded) return "it is linked with -z nodelete";
  if (elf.has_thread_destructors)
    return "a thread that touched a thread_local with a destructor has not ended";
  return {};
}

}  // namespace

LibraryFacts inspect_library(const Manifest& manifest, const std::string& file,
                             const std::string& shown_as) {
  const MappedFile content(file);
  return inspect_library(manifest, content.bytes(), shown_as);
}

LibraryFacts inspect_library(const Manifest& manifest, std::span<const std::byte> content,
                             const std::string& shown_as) {
  const ElfFacts elf = read_elf(content, shown_as, TENON_ENTRY_SYMBOL, TENON_FACTS_SECTION);
  LibraryFacts facts = facts_of(elf, shown_as);
  check_abi(facts.abi_major, facts.needs_host_minor, shown_as);
  compare(facts, manifest, shown_as);
  if (!elf.has_symbol) {
    throw Refusal({"plugins.missing_symbol",
                   "The library does not export the data symbol " TENON_ENTRY_SYMBOL ".",
                   shown_as,
                   {}});
  }
  facts.may_stay_mapped = why_it_may_stay(elf);
  return facts;
}

LibraryFacts foreign_facts(const Manifest& manifest, std::span<const std::byte> content,
                           const std::string& shown_as) {
  const ElfFacts elf =
      read_elf(content, shown_as, TENON_ENTRY_SYMBOL, TENON_FACTS_SECTION, ElfMachine::any);
  LibraryFacts facts = facts_of(elf, shown_as);
  compare(facts, manifest, shown_as);
  return facts;
}

Loader::Loader(std::string directory) : directory_(std::move(directory)) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory_, failure))
    left_.insert(entry.path().string());
  failure.clear();
  data::make_private_folders(directory_, failure);
  if (failure) {
    throw Refusal({"plugins.copy_failed",
                   "The folder cannot be made: " + failure.message() + ".",
                   directory_,
                   {}},
                  500);
  }
}

void Loader::forget_left() {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  for (const std::string& path : left_)
    fs::remove_all(path, ignored);
  left_.clear();
}

std::vector<std::string> Loader::left_of(const std::string& id) {
  const std::string prefix = directory_ + "/" + id + "-";
  std::vector<std::string> paths;
  const std::lock_guard lock(mutex_);
  for (auto path = left_.lower_bound(prefix); path != left_.end() && path->starts_with(prefix);
       ++path)
    paths.push_back(*path);
  return paths;
}

std::unique_ptr<Library> Loader::load(const Manifest& manifest, const std::string& folder,
                                      std::uint64_t generation) {
  // What a manifest says of the ABI is enough to refuse a plugin from the future, whose library may
  // have any form.
  check_abi(manifest.abi_major, 0, folder + "/plugin.json");
  const std::string source = find_library(manifest, folder);
  std::string copy = make_private_copy(source, directory_, manifest.id, generation,
                                       max_library_bytes, left_of(manifest.id));
  {
    const std::lock_guard lock(mutex_);
    left_.erase(copy);
  }
  try {
    LibraryFacts facts = inspect_library(manifest, copy, source);
    return std::make_unique<Library>(copy, source, std::move(facts));
  } catch (...) {
    // A library that was refused after it was opened may have stayed; its file is left then.
    if (!is_mapped(copy)) ::unlink(copy.c_str());
    throw;
  }
}

bool Loader::unload(const std::string& id, std::unique_ptr<Library> library) noexcept {
  if (!library) return true;
  if (library->close(keeps_copies_)) return true;
  const std::lock_guard lock(mutex_);
  resident_.push_back({id, library->path()});
  return false;
}

void Loader::abandon(const std::string& id, std::unique_ptr<Library> library) noexcept {
  library->leave_open();
  const std::lock_guard lock(mutex_);
  resident_.push_back({id, library->path()});
}

std::size_t Loader::resident(std::string_view id) const noexcept {
  const std::lock_guard lock(mutex_);
  // A thread that ended since, or another library that was closed, may have released one.
  std::erase_if(resident_, [](const Resident& entry) {
    if (is_mapped(entry.path)) return false;
    ::unlink(entry.path.c_str());
    return true;
  });
  return static_cast<std::size_t>(std::count_if(
      resident_.begin(), resident_.end(), [id](const Resident& entry) { return entry.id == id; }));
}

}  // namespace tenon::plugins
