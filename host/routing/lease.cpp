#include "routing/lease.hpp"

#include <thread>

#include "base/asymmetric_fence.hpp"

namespace tenon::routing {

bool LeaseGate::enter() noexcept {
  const std::uint32_t slot = base::ThreadSlot::mine();
  std::atomic<std::int64_t>& count = counts_[slot].count;
  // Before closed_ is read: either close() sees this entry, or this sees that it is closed.
  if (base::ThreadSlot::is_own(slot))
    base::asymmetric_store(count, count.load(std::memory_order_relaxed) + 1);
  else
    count.fetch_add(1, std::memory_order_seq_cst);
  if (!closed_.load(std::memory_order_seq_cst)) return true;
  leave();
  return false;
}

void LeaseGate::leave() noexcept {
  const std::uint32_t slot = base::ThreadSlot::mine();
  std::atomic<std::int64_t>& count = counts_[slot].count;
  if (base::ThreadSlot::is_own(slot))
    count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  else
    count.fetch_sub(1, std::memory_order_release);
}

void LeaseGate::close() noexcept {
  closed_.store(true, std::memory_order_seq_cst);
  base::fence_all_threads();
}

std::int64_t LeaseGate::in_flight() const noexcept {
  std::int64_t sum = 0;
  for (const Shard& shard : counts_)
    sum += shard.count.load(std::memory_order_seq_cst);
  return sum;
}

bool LeaseGate::wait_idle(std::chrono::milliseconds deadline) const {
  // The thread that leaves must not touch the gate after its count fell, for the gate may be gone
  // by then: so the waiter polls and gets no call.
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (in_flight() != 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  return true;
}

}  // namespace tenon::routing
