#include "admin_api/control_socket/local_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::console {

namespace {

using SteadyClock = std::chrono::steady_clock;

// A socket address holds 107 characters, a path may have more: the directory is named by an open
// descriptor instead.
sockaddr_un address_of(const base::UniqueFd& directory, std::string_view name) {
  const std::string path =
      "/proc/self/fd/" + std::to_string(directory.get()) + "/" + std::string(name);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw_socket_failure("The socket's name is too long", ENAMETOOLONG);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

base::UniqueFd new_socket() {
  base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw_socket_failure("A local socket cannot be made", errno);
  return socket;
}

// False at the deadline.
bool wait_for(int descriptor, short events, SteadyClock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{descriptor, events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

}  // namespace

void throw_socket_failure(const std::string& what, int reason) {
  throw base::Error(500, "console.socket_failed",
                    what + ": " + std::generic_category().message(reason) + ".");
}

base::UniqueFd listen_local(const std::string& directory, std::string_view name) {
  const base::UniqueFd opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) throw_socket_failure("The directory " + directory + " cannot be opened", errno);
  const std::string file(name);
  if (::unlinkat(opened.get(), file.c_str(), 0) != 0 && errno != ENOENT) {
    throw_socket_failure("The old socket in " + directory + " cannot be removed", errno);
  }
  base::UniqueFd socket = new_socket();
  const sockaddr_un address = address_of(opened, name);
  // On Linux the file of a socket gets the mode of its descriptor, so that there is no moment in
  // which others may connect.
  if (::fchmod(socket.get(), 0600) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::fchmodat(opened.get(), file.c_str(), 0600, 0) != 0 || ::listen(socket.get(), 16) != 0) {
    throw_socket_failure("The socket in " + directory + " cannot be made", errno);
  }
  return socket;
}

base::UniqueFd connect_local(const std::string& directory, std::string_view name) {
  const base::UniqueFd opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return {};
  base::UniqueFd socket = new_socket();
  const sockaddr_un address = address_of(opened, name);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == ENOENT || errno == ECONNREFUSED) return {};
  throw_socket_failure("The server's socket in " + directory + " cannot be used", errno);
}

bool is_peer_trusted(int descriptor) noexcept {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == ::geteuid();
}

LineSocket::Result LineSocket::read_line(std::string& line, std::chrono::milliseconds timeout) {
  const auto deadline = SteadyClock::now() + timeout;
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, 0, end);
      buffer_.erase(0, end + 1);
      return Result::line;
    }
    searched = buffer_.size();
    if (buffer_.size() > max_line_bytes_) return Result::too_long;
    if (!wait_for(descriptor_.get(), POLLIN, deadline)) return Result::timeout;
    std::array<char, 16 * 1024> chunk;
    const ssize_t count = ::recv(descriptor_.get(), chunk.data(), chunk.size(), 0);
    if (count > 0)
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return Result::closed;
  }
}

bool LineSocket::write_line(std::string line, std::chrono::milliseconds timeout) {
  const auto deadline = SteadyClock::now() + timeout;
  line += '\n';
  std::string_view left = line;
  while (!left.empty()) {
    if (!wait_for(descriptor_.get(), POLLOUT, deadline)) return false;
    const ssize_t count =
        ::send(descriptor_.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0)
      left.remove_prefix(static_cast<std::size_t>(count));
    else if (count < 0 && errno != EINTR && errno != EAGAIN)
      return false;
  }
  return true;
}

void LineSocket::shut_down() noexcept {
  ::shutdown(descriptor_.get(), SHUT_RDWR);
}
void LineSocket::shut_down_reading() noexcept {
  ::shutdown(descriptor_.get(), SHUT_RD);
}

}  // namespace tenon::console
