#include "packages/archive/file_access.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "packages/archive/package_refusal.hpp"

namespace tenon::plugins {

namespace {

void write_all(const base::UniqueFd& file, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse_write("written", path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync(const base::UniqueFd& file, const std::string& path) {
  if (::fsync(file.get()) != 0) refuse_write("synced to disk", path);
}

void sync_folder_of(const std::string& path) {
  std::string above = std::filesystem::path(path).parent_path().string();
  if (above.empty()) above = ".";
  const base::UniqueFd folder(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) refuse_write("opened", above);
  sync(folder, above);
}

}  // namespace

void refuse_write(const std::string& what, const std::string& path, int error) {
  throw Refusal({"plugins.package_write_failed",
                 "It cannot be " + what + ": " + system_words(error) + ".",
                 path,
                 {}},
                error == ENOSPC || error == EDQUOT ? 507 : 503);
}

std::string system_words(int error) {
  return std::generic_category().message(error);
}

std::string read_bounded(const base::UniqueFd& file, const std::string& path,
                         std::uint64_t max_bytes, const char* code) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0)
    refuse_package(code, "The file cannot be read: " + system_words(errno) + ".", path);
  if (!S_ISREG(facts.st_mode)) refuse_package(code, "This is no regular file.", path);
  if (static_cast<std::uint64_t>(facts.st_size) > max_bytes)
    refuse_size("The file is larger than " + std::to_string(max_bytes) + " bytes.", path);
  // One more byte, so that a file that grows meanwhile is seen.
  std::string content(static_cast<std::size_t>(facts.st_size) + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      refuse_package(code, "The file cannot be read: " + system_words(errno) + ".", path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size != static_cast<std::size_t>(facts.st_size))
    refuse_package(code, "The file was changed while it was read; try again.", path);
  content.pop_back();
  return content;
}

std::string read_bounded(const std::string& path, std::uint64_t max_bytes, const char* code) {
  // Without O_NONBLOCK a named pipe would be waited for.
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) refuse_package(code, "The file cannot be opened: " + system_words(errno) + ".", path);
  return read_bounded(file, path, max_bytes, code);
}

void create_file(const std::string& path, std::string_view content, unsigned mode) {
  const base::UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) refuse_write("made", path);
  try {
    write_all(file, content, path);
    sync(file, path);
    sync_folder_of(path);
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

void replace_file(const std::string& path, std::string_view content) {
  const std::string part = path + "." + std::to_string(::getpid()) + ".part";
  create_file(part, content, 0644);
  if (::rename(part.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(part.c_str());
    errno = error;
    refuse_write("put in its place", path);
  }
  sync_folder_of(path);
}

FreshFolder::FreshFolder(const std::string& path) : path_(path) {
  if (::mkdir(path.c_str(), 0755) != 0) refuse_write("made", path);
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || ::fchmod(folder.get(), 0755) != 0) {
    const int error = errno;
    ::rmdir(path.c_str());
    errno = error;
    refuse_write("opened", path);
  }
  open_.push_back({"", std::move(folder)});
}

FreshFolder::~FreshFolder() {
  if (is_kept_) return;
  std::error_code failure;
  std::filesystem::remove_all(path_, failure);
}

void FreshFolder::leave_folders(std::string_view name) {
  while (open_.size() > 1 && !name.starts_with(open_.back().name + "/")) {
    sync(open_.back().file, path_ + "/" + open_.back().name);
    open_.pop_back();
  }
}

void FreshFolder::enter_folder(const std::string& name) {
  const std::string last = name.substr(name.rfind('/') + 1);
  const int above = open_.back().file.get();
  if (::mkdirat(above, last.c_str(), 0755) != 0) refuse_write("made", path_ + "/" + name);
  base::UniqueFd made(
      ::openat(above, last.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made || ::fchmod(made.get(), 0755) != 0) refuse_write("opened", path_ + "/" + name);
  open_.push_back({name, std::move(made)});
}

void FreshFolder::begin_file(const std::string& name) {
  name_ = name;
  leave_folders(name);
  const std::size_t known = open_.back().name.empty() ? 0 : open_.back().name.size() + 1;
  for (std::size_t slash = name.find('/', known); slash != std::string::npos;
       slash = name.find('/', slash + 1))
    enter_folder(name.substr(0, slash));
  const std::string last = name.substr(name.rfind('/') + 1);
  file_ = base::UniqueFd(::openat(open_.back().file.get(), last.c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file_ || ::fchmod(file_.get(), 0644) != 0) refuse_write("made", path_ + "/" + name);
}

void FreshFolder::write(std::string_view piece) {
  write_all(file_, piece, path_ + "/" + name_);
}

void FreshFolder::end_file() {
  sync(file_, path_ + "/" + name_);
  file_ = base::UniqueFd();
}

void FreshFolder::keep() {
  leave_folders("");
  sync(open_.front().file, path_);
  sync_folder_of(path_);
  is_kept_ = true;
}

}  // namespace tenon::plugins
