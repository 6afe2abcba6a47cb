#include "data/files/clean_close.hpp"

#include <sys/stat.h>

namespace tenon::data {

namespace {

std::int64_t nanoseconds(const timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FileFingerprint> fingerprint_if_clean(const std::string& path) {
  struct stat facts {};
  for (const char* suffix : {"-wal", "-journal", "-restore", "-restore.part"}) {
    if (::lstat((path + suffix).c_str(), &facts) == 0) return std::nullopt;
  }
  if (::lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return FileFingerprint{.device = facts.st_dev,
                         .inode = facts.st_ino,
                         .bytes = static_cast<std::uint64_t>(facts.st_size),
                         .written = nanoseconds(facts.st_mtim),
                         .changed = nanoseconds(facts.st_ctim)};
}

}  // namespace tenon::data
