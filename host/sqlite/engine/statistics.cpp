#include <sys/stat.h>
#include <sys/statvfs.h>

#include "sqlite/engine/engine.hpp"

namespace tenon::data::sqlite {

namespace {

std::uint64_t size_of(const std::string& path) noexcept {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

}  // namespace

std::vector<std::string> Engine::quick_check(int max_findings) {
  std::vector<std::string> findings;
  with_read_connection(
      [&](Connection& connection) { findings = connection.check(false, max_findings); });
  return findings;
}

FileFacts facts_of_file(const std::string& path) {
  FileFacts facts;
  facts.bytes = size_of(path);
  facts.wal_bytes = size_of(path + "-wal");
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) == 0) {
    facts.free_bytes = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  }
  return facts;
}

FileFacts Engine::file_facts() const {
  return facts_of_file(options_.path);
}

Statistics Engine::statistics() const {
  Statistics sum = common_statistics();
  readers_->add_to(sum);
  const std::lock_guard lock(list_mutex_);
  if (!is_closed_) connection_->times().add_to(sum);
  return sum;
}

}  // namespace tenon::data::sqlite
