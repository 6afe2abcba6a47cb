#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "lifecycle/activation.hpp"
#include "lifecycle/plugin_states.hpp"

namespace tenon::plugins {

/// One plugin in the lifecycle. `mutex` protects all members but the id and the interrupts.
struct ManagedPlugin {
  explicit ManagedPlugin(std::string plugin_id) : id(std::move(plugin_id)) {}

  const std::string id;
  std::mutex mutex;
  /// Number of threads that wait for the mutex and want a migration to end; read between its
  /// batches.
  std::atomic<int> interrupts{0};
  PluginStatus status;
  std::unique_ptr<Activation> activation;
  std::atomic<bool> is_removed{false};  ///< it was removed, and may come back
  std::int64_t last_reported_ms = 0;    ///< when the progress of a migration was last reported
};

/// Locks a plugin's mutex for a change. While a thread waits for the lock, a migration by functions
/// ends between two batches; once it holds the lock, a migration of its own change continues.
class InterruptingLock {
 public:
  explicit InterruptingLock(ManagedPlugin& plugin) : lock_(plugin.mutex, std::defer_lock) {
    ++plugin.interrupts;
    lock_.lock();
    --plugin.interrupts;
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace tenon::plugins
