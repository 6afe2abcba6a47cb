#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "plugins/lifecycle/activation.hpp"
#include "plugins/lifecycle/registry.hpp"

namespace tenon::plugins {

/// The place of one plugin in the lifecycle; all but its id, its turn and its interrupts belong to
/// whoever holds the turn.
struct Plugin {
  explicit Plugin(std::string plugin_id) : id(std::move(plugin_id)) {}

  const std::string id;
  std::mutex turn;
  /// Who waits for the turn to end what it does; asked between batches of a migration.
  std::atomic<int> interrupts{0};
  PluginStatus status;
  std::unique_ptr<Activation> activation;
  std::atomic<bool> is_removed{false};  ///< it was taken away, and may come back
  std::int64_t told_ms = 0;             ///< when the progress of a migration was told last
};

/// The turn of whoever changes the plugin. While it is waited for, a migration by functions ends
/// between two batches; once it is held, one that belongs to this change goes on.
class InterruptingLock {
 public:
  explicit InterruptingLock(Plugin& plugin) : lock_(plugin.turn, std::defer_lock) {
    ++plugin.interrupts;
    lock_.lock();
    --plugin.interrupts;
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace tenon::plugins
