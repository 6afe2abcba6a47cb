#include "app/process_limits.hpp"

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

void give_back_large_blocks() noexcept {
  // By itself the C library raises both to what was freed last, up to 32 and 64 MiB, and keeps such
  // blocks in the arena of every thread: ten minutes of slow readers took 110 MiB of which 10 were
  // in use.
  ::mallopt(M_MMAP_THRESHOLD, large_block);
  ::mallopt(M_TRIM_THRESHOLD, 2 * large_block);
}

}  // namespace tenon::app
