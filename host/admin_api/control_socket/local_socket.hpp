#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::console {

/// A file descriptor, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(other.descriptor_) {
    other.descriptor_ = -1;
  }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const noexcept { return descriptor_; }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// The reason of errno as base::Error 500 "console.socket_failed" that says what was tried.
[[noreturn]] void throw_socket_failure(const std::string& what, int reason);

/// A listening stream socket at `directory`/`name` with mode 0600. The path may be longer than a
/// socket address holds.
Descriptor listen_local(const std::string& directory, std::string_view name);

/// Connects; an empty descriptor when nobody listens there.
Descriptor connect_local(const std::string& directory, std::string_view name);

/// True when the process at the other end runs as this process' user or as root.
bool is_peer_trusted(int descriptor) noexcept;

/// A stream socket that is read and written line by line, each with a deadline. Not thread-safe.
class LineSocket {
 public:
  LineSocket(Descriptor descriptor, std::size_t max_line_bytes)
      : descriptor_(std::move(descriptor)), max_line_bytes_(max_line_bytes) {}

  enum class Result { line, closed, timeout, too_long };
  /// The next line without its line feed.
  Result read_line(std::string& line, std::chrono::milliseconds timeout);
  /// False when the other end is gone or too slow.
  bool write_line(std::string line, std::chrono::milliseconds timeout);
  /// Makes a read or write of another thread return at once.
  void shut_down() noexcept;
  void shut_down_reading() noexcept;

 private:
  Descriptor descriptor_;
  std::size_t max_line_bytes_;
  std::string buffer_;
};

}  // namespace tenon::console
