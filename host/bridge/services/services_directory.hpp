#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "routing/lease.hpp"

namespace tenon::plugins {

class ServicesInterface;

/// Whose services may be called now: at most one generation of each plugin. Thread-safe.
class ServicesDirectory {
 public:
  /// How a plugin stands, for whoever finds it away: "is disabled".
  using Describe = std::function<std::string(std::string_view plugin)>;

  /// Before anybody calls.
  void describe_with(Describe describe) { describe_ = std::move(describe); }

  /// From now on calls go to this generation. Where another one of the plugin is there, it takes
  /// its place in one step: every call finds one of them.
  void publish(const std::string& plugin, std::uint64_t generation,
               std::shared_ptr<ServicesInterface> services);
  /// This generation is not found any more. Without effect where another one is there.
  void withdraw(const std::string& plugin, std::uint64_t generation);

  /// A provider and, taken while it was looked up, a lease on its generation.
  struct Found {
    std::shared_ptr<ServicesInterface> services;  ///< null: it is away
    routing::Lease lease;                         ///< goes before `services`
  };
  Found find(std::string_view plugin) const;
  /// "is disabled", …
  std::string describe(std::string_view plugin) const;

 private:
  struct Published {
    std::uint64_t generation;
    std::shared_ptr<ServicesInterface> services;
  };
  mutable std::shared_mutex mutex_;
  std::map<std::string, Published, std::less<>> published_;
  Describe describe_;
};

}  // namespace tenon::plugins
