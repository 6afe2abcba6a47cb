#pragma once

#include <atomic>

namespace tenon::base {

namespace detail {
/// fence_all_threads() does the work of both sides. False until the process has registered, and
/// where it cannot.
extern std::atomic<bool> has_asymmetric_fence;
}  // namespace detail

/// Two threads that each write and then read what the other wrote: at least one sees the other's.
/// The one that does it for every request pays nothing, the rare one pays for both:
///
///   often: asymmetric_store(mine, …); theirs.load()
///   rare:  theirs.store(…); fence_all_threads(); mine.load()
///
/// where loads and stores are sequentially consistent. This one releases, too.
template <typename Value>
inline void asymmetric_store(std::atomic<Value>& to, Value value) noexcept {
  if (detail::has_asymmetric_fence.load(std::memory_order_relaxed)) {
    to.store(value, std::memory_order_release);
    // The processor may still load ahead of the store; the interrupt of the rare side ends that.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    to.store(value, std::memory_order_seq_cst);
  }
}

/// The rare side: every thread of the process passes a full fence before this returns. Some
/// microseconds, and an interrupt of every other core that runs the process.
void fence_all_threads() noexcept;

}  // namespace tenon::base
