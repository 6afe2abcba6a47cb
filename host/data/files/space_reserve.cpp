#include "data/files/space_reserve.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "observability/log.hpp"

namespace tenon::data {

namespace {

constexpr std::uint64_t page = 4096;

}  // namespace

SpaceReserve::SpaceReserve(std::string path)
    : path_(std::move(path)), folder_(path_.substr(0, path_.rfind('/') + 1) + ".") {
  struct statvfs disk {};
  if (::statvfs(folder_.c_str(), &disk) != 0) return;
  const std::uint64_t total = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  bytes_ = std::min(max_bytes, total / disk_share) / page * page;
  struct stat file {};
  const bool is_empty = ::stat(path_.c_str(), &file) == 0 && file.st_size == 0;
  is_released_ = is_empty && free_bytes() < 2 * bytes_;
  release_if_full();
}

std::uint64_t SpaceReserve::free_bytes() const noexcept {
  struct statvfs disk {};
  if (::statvfs(folder_.c_str(), &disk) != 0) return 0;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

std::uint64_t SpaceReserve::allocated_bytes() const noexcept {
  struct stat file {};
  return ::stat(path_.c_str(), &file) == 0 ? static_cast<std::uint64_t>(file.st_blocks) * 512 : 0;
}

void SpaceReserve::release_if_full() noexcept {
  if (is_released()) return;
  const std::lock_guard lock(mutex_);
  if (is_released() || allocated_bytes() == 0 || free_bytes() >= bytes_ / 4) return;
  // Other writers must be refused before the space is free.
  is_released_ = true;
  const int error = ::truncate(path_.c_str(), 0) == 0 ? 0 : errno;
  observability::log_warning("the disk is full, only admins can write until there is space",
                             {{"file", path_}, {"released", error == 0}, {"errno", error}});
}

bool SpaceReserve::has_space_again() noexcept {
  if (free_bytes() < 2 * bytes_) return false;
  if (is_released_.exchange(false)) {
    is_allocation_due_ = true;
    observability::log_info("the disk has space again", {{"file", path_}});
  }
  return true;
}

void SpaceReserve::allocate() noexcept {
  if (!is_allocation_due() || is_released()) return;
  const std::lock_guard lock(mutex_);
  if (is_released()) return;
  if (allocated_bytes() < bytes_) {
    if (free_bytes() < 2 * bytes_) return;  // later
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    // An empty file would say that the reserve is released.
    if (file >= 0 && ::fallocate(file, 0, 0, static_cast<off_t>(bytes_)) != 0)
      ::unlink(path_.c_str());
    if (file >= 0) ::close(file);
  }
  is_allocation_due_ = false;
}

}  // namespace tenon::data
