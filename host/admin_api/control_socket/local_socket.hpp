#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace tenon::console {

/// The reason of errno as base::Error 500 "console.socket_failed" that says what was tried.
[[noreturn]] void throw_socket_failure(const std::string& what, int reason);

/// A listening stream socket at `directory`/`name` with mode 0600. The path may be longer than a
/// socket address holds.
base::UniqueFd listen_local(const std::string& directory, std::string_view name);

/// Connects; an empty descriptor when no process listens there.
base::UniqueFd connect_local(const std::string& directory, std::string_view name);

/// True when the process at the other end runs as this process' user or as root.
bool is_peer_trusted(int descriptor) noexcept;

/// A stream socket that is read and written line by line, each with a deadline. Not thread-safe.
class LineSocket {
 public:
  LineSocket(base::UniqueFd descriptor, std::size_t max_line_bytes)
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
  base::UniqueFd descriptor_;
  std::size_t max_line_bytes_;
  std::string buffer_;
};

}  // namespace tenon::console
