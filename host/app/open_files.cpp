#include "app/open_files.hpp"

#include <sys/resource.h>

namespace tenon::app {

void raise_open_files_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Where that is refused the old limit stays, and accepting pauses at it.
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tenon::app
