#include "base/thread_slot.hpp"

#include <atomic>
#include <bit>

namespace tenon::base {

namespace {
// One bit for each slot of one thread. Taken with acquire and returned with release: the next owner
// of a slot sees what was written before it was returned.
constinit std::atomic<std::uint32_t> taken{0};
constinit std::atomic<std::uint32_t> sharers{0};
static_assert(ThreadSlot::own == 32, "a bit each");
}  // namespace

constinit thread_local std::uint32_t ThreadSlot::mine_ = none;

/// Frees the slot when its thread ends.
struct ThreadSlot::Owner {
  std::uint32_t slot = none;
  ~Owner() {
    if (slot == none) return;
    // Code that runs on this thread after this point uses a shared slot.
    mine_ = own;
    taken.fetch_and(~(std::uint32_t{1} << slot), std::memory_order_release);
  }
};

std::uint32_t ThreadSlot::take() noexcept {
  std::uint32_t before = taken.load(std::memory_order_relaxed);
  while (~before != 0) {
    const auto slot = static_cast<std::uint32_t>(std::countr_one(before));
    if (!taken.compare_exchange_weak(before, before | std::uint32_t{1} << slot,
                                     std::memory_order_acquire, std::memory_order_relaxed))
      continue;
    thread_local Owner owner;
    owner.slot = slot;
    return mine_ = slot;
  }
  return mine_ = own + sharers.fetch_add(1, std::memory_order_relaxed) % (all - own);
}

}  // namespace tenon::base
