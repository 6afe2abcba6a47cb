#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tenon::data::postgresql {

class Connection;

/// Reserves the database for one host: an advisory lock that a connection of its own holds while
/// this object lives. The server releases it with the connection, also if the host was killed.
/// One thread at a time.
class HostLock {
 public:
  /// Throws 409 data.in_use if another host holds the lock for a second, 503
  /// data.connection_lost.
  explicit HostLock(std::string url);
  ~HostLock();
  HostLock(const HostLock&) = delete;
  HostLock& operator=(const HostLock&) = delete;

  enum class State : std::uint8_t {
    held,
    away,  ///< the server cannot be reached; the first host to come gets the database
    taken  ///< another host has it
  };
  /// Asks the server, and takes the lock again if the connection was lost. Blocks for some
  /// seconds at most.
  State refresh() noexcept;

 private:
  bool take();
  [[noreturn]] static void refuse();

  const std::string url_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tenon::data::postgresql
