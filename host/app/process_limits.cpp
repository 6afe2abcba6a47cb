#include "app/process_limits.hpp"

#include <algorithm>
#include <thread>

#include <malloc.h>
#include <sys/resource.h>

namespace tenon::app {

void raise_open_files_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Where that is refused the old limit stays, and accepting pauses at it.
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void keep_memory_small() noexcept {
  ::mallopt(M_MMAP_THRESHOLD, large_block);
  ::mallopt(M_TRIM_THRESHOLD, 2 * large_block);
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())) + 1);
}

}  // namespace tenon::app
