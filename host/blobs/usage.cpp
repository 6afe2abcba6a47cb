#include "blobs/usage.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tenon::blobs {

void Usage::take(const std::string& plugin, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& taken = taken_[plugin];
  if (bytes > limit_ || taken > limit_ - bytes) {
    throw base::Error(507, "blobs.quota",
                      "The files of the plugin \"" + plugin +
                          "\" use all the space that they may take (blobs.plugin). Delete what is "
                          "not needed, or ask an admin for more.");
  }
  taken += bytes;
}

void Usage::count(const std::string& plugin, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  taken_[plugin] += bytes;
}

void Usage::give_back(const std::string& plugin, std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(plugin);
  if (found != taken_.end()) found->second -= std::min(found->second, bytes);
}

std::uint64_t Usage::of(const std::string& plugin) const {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(plugin);
  return found == taken_.end() ? 0 : found->second;
}

}  // namespace tenon::blobs
