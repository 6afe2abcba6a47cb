#include "loader/private_copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "data/files/private_folder.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::size_t block_bytes = 256 * 1024;
constexpr std::size_t hash_letters = std::size_t{2} * crypto_generichash_BYTES;

std::string words(int error) {
  return std::generic_category().message(error);
}

[[noreturn]] void refuse(const char* code, std::string message, const std::string& file) {
  throw Refusal({code, std::move(message), file, {}});
}

void write_all(int descriptor, const std::byte* data, std::size_t size, const std::string& path) {
  while (size != 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      refuse("plugins.copy_failed",
             "The copy of the library cannot be written: " + words(errno) + ".", path);
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::string hex(std::span<const unsigned char> bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

bool read_whole(int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

// Returns whether a file that no other user may write to has the bytes of another, from the
// latter's current offset.
bool is_copy_of(int source, std::size_t bytes, const std::string& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
      status.st_nlink != 1 || static_cast<std::size_t>(status.st_size) != bytes)
    return false;
  const std::size_t block = std::min(bytes, block_bytes);
  const auto wanted = std::make_unique_for_overwrite<std::byte[]>(block);
  const auto found = std::make_unique_for_overwrite<std::byte[]>(block);
  for (std::size_t at = 0; at < bytes; at += block) {
    const std::size_t size = std::min(block, bytes - at);
    if (!read_whole(source, {wanted.get(), size}) || !read_whole(file.get(), {found.get(), size}) ||
        std::memcmp(wanted.get(), found.get(), size) != 0)
      return false;
  }
  return true;
}

// The hash in the name of a copy; empty where it is none of this plugin.
std::string hash_in(const std::string& path, const std::string& prefix) {
  if (!path.starts_with(prefix) || path.size() <= prefix.size() + hash_letters) return {};
  std::string hash = path.substr(prefix.size(), hash_letters);
  const bool is_one = hash.find_first_not_of("0123456789abcdef") == std::string::npos &&
                      path[prefix.size() + hash_letters] == '-';
  return is_one ? hash : std::string();
}

// Copies and hashes in one go, so that what was hashed is what was written.
std::string copy(int from, int to, std::size_t bytes, const std::string& source,
                 const std::string& target) {
  std::vector<std::byte> block(std::clamp<std::size_t>(bytes, 1, block_bytes));
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, crypto_generichash_BYTES);
  while (true) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      refuse("plugins.missing_library", "The library cannot be read: " + words(errno) + ".",
             source);
    if (got == 0) break;
    const auto size = static_cast<std::size_t>(got);
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(block.data()), size);
    write_all(to, block.data(), size, target);
  }
  unsigned char digest[crypto_generichash_BYTES];
  crypto_generichash_final(&state, digest, sizeof digest);
  return hex(digest);
}

}  // namespace

std::string make_private_copy(const std::string& source, const std::string& directory,
                              const std::string& id, std::uint64_t generation,
                              std::uint64_t max_bytes, std::span<const std::string> left) {
  // Without O_NONBLOCK, a named pipe that replaces the library would block here.
  const base::UniqueFd from(::open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (from.get() < 0)
    refuse("plugins.missing_library", "The library cannot be opened: " + words(errno) + ".",
           source);
  struct stat status {};
  if (::fstat(from.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    refuse("plugins.missing_library", "This is not a regular file.", source);
  }
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) {
    refuse("plugins.too_large",
           "The library is larger than " + std::to_string(max_bytes / (1024 * 1024)) + " MiB.",
           source);
  }

  std::error_code failure;
  data::make_private_folders(directory, failure);
  const std::string prefix = directory + "/" + id + "-";
  const std::string suffix = "-" + std::to_string(generation) + ".so";
  const auto bytes = static_cast<std::size_t>(status.st_size);
  for (const std::string& earlier : left) {
    const std::string hash = hash_in(earlier, prefix);
    if (hash.empty() || !is_copy_of(from.get(), bytes, earlier)) {
      ::lseek(from.get(), 0, SEEK_SET);
      continue;
    }
    const std::string path = prefix + hash + suffix;
    if (::rename(earlier.c_str(), path.c_str()) == 0) return path;
    ::lseek(from.get(), 0, SEEK_SET);
  }
  const std::string part = prefix + "new" + suffix;
  // One that was broken off cannot be opened to be written.
  ::unlink(part.c_str());
  const base::UniqueFd to(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500));
  if (to.get() < 0)
    refuse("plugins.copy_failed", "The copy of the library cannot be made: " + words(errno) + ".",
           part);
  try {
    const std::string path = prefix + copy(from.get(), to.get(), bytes, source, part) + suffix;
    if (::rename(part.c_str(), path.c_str()) != 0) {
      refuse("plugins.copy_failed",
             "The copy of the library cannot be named: " + words(errno) + ".", path);
    }
    return path;
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

MappedFile::MappedFile(const std::string& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    refuse("plugins.copy_failed", "The copy of the library cannot be read: " + words(errno) + ".",
           path);
  }
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED)
    refuse("plugins.copy_failed", "The copy of the library cannot be mapped: " + words(errno) + ".",
           path);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace tenon::plugins
