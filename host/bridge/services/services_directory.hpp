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

/// The services that may be called now: at most one generation of each plugin. Thread-safe.
class ServicesDirectory {
 public:
  /// Returns the state of a plugin for a caller that does not find it: "is disabled".
  using Describe = std::function<std::string(std::string_view plugin)>;

  /// Sets the function; call it before services are called.
  void describe_with(Describe describe) { describe_ = std::move(describe); }

  /// Directs calls to this generation from now on. It replaces another generation of the plugin in
  /// one step: every call finds one of them.
  void publish(const std::string& plugin, std::uint64_t generation,
               std::shared_ptr<ServicesInterface> services);
  /// Removes this generation. Does nothing if another one is published.
  void unpublish(const std::string& plugin, std::uint64_t generation);

  /// A provider and, taken while it was looked up, a lease on its generation.
  struct Provider {
    std::shared_ptr<ServicesInterface> services;  ///< null: not available
    routing::Lease lease;                         ///< released before `services`
  };
  Provider find(std::string_view plugin) const;
  /// Describes the state of a plugin: "is disabled", …
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
