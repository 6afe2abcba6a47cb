#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tenon::data::postgresql {

class Connection;

/// The database for one host alone: an advisory lock that a connection of its own holds as long as
/// this lives. The server gives it up with the connection, so a host that was killed leaves
/// nothing behind. One thread at a time.
class HostLock {
 public:
  /// Throws 409 data.in_use when another host has it and keeps it for a second, 503
  /// data.connection_lost.
  explicit HostLock(std::string url);
  ~HostLock();
  HostLock(const HostLock&) = delete;
  HostLock& operator=(const HostLock&) = delete;

  enum class State : std::uint8_t {
    held,
    away,  ///< the server cannot be reached; whoever comes first has the database then
    taken  ///< another host has it
  };
  /// Asks the server, and takes the lock again where the connection was lost. Blocks for some
  /// seconds at most.
  State keep() noexcept;

 private:
  bool take();
  [[noreturn]] static void refuse();

  const std::string url_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tenon::data::postgresql
