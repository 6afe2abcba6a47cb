#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::console {

class Commands;

/// Name of the Unix socket in the data directory.
inline constexpr std::string_view control_socket_name = "control.sock";

/// The local door to a running server: `control.sock` in its data directory (mode 0600), where only
/// the server's own user and root are heard. A request is one line
/// {"command":"user.add","arguments":{…}}, its response one line {"ok":true,"result":…} or
/// {"ok":false,"error":<problem, RFC 9457>}; a connection may carry several, one after the other.
class ControlServer {
 public:
  /// Beyond: an error, and the connection is closed.
  static constexpr std::size_t max_request_bytes = 1024 * 1024;
  static constexpr std::size_t max_connections = 8;  ///< further ones wait
  static constexpr std::chrono::seconds io_timeout{
      10};  ///< for a request, or for the client to read its response

  /// Listens at once, and replaces a socket that a crash has left: the caller holds the data
  /// directory. Throws base::Error 500 "console.socket_failed". `commands` must outlive it.
  ControlServer(const std::string& data_directory, const Commands& commands);
  /// Waits for commands that run, then removes the socket.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Runs a command in the server that uses this data directory and returns its JSON; nothing when no
/// server is there. Throws the server's refusal as base::Error, 500 "console.socket_failed" when
/// the connection breaks, 403 "console.not_allowed" when the socket belongs to another user.
std::optional<std::string> call_server(const std::string& data_directory, std::string_view command,
                                       std::string_view arguments,
                                       std::chrono::milliseconds timeout = std::chrono::minutes(2));

}  // namespace tenon::console
