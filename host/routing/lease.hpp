#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/thread_slot.hpp"

namespace tenon::routing {

/// Counts the calls in flight into one generation of an owner. Entering and leaving are plain
/// stores to a cache line of the thread's own; closing interrupts all threads. Once closed, no call
/// enters. The gate must outlive its leases: its owner waits for wait_idle, or leaks it.
/// Thread-safe.
class LeaseGate {
 public:
  /// False once the gate is closed.
  bool enter() noexcept;
  void leave() noexcept;
  void close() noexcept;

  /// Calls in flight. Exact once the gate is closed.
  std::int64_t in_flight() const noexcept;

  /// Waits until a closed gate is empty; false when the deadline came first.
  bool wait_idle(std::chrono::milliseconds deadline) const;

 private:
  struct alignas(64) Shard {
    std::atomic<std::int64_t> count{0};
  };
  std::array<Shard, base::ThreadSlot::all> counts_;
  alignas(64) std::atomic<bool> closed_{false};
};

/// One entry into a gate; left when destroyed or reset. Move-only; any thread.
class Lease {
 public:
  Lease() = default;
  /// Takes over an entry that was made with LeaseGate::enter.
  explicit Lease(LeaseGate* entered) noexcept : gate_(entered) {}
  Lease(Lease&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      reset();
      gate_ = std::exchange(other.gate_, nullptr);
    }
    return *this;
  }
  ~Lease() { reset(); }

  explicit operator bool() const noexcept { return gate_ != nullptr; }
  void reset() noexcept {
    if (LeaseGate* gate = std::exchange(gate_, nullptr)) gate->leave();
  }

 private:
  LeaseGate* gate_ = nullptr;
};

}  // namespace tenon::routing
