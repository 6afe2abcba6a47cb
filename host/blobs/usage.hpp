#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tenon::blobs {

/// How many bytes each plugin has taken, of blobs and of what is to become one. Thread-safe.
class Usage {
 public:
  explicit Usage(std::uint64_t limit) noexcept : limit_(limit) {}

  /// Throws 507 "blobs.quota" when that is more than a plugin may have; then nothing is taken.
  void take(const std::string& plugin, std::uint64_t bytes);
  /// Counts what is already stored; never refused.
  void count(const std::string& plugin, std::uint64_t bytes);
  void give_back(const std::string& plugin, std::uint64_t bytes) noexcept;
  std::uint64_t of(const std::string& plugin) const;

 private:
  const std::uint64_t limit_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> taken_;
};

}  // namespace tenon::blobs
