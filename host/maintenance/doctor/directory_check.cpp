#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "admin_api/control_socket/control_socket.hpp"
#include "base/error.hpp"
#include "maintenance/doctor/checks.hpp"

namespace tenon::console {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t mib = 1024 * 1024;
constexpr std::uint64_t min_bytes = 64 * mib;            // below: error
constexpr std::uint64_t comfortable_bytes = 1024 * mib;  // below: warning
constexpr std::uint64_t min_files = 100;
constexpr std::uint64_t comfortable_files = 10'000;

std::string user_name(uid_t user) {
  std::array<char, 4096> memory;
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, memory.data(), memory.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return std::to_string(user);
}

std::string mode_text(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777));
  return text.data();
}

void check_access(const std::string& data, const struct stat& facts, Report& report) {
  if ((facts.st_mode & S_IRWXO) != 0 || (facts.st_mode & S_IWGRP) != 0) {
    report.error("data.open_to_others", data,
                 "Others than its owner get in (mode " + mode_text(facts.st_mode) +
                     "); passwords and sessions lie there.",
                 "chmod 0700 " + data);
  } else if ((facts.st_mode & S_IRWXG) != 0) {
    report.warning("data.open_to_group", data,
                   "Its group gets in (mode " + mode_text(facts.st_mode) + ").",
                   "chmod 0700 " + data + ", unless a backup program needs the group.");
  }
  if (::geteuid() != 0 && facts.st_uid != ::geteuid()) {
    report.error("data.not_owner", data,
                 "It belongs to " + user_name(facts.st_uid) + ", and this is " +
                     user_name(::geteuid()) + ".",
                 "Run tenon as " + user_name(facts.st_uid) + ".");
  }
}

// A command that was run as root leaves files that the server cannot write.
void check_owner(const std::string& path, const struct stat& directory, Report& report) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return;
  if (facts.st_uid != directory.st_uid) {
    report.error("data.foreign_owner", path,
                 "It belongs to " + user_name(facts.st_uid) + ", the directory to " +
                     user_name(directory.st_uid) + "; the server may not be able to write it.",
                 "chown " + user_name(directory.st_uid) + " " + path);
  } else if (S_ISREG(facts.st_mode) && (facts.st_mode & S_IWUSR) == 0 &&
             (path.ends_with(".db") || path.ends_with("-wal"))) {
    report.error("data.read_only_file", path,
                 "Its owner may not write it (mode " + mode_text(facts.st_mode) + ").",
                 "chmod u+w " + path);
  }
}

void check_files(CheckContext& context, const struct stat& directory) {
  const std::string& data = context.installation.data;
  std::error_code failure;
  std::vector<std::string> files;
  for (fs::directory_iterator at(data, failure), end; !failure && at != end; at.increment(failure))
    files.push_back(at->path().string());
  if (failure) {
    context.report.error("data.unreadable", data, "It cannot be listed: " + failure.message(),
                         "Run this as its owner or as root.");
    return;
  }
  context.is_there = true;
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    check_owner(file, directory, context.report);
    if (file.ends_with(".db")) context.databases.push_back(file);
  }
}

void check_file_system(const std::string& data, Report& report) {
  struct statvfs disk {};
  if (::statvfs(data.c_str(), &disk) != 0) return;
  if ((disk.f_flag & ST_RDONLY) != 0) {
    report.error("data.read_only", data, "Its file system is mounted read-only.",
                 "Look into the kernel's log for disk errors, then mount it for writing.");
  }
  check_free_space(data,
                   {.free_bytes = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize,
                    .all_bytes = static_cast<std::uint64_t>(disk.f_blocks) * disk.f_frsize,
                    .free_files = disk.f_favail,
                    .all_files = disk.f_files},
                   report);
  constexpr std::array<long, 3> network{0x6969, 0xFE534D42, 0xFF534D42};  // NFS, SMB2, CIFS
  struct statfs kind {};
  if (::statfs(data.c_str(), &kind) == 0 &&
      std::find(network.begin(), network.end(), static_cast<long>(kind.f_type)) != network.end()) {
    report.error("data.network_file_system", data,
                 "It is on a network file system, where the WAL is not safe.",
                 "Move the data directory to a local disk.");
  }
}

// The holder of a flock, as far as the kernel shows it: "1: FLOCK ADVISORY WRITE 4711 08:01:123 0
// EOF".
std::int64_t holder_of(const struct stat& lock) {
  std::array<char, 64> wanted{};
  std::snprintf(wanted.data(), wanted.size(), "%02x:%02x:%lu", major(lock.st_dev),
                minor(lock.st_dev), static_cast<unsigned long>(lock.st_ino));
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string advisory;
    std::string access;
    std::int64_t pid = 0;
    std::string inode;
    words >> number >> kind >> advisory >> access >> pid >> inode;
    if (kind == "FLOCK" && access == "WRITE" && inode == wanted.data()) return pid;
  }
  return 0;
}

void find_server(CheckContext& context) {
  const std::string path = context.installation.data + "/lock";
  const int lock = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return;
  struct stat facts {};
  if (::fstat(lock, &facts) == 0) context.server_pid = holder_of(facts);
  // Holders in another namespace are not shown. So the lock is tried only if no holder is seen.
  context.has_server =
      context.server_pid > 0 || (::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK);
  ::close(lock);
  if (!context.has_server) return;
  try {
    context.plugin_list =
        call_server(context.installation.data, "plugin.list", "{}", std::chrono::seconds(10));
  } catch (const base::Error& error) {
    context.report.error("data.server_silent", context.installation.data,
                         "A server runs but does not respond:  " + error.message(),
                         "Look into its log; run this as the server's own user or as root.");
    return;
  }
  if (!context.plugin_list) {
    context.report.warning("data.server_silent", context.installation.data,
                           "A process holds the directory and does not respond: a server that "
                           "starts or stops, or a tenon command.",
                           "Try again in a moment; then look for the process.");
  }
}

}  // namespace

std::string show_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

void check_free_space(const std::string& where, const FreeSpace& space, Report& report) {
  const std::string left = show_bytes(space.free_bytes) + " of " + show_bytes(space.all_bytes);
  if (space.free_bytes < min_bytes) {
    report.error("data.disk_full", where,
                 "Its disk is full (" + left + " left): writes are refused.",
                 "Free space on that disk, or move the data directory to a larger one.");
  } else if (space.free_bytes < comfortable_bytes && space.free_bytes < space.all_bytes / 10) {
    report.warning("data.disk_low", where, "Its disk is nearly full (" + left + " left).",
                   "Free space on that disk.");
  }
  if (space.all_files == 0) return;
  const std::string files = std::to_string(space.free_files) + " files more can be made";
  if (space.free_files < min_files) {
    report.error("data.no_inodes", where, "Its file system is out of inodes: " + files + ".",
                 "Delete files on that file system.");
  } else if (space.free_files < comfortable_files && space.free_files < space.all_files / 100) {
    report.warning("data.few_inodes", where, "Its file system is short of inodes: " + files + ".",
                   "Delete files on that file system.");
  }
}

void check_directory(CheckContext& context) {
  const std::string& data = context.installation.data;
  Report& report = context.report;
  report.begin("data");
  struct stat facts {};
  if (::stat(data.c_str(), &facts) != 0) {
    const int reason = errno;
    report.summarize(data);
    if (reason == ENOENT) {
      report.error("data.missing", data, "The data directory is not there.",
                   "Name it with --data or TENON_DATA; tenon serve makes a new one.");
    } else {
      report.error("data.unreadable", data,
                   "It cannot be looked at: " + std::generic_category().message(reason),
                   "Run this as its owner or as root.");
    }
    return;
  }
  if (!S_ISDIR(facts.st_mode)) {
    report.summarize(data);
    report.error("data.no_directory", data, "This is no directory.",
                 "Name the data directory with --data or TENON_DATA.");
    return;
  }
  check_access(data, facts, report);
  check_files(context, facts);
  check_file_system(data, report);
  if (context.is_there) find_server(context);
  std::string server = context.has_server ? "a server runs" : "no server runs";
  if (context.server_pid > 0) server += " (process " + std::to_string(context.server_pid) + ")";
  report.summarize(data + ", " + server);
}

}  // namespace tenon::console
