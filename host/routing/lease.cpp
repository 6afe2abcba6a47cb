#include "routing/lease.hpp"

#include <thread>

namespace tenon::routing {

std::size_t LeaseGate::my_shard() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % shards;
  return mine;
}

bool LeaseGate::enter() noexcept {
  std::atomic<std::int64_t>& count = counts_[my_shard()].count;
  // Sequential consistency with close(): either it sees this entry, or this sees that it is closed.
  count.fetch_add(1, std::memory_order_seq_cst);
  if (!closed_.load(std::memory_order_seq_cst)) return true;
  count.fetch_sub(1, std::memory_order_release);
  return false;
}

void LeaseGate::leave() noexcept {
  counts_[my_shard()].count.fetch_sub(1, std::memory_order_release);
}

void LeaseGate::close() noexcept {
  closed_.store(true, std::memory_order_seq_cst);
}

std::int64_t LeaseGate::in_flight() const noexcept {
  std::int64_t sum = 0;
  for (const Shard& shard : counts_)
    sum += shard.count.load(std::memory_order_seq_cst);
  return sum;
}

bool LeaseGate::wait_idle(std::chrono::milliseconds deadline) const {
  // The leaver must not touch the gate after its count fell, for the gate may be gone by then: so
  // the waiter looks, nobody calls.
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (in_flight() != 0) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  return true;
}

}  // namespace tenon::routing
