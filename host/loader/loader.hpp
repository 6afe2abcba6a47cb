#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loader/library.hpp"

namespace tenon::plugins {

struct Manifest;

/// Opens plugins' libraries from private copies, one file a generation, so that mapped
/// files are never written to and new content is never taken for old. Thread-safe.
class Loader {
 public:
  static constexpr std::uint64_t max_library_bytes = 512ull * 1024 * 1024;

  /// `directory` is for copies only. Copies of an earlier process are used again if they match,
  /// until forget_left().
  explicit Loader(std::string directory);
  /// Removes unused copies of an earlier process. Call it once, after all plugins have been loaded.
  void forget_left();
  /// Keeps copies from now on when their library is closed, for the next process: at a start,
  /// creating a thousand files costs more than writing their content.
  void keep_copies() noexcept { keeps_copies_ = true; }

  /// Reads the facts of `<folder>/lib/<arch>/<id>.so`, compares them with the manifest, and only
  /// then opens it. Returns null if the manifest declares no library. Throws Refusal:
  /// "plugins.missing_library", "plugins.abi_missing", "plugins.wrong_architecture",
  /// "plugins.not_a_library", "plugins.missing_symbol", "plugins.missing_facts",
  /// "plugins.facts_mismatch", "plugins.abi_too_new", "plugins.abi_too_old",
  /// "plugins.entry_invalid", "plugins.too_large", "plugins.load_failed".
  std::unique_ptr<Library> load(const Manifest& manifest, const std::string& folder,
                                std::uint64_t generation);

  /// Closes a library. Returns true if it is unmapped; else counts it as resident.
  bool unload(const std::string& id, std::unique_ptr<Library> library) noexcept;
  /// Leaves a library open whose code may still run.
  void abandon(const std::string& id, std::unique_ptr<Library> library) noexcept;

  /// Earlier generations of a plugin that are still mapped.
  std::size_t resident(std::string_view id) const noexcept;

 private:
  struct Resident {
    std::string id;
    std::string path;
  };
  /// Takes the remaining copies of a plugin.
  std::vector<std::string> left_of(const std::string& id);

  std::string directory_;
  std::atomic<bool> keeps_copies_{false};
  mutable std::mutex mutex_;
  mutable std::vector<Resident> resident_;
  std::set<std::string> left_;  ///< paths
};

}  // namespace tenon::plugins
