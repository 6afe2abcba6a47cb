#pragma once

#include <utility>

#include <unistd.h>

namespace tenon::base {

/// Owns a file descriptor and closes it when destroyed. Holds -1 when it owns none. Not
/// thread-safe.
class UniqueFd {
 public:
  UniqueFd() = default;
  /// Takes the descriptor; a negative one means none.
  explicit UniqueFd(int descriptor) noexcept : descriptor_(descriptor) {}
  UniqueFd(UniqueFd&& other) noexcept : descriptor_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

  /// Gives the descriptor up without closing it.
  int release() noexcept { return std::exchange(descriptor_, -1); }
  /// Closes the descriptor and takes another one.
  void reset(int descriptor = -1) noexcept {
    if (const int old = std::exchange(descriptor_, descriptor); old >= 0) ::close(old);
  }

 private:
  int descriptor_ = -1;
};

}  // namespace tenon::base
