#include "app/dev/file_watch.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                 IN_MOVED_TO | IN_ONLYDIR | IN_EXCL_UNLINK;

std::string below(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

}  // namespace

FileWatch::FileWatch(std::string folder, IsIgnored is_ignored)
    : folder_(std::move(folder)),
      is_ignored_(std::move(is_ignored)),
      inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!inotify_) {
    throw base::Error(500, "dev.watch_failed",
                      std::string("Files cannot be watched: ") + std::strerror(errno) +
                          ". Raise fs.inotify.max_user_instances.");
  }
  add({});
}

void FileWatch::add(const std::string& relative) {
  const std::string path = relative.empty() ? folder_ : folder_ + "/" + relative;
  const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), events);
  if (watch < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return;  // it is gone already
    throw base::Error(500, "dev.watch_failed",
                      path + " cannot be watched: " + std::strerror(errno) +
                          (errno == ENOSPC ? ". Raise fs.inotify.max_user_watches." : "."));
  }
  folders_[watch] = relative;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(path, failure)) {
    const std::string name = below(relative, entry.path().filename().string());
    if (entry.is_directory(failure) && !entry.is_symlink(failure) && !is_ignored_(name)) add(name);
  }
}

void FileWatch::read_events(std::set<std::string>& changed) {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer{};
  for (;;) {
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) changed.insert("");
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {
        folders_.erase(folder);
        continue;
      }
      if (event.len == 0) continue;
      const std::string path = below(folder->second, name);
      if (is_ignored_(path)) continue;
      if ((event.mask & IN_ISDIR) == 0) {
        // A file that was only created is empty, and is written next.
        if ((event.mask & IN_CREATE) == 0) changed.insert(path);
      } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
        add(path);
        // Files may have been written before the watch was there.
        std::error_code failure;
        for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/" + path, failure)) {
          const std::string inside = entry.path().lexically_relative(folder_).string();
          if (entry.is_regular_file(failure) && !is_ignored_(inside)) changed.insert(inside);
        }
      } else {
        changed.insert(path);
      }
    }
  }
}

std::set<std::string> FileWatch::changes(std::chrono::milliseconds quiet) {
  std::set<std::string> changed;
  pollfd ready{inotify_.get(), POLLIN, 0};
  do {
    read_events(changed);
  } while (::poll(&ready, 1, static_cast<int>(quiet.count())) > 0);
  return changed;
}

}  // namespace tenon::app
