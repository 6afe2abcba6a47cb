#include "data/files/atomic_file_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace tenon::data {

namespace {

// Bytes after which the kernel is asked to begin writing, before the sync at the end.
constexpr std::uint64_t begun_at_once = std::uint64_t{16} * 1024 * 1024;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

base::Error file_error(int reason, const std::string& what) {
  const std::string text = what + ": " + std::strerror(reason) + ".";
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
    return {507, "data.disk_full", text + " Free disk space, then try again."};
  return {503, "data.io", text};
}

void report_progress(const CopyProgress& progress, std::uint64_t done, std::uint64_t total) {
  if (progress && !progress(done, total))
    throw base::Error(409, "data.snapshot_cancelled", "The copy was cancelled.");
}

void sync_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  const base::UniqueFd file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0 || ::fsync(file.get()) != 0)
    throw file_error(errno, "The folder " + folder + " cannot be synced");
}

AtomicFileWriter::AtomicFileWriter(std::string name, std::uint64_t bytes) : name_(std::move(name)) {
  struct statvfs disk {};
  if (::statvfs(folder_of(name_).c_str(), &disk) == 0 && disk.f_bavail * disk.f_frsize < bytes)
    throw file_error(ENOSPC, name_ + " needs " + std::to_string(bytes) + " bytes");
  ::unlink(name_.c_str());
  file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) throw file_error(errno, name_ + " cannot be created");
}

AtomicFileWriter::~AtomicFileWriter() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(name_.c_str());
}

void AtomicFileWriter::write(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw file_error(put == 0 ? ENOSPC : errno, name_ + " cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    written_ += static_cast<std::uint64_t>(put);
  }
  if (written_ - flushed_ < begun_at_once) return;
  ::sync_file_range(file_, static_cast<off_t>(flushed_), static_cast<off_t>(written_ - flushed_),
                    SYNC_FILE_RANGE_WRITE);
  flushed_ = written_;
}

void AtomicFileWriter::write_at(std::uint64_t at, std::span<const char> bytes) {
  if (::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at)) !=
      static_cast<ssize_t>(bytes.size()))
    throw file_error(errno, name_ + " cannot be written");
}

void AtomicFileWriter::sync() {
  if (::fsync(file_) != 0) throw file_error(errno, name_ + " cannot be synced");
}

void AtomicFileWriter::copy(const std::string& from, std::uint64_t bytes,
                            const CopyProgress& progress) {
  const base::UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) throw file_error(errno, from + " cannot be opened");
  if (::ioctl(file_, FICLONE, source.get()) == 0) {
    report_progress(progress, bytes, bytes);
    return;
  }
  std::vector<char> piece(copied_at_once);
  while (written_ < bytes) {
    const ssize_t got = ::read(source.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw file_error(got == 0 ? EIO : errno, from + " cannot be read");
    write(std::span(piece).first(static_cast<std::size_t>(got)));
    report_progress(progress, written_, bytes);
  }
}

void AtomicFileWriter::commit(const std::string& path, bool replaces) {
  sync();
  int code = ::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, path.c_str(),
                         replaces ? 0U : static_cast<unsigned int>(RENAME_NOREPLACE));
  // Some file systems do not support RENAME_NOREPLACE.
  if (code != 0 && errno == EINVAL && !std::filesystem::exists(path))
    code = ::rename(name_.c_str(), path.c_str());
  if (code != 0 && errno == EEXIST)
    throw base::Error(409, "data.snapshot_exists", path + " exists already.");
  if (code != 0) throw file_error(errno, name_ + " cannot be renamed to " + path);
  ::close(std::exchange(file_, -1));
  sync_folder(path);
}

}  // namespace tenon::data
