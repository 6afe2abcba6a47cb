#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace tenon::app {

/// Watches the files below a folder with inotify(7). Not thread-safe.
class FileWatch {
 public:
  using IsIgnored = std::function<bool(std::string_view relative)>;

  /// `is_ignored` gets paths relative to the folder; what is below an ignored folder is ignored,
  /// too. Throws base::Error 500 "dev.watch_failed" if the system has no more watches.
  FileWatch(std::string folder, IsIgnored is_ignored);

  /// Readable when something changed.
  int descriptor() const noexcept { return inotify_.get(); }

  /// Returns the relative paths of the files that changed since the last call, once nothing has
  /// changed for `quiet`: editors write a file in several steps. If events were lost, the set has
  /// the empty path: anything may have changed.
  std::set<std::string> changes(std::chrono::milliseconds quiet = std::chrono::milliseconds(15));

 private:
  void add(const std::string& relative);
  void read_events(std::set<std::string>& changed);

  const std::string folder_;
  const IsIgnored is_ignored_;
  base::UniqueFd inotify_;
  std::map<int, std::string> folders_;  ///< relative paths by the number of the watch
};

}  // namespace tenon::app
