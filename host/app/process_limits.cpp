#include "app/process_limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

void release_code() noexcept {
  const auto release = [](dl_phdr_info* library, std::size_t, void*) noexcept -> int {
    const auto page = static_cast<std::uintptr_t>(::getpagesize());
    for (std::size_t i = 0; i < library->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = library->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
      const std::uintptr_t begin = (library->dlpi_addr + part.p_vaddr) / page * page;
      const std::uintptr_t end = library->dlpi_addr + part.p_vaddr + part.p_memsz;
      ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
    return 0;
  };
  ::dl_iterate_phdr(release, nullptr);
}

}  // namespace tenon::app
