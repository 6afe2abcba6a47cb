#include "app/supervisor/process_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace tenon::app {

namespace {

// With a path of the system's longest, 4,096 bytes.
constexpr std::size_t max_line = 8192;

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

struct CodePages {
  void* begin = nullptr;
  std::size_t size = 0;  // bytes; 0: of another kind
};

// Returns the code pages of a line that begins a mapping, see proc_pid_smaps(5): "BEGIN-END
// PERMISSIONS OFFSET DEVICE INODE PATH". None: another line.
std::optional<CodePages> code_pages(std::string_view line) noexcept {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  const char* const last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, begin, 16);
  if (first.ec != std::errc() || first.ptr == last || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, last, end, 16);
  if (second.ec != std::errc()) return std::nullopt;
  const std::string_view rest(second.ptr, static_cast<std::size_t>(last - second.ptr));
  const bool is_code =
      (rest.starts_with(" r--p ") || rest.starts_with(" r-xp ")) && rest.find('/') != rest.npos;
  return is_code ? CodePages{reinterpret_cast<void*>(begin), end - begin} : CodePages{};
}

}  // namespace

void raise_open_files_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // If that is refused the old limit stays, and accepting pauses at it.
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void keep_memory_small() noexcept {
  ::mallopt(M_MMAP_THRESHOLD, large_block);
  ::mallopt(M_TRIM_THRESHOLD, 2 * large_block);
  ::mallopt(M_ARENA_MAX, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())) + 1);
}

void end_forks_with_their_threads() noexcept {
  ::pthread_atfork(nullptr, nullptr, [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
}

void release_code() noexcept {
  // Closed on exec, as all that this process opens: other threads may start programs meanwhile.
  const std::unique_ptr<std::FILE, Close> mappings(std::fopen("/proc/self/smaps", "re"));
  if (!mappings) return;
  std::array<char, max_line> buffer;
  CodePages pages;
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), mappings.get()) != nullptr) {
    const std::string_view line = buffer.data();
    if (const std::optional<CodePages> found = code_pages(line)) pages = *found;
    constexpr std::string_view written = "Anonymous:";
    if (!line.starts_with(written)) continue;
    const bool is_clean = line.find_first_of("123456789", written.size()) == line.npos;
    if (is_clean && pages.size > 0) ::madvise(pages.begin, pages.size, MADV_DONTNEED);
  }
}

}  // namespace tenon::app
