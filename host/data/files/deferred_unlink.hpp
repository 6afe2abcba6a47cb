#pragma once

#include <string>

namespace tenon::data {

/// Defers freeing the blocks of a file whose last name is removed while this object lives: freeing
/// 400 MiB takes some 100 ms. It drops no locks of SQLite, because O_PATH does not open the file
/// (open(2)).
class DeferredUnlink {
 public:
  /// Has no effect if there is no file of this name.
  explicit DeferredUnlink(const std::string& path) noexcept;
  /// Releases the file without a wait for the disk.
  ~DeferredUnlink();
  DeferredUnlink(const DeferredUnlink&) = delete;
  DeferredUnlink& operator=(const DeferredUnlink&) = delete;

  /// Returns whether a descriptor of this process belongs to such an object.
  static bool is_held_by(int descriptor) noexcept;

 private:
  int file_ = -1;
};

}  // namespace tenon::data
