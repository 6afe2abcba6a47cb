#include "app/server/data_directory.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "data/files/private_folder.hpp"

namespace tenon::app {

namespace {

base::Error unusable(const std::string& path, int reason) {
  return {500, "app.data_unusable",
          "The data directory " + path + " cannot be used: " + std::strerror(reason) +
              ". Name another with --data, or give this user the right to write there."};
}

// Files made in a directory are not there after a loss of power while its own entry, or one above,
// is not on disk. If a folder cannot be opened or synced, nothing better can be done.
void sync_folders_above(const std::string& path) {
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::absolute(path, ignored).parent_path();
  for (;; folder = folder.parent_path()) {
    const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0) {
      fsync(opened);
      close(opened);
    }
    if (folder == folder.parent_path()) return;
  }
}

}  // namespace

DataDirectory::DataDirectory(std::string path) : path_(std::move(path)) {
  std::error_code failure;
  if (data::make_private_folders(path_, failure)) {
    sync_folders_above(path_);
  }
  if (failure) throw unusable(path_, failure.value());

  const std::string lock = file("lock");
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) throw unusable(lock, errno);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    close(lock_);
    if (reason != EWOULDBLOCK) throw unusable(lock, reason);
    throw base::Error(
        500, "app.data_in_use",
        "Another tenon server uses " + path_ + ". Stop it, or name another directory with --data.");
  }
}

DataDirectory::~DataDirectory() {
  close(lock_);
}

bool DataDirectory::is_held(const std::string& path) {
  const int lock = open((path + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0) return false;
  const bool held = flock(lock, LOCK_EX | LOCK_NB) != 0;
  close(lock);
  return held;
}

}  // namespace tenon::app
