#include "loader/loader.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/join.hpp"
#include "data/files/private_folder.hpp"
#include "loader/private_copy.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/elf/library_facts.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

// Returns the machines that the plugin has a library for, sorted.
std::vector<std::string> architectures_in(const std::string& folder, const std::string& id) {
  std::vector<std::string> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder + "/lib", failure)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (fs::exists(folder + "/" + library_path(id, name), ignored)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The library for this machine; where there is none, says for which machines there are some.
std::string find_library(const Manifest& manifest, const std::string& folder) {
  std::string file = folder + "/" + library_path(manifest.id);
  std::error_code failure;
  if (fs::exists(file, failure)) return file;
  const std::vector<std::string> others = architectures_in(folder, manifest.id);
  if (others.empty()) {
    throw Refusal({"plugins.missing_library",
                   "The plugin has no library; it is expected here. A plugin without one has no "
                   "\"abi\" in its plugin.json.",
                   file,
                   {}});
  }
  throw Refusal({"plugins.wrong_architecture",
                 "The plugin has a library for " + base::join(others) + ", none for " +
                     std::string(host_architecture()) + ".",
                 file,
                 {}});
}

}  // namespace

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
  if (!manifest.has_library) {
    for (const std::string& architecture : architectures_in(folder, manifest.id)) {
      const std::string path = library_path(manifest.id, architecture);
      require_declared(manifest, path, folder + "/" + path);
    }
    return nullptr;
  }
  // The ABI in the manifest is enough to refuse a plugin from the future, whose library may have
  // any form.
  check_abi(manifest.abi_major, 0, folder + "/plugin.json");
  const std::string source = find_library(manifest, folder);
  std::string copy = make_private_copy(source, directory_, manifest.id, generation,
                                       max_library_bytes, left_of(manifest.id));
  {
    const std::lock_guard lock(mutex_);
    left_.erase(copy);
  }
  try {
    LibraryFacts facts = inspect_library(manifest, MappedFile(copy).bytes(), source);
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
