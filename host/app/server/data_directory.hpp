#pragma once

#include <string>

namespace tenon::app {

/// The data directory, held by this process alone until destroyed (flock(2) on `<path>/lock`; a
/// crash frees it).
class DataDirectory {
 public:
  /// Makes the directory (mode 0700) with what it holds when it is missing. Throws base::Error 500:
  /// "app.data_unusable" with the path and the system's reason, "app.data_in_use" when another
  /// server holds it.
  explicit DataDirectory(std::string path);
  ~DataDirectory();
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  /// True when another process holds the directory; false also when it does not exist.
  static bool is_held(const std::string& path);

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace tenon::app
