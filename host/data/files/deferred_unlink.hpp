#pragma once

#include <string>

namespace tenon::data {

/// Puts off the freeing of a file whose last name goes while this lives: that takes the disk some
/// 100 ms for 400 MiB. It is no opened file to anybody: it drops no locks (open(2), O_PATH).
class DeferredUnlink {
 public:
  /// Without effect where there is no file of this name.
  explicit DeferredUnlink(const std::string& path) noexcept;
  /// Lets go of it, and waits for no disk.
  ~DeferredUnlink();
  DeferredUnlink(const DeferredUnlink&) = delete;
  DeferredUnlink& operator=(const DeferredUnlink&) = delete;

  /// Whether a descriptor of this process is one of these.
  static bool is_held_by(int descriptor) noexcept;

 private:
  int file_ = -1;
};

}  // namespace tenon::data
