#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "registry/location.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins {

/// The deadline of a fetch, which includes name look-up, redirects and slow pieces, and a token
/// that stops it earlier.
struct FetchBounds {
  std::chrono::steady_clock::time_point deadline;
  std::stop_token stop{};
};

/// Passes the content of one file of a registry to `sink`, at most `max_bytes` bytes. Blocks: only
/// for threads that may. Throws Refusal "plugins.registry_unreachable" (502) with what was wrong,
/// "plugins.registry_too_large", and what `sink` throws.
void fetch_file(const RegistryLocation& location, std::string_view name, std::uint64_t max_bytes,
                const FetchBounds& bounds, const std::function<void(std::string_view)>& sink);

/// An index whose signature was checked, with the texts that it was read from.
struct FetchedIndex {
  PackageIndex index;
  std::string text;
  std::string signature;
};

/// Reads the index of a registry. If the signature does not match the text, reads both once more,
/// because they may have been replaced in between. Throws as fetch_file() and open_index().
FetchedIndex fetch_index(const RegistryLocation& location, const PublicKey& key,
                         const FetchBounds& bounds);

/// A picture, which is as the index says. Throws as fetch_file(), and Refusal
/// "plugins.registry_damaged".
std::string fetch_picture(const RegistryLocation& location, const Screenshot& screenshot,
                          const FetchBounds& bounds);

/// A file that is removed with its owner, unless it was taken.
class FetchedPackage {
 public:
  explicit FetchedPackage(std::string path) : path_(std::move(path)) {}
  FetchedPackage(FetchedPackage&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  FetchedPackage& operator=(FetchedPackage&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~FetchedPackage();

  const std::string& path() const noexcept { return path_; }
  /// Passes the file to the caller.
  std::string take() noexcept { return std::exchange(path_, {}); }

 private:
  std::string path_;
};

/// Receives the number of bytes so far and their total.
using FetchProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Downloads a package into a new file in `folder`, and compares it with size and hash of the index
/// before it returns. Writes no more than that size. `progress` may be empty; it is called on this
/// thread, and its exception ends the download. Throws as fetch_file(), and Refusal
/// "plugins.registry_damaged", "plugins.package_write_failed".
FetchedPackage fetch_package(const RegistryLocation& location, const IndexedVersion& version,
                             const std::string& folder, const FetchBounds& bounds,
                             const FetchProgress& progress);

}  // namespace tenon::plugins
