#include "base/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon::base {

namespace {

bool membarrier(int command) noexcept {
  return ::syscall(SYS_membarrier, command, 0U, 0) == 0;
}

// Under ThreadSanitizer the way without membarrier(2) runs, so that it is tested, too.
bool enroll() noexcept {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
#endif
}

}  // namespace

namespace detail {
// Before it is set stores are in sequential order, which is right, too.
std::atomic<bool> has_asymmetric_fence{enroll()};
}  // namespace detail

void fence_all_threads() noexcept {
  if (!detail::has_asymmetric_fence.load(std::memory_order_relaxed)) return;
  // Fails for want of memory only.
  while (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    ::sched_yield();
}

}  // namespace tenon::base
