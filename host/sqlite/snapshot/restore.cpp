#include "sqlite/snapshot/restore.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "data/files/atomic_file_writer.hpp"
#include "data/files/deferred_unlink.hpp"
#include "data/limits.hpp"
#include "sqlite/connection/inspection.hpp"
#include "sqlite/schema/change_log_id.hpp"

namespace tenon::data::sqlite {

namespace {

std::string decided(const std::string& path) {
  return path + "-restore";
}
std::string begun(const std::string& path) {
  return path + "-restore.part";
}

bool exists(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0;
}

bool has_bytes(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && facts.st_size > 0;
}

void remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw file_error(errno, path + " cannot be removed");
}

[[noreturn]] void refuse(const std::string& snapshot, const std::string& reason) {
  throw base::Error(409, "data.snapshot_refused",
                    snapshot + " cannot replace a database: " + reason + ".");
}

// Closing a descriptor of a file that SQLite has open would drop its locks, and a log that is in
// use must not be removed.
void require_unused(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    struct stat open {};
    if (::stat(entry.path().c_str(), &open) != 0) continue;
    if (open.st_dev == facts.st_dev && open.st_ino == facts.st_ino &&
        !DeferredUnlink::is_held_by(std::atoi(entry.path().filename().c_str())))
      throw base::Error(409, "data.restore_in_use",
                        path + " is open; close it before a snapshot takes its place.");
  }
}

}  // namespace

std::uint64_t require_sound(const std::string& snapshot) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(snapshot, ignored))
    refuse(snapshot, "there is no such file");
  for (const char* suffix : {"-wal", "-journal"}) {
    if (has_bytes(snapshot + suffix))
      refuse(snapshot, "it has a log next to it, so it was not closed cleanly");
  }
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::array<char, 100> head{};
  std::ifstream(snapshot, std::ios::binary).read(head.data(), head.size());
  if (std::string_view(head.data(), magic.size()) != magic) refuse(snapshot, "it is no database");

  const std::uint64_t bytes = std::filesystem::file_size(snapshot);
  Inspection inspection(snapshot, false);
  const auto pages = inspection.number(
      "SELECT page_count * page_size FROM pragma_page_count, "
      "pragma_page_size");
  if (!pages)
    refuse(snapshot, inspection.failure().empty() ? "it cannot be read" : inspection.failure());
  if (static_cast<std::uint64_t>(*pages) != bytes) refuse(snapshot, "it is not whole");
  if (bytes > checked_file_bytes) return bytes;
  if (const auto findings = inspection.check(false, 1); !findings.empty())
    refuse(snapshot, findings.front());
  return bytes;
}

namespace {

// A snapshot says of itself that it has no log, which a database that is opened would have to
// change by a transaction with three syncs.
void say_log(const std::string& file, bool is_synced) {
  constexpr off_t versions = 18;
  constexpr std::array<char, 2> log{2, 2};
  const int opened = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (opened < 0) throw file_error(errno, file + " cannot be opened");
  const bool is_done = ::pwrite(opened, log.data(), log.size(), versions) == ssize_t{log.size()} &&
                       (!is_synced || ::fsync(opened) == 0);
  const int reason = errno;
  ::close(opened);
  if (!is_done) throw file_error(reason, file + " cannot be written");
}

void copy(const std::string& path, const std::string& snapshot, std::uint64_t bytes,
          const CopyProgress& progress) {
  AtomicFileWriter copy(begun(path), bytes);
  copy.copy(snapshot, bytes, progress);
  reset_change_log_id(begun(path));
  say_log(begun(path), false);
  copy.commit(decided(path), true);
}

}  // namespace

void finish_restore(const std::string& path) {
  if (!exists(decided(path))) {
    if (exists(begun(path))) remove(begun(path));
    return;
  }
  for (const char* suffix : {"-wal", "-shm", "-journal"})
    remove(path + suffix);
  sync_folder(path);
  if (std::rename(decided(path).c_str(), path.c_str()) != 0)
    throw file_error(errno, decided(path) + " cannot be renamed to " + path);
  // Two names of one file both stay; this one would take away the log at each opening.
  if (exists(decided(path))) remove(decided(path));
  sync_folder(path);
}

std::string restored_file(const std::string& path) {
  return exists(decided(path)) ? decided(path) : path;
}

void restore(const std::string& path, const std::string& snapshot, const CopyProgress& progress) {
  const std::uint64_t bytes = require_sound(snapshot);
  require_unused(path);
  finish_restore(path);
  copy(path, snapshot, bytes, progress);
  finish_restore(path);
}

bool is_linked(const std::string& path, const std::string& snapshot) {
  struct stat one {};
  struct stat other {};
  return ::stat(path.c_str(), &one) == 0 && ::stat(snapshot.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

void restore_by_link(const std::string& path, const std::string& snapshot) {
  require_unused(path);
  finish_restore(path);
  if (is_linked(path, snapshot)) return;
  const std::uint64_t bytes = require_sound(snapshot);
  // After a crash, the change log may have a new id already. The program that put the file there
  // may not have synced it.
  reset_change_log_id(snapshot);
  say_log(snapshot, true);
  if (::link(snapshot.c_str(), decided(path).c_str()) == 0)
    sync_folder(path);
  else
    copy(path, snapshot, bytes, {});
  finish_restore(path);
}

}  // namespace tenon::data::sqlite
