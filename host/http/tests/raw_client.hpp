#pragma once

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace tenon::http::test {

/// One response as it came over the wire.
struct Reply {
  int status = 0;  ///< 0: the connection ended before a response
  std::string head;
  std::string body;
  bool is_complete = false;

  /// Value of a field, by its name in any case; empty where it is missing.
  std::string field(std::string_view name) const {
    std::string lower;
    for (const char c : head)
      lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    std::string wanted = "\r\n";
    for (const char c : name)
      wanted += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    const std::size_t at = lower.find(wanted + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + wanted.size() + 2;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
  bool has(std::string_view name) const { return !field(name).empty(); }
};

/// A socket that sends raw bytes and reads responses. Waits at most 20 s for anything.
class RawClient {
 public:
  /// A socket that is not connected yet.
  RawClient() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    connect(port);
  }
  void connect(std::uint16_t port) {
    const timeval timeout{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("connect failed");
    }
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        buffer_(std::move(other.buffer_)),
        is_finished_(other.is_finished_) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  /// Ends our direction only.
  void finish_sending() { ::shutdown(socket_, SHUT_WR); }
  /// Closes so that the other side sees a reset.
  void reset() {
    const linger hard{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }

  /// False when the other side takes no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Reads one response; `is_bodiless` for HEAD. Returns an interim response (100) as one of its
  /// own.
  Reply read_reply(bool is_bodiless = false) {
    Reply reply;
    while (buffer_.find("\r\n\r\n") == std::string::npos) {
      if (!fill()) return reply;
    }
    const std::size_t end = buffer_.find("\r\n\r\n") + 4;
    reply.head = buffer_.substr(0, end);
    buffer_.erase(0, end);
    reply.status = std::stoi(reply.head.substr(9, 3));
    const std::string length = reply.field("content-length");
    if (is_bodiless || reply.status < 200 || reply.status == 204 || reply.status == 304) {
      reply.is_complete = true;
    } else if (reply.field("transfer-encoding") == "chunked") {
      reply.is_complete = read_chunks(reply.body);
    } else if (!length.empty()) {
      const std::size_t size = std::stoul(length);
      while (buffer_.size() < size && fill()) {
      }
      reply.body = buffer_.substr(0, size);
      reply.is_complete = reply.body.size() == size;
      buffer_.erase(0, reply.body.size());
    } else {
      while (fill()) {
      }
      reply.body = std::exchange(buffer_, {});
      reply.is_complete = !was_reset_;
    }
    return reply;
  }

  Reply request(std::string_view bytes) {
    send(bytes);
    return read_reply();
  }

  /// Reads until `text` has come (and drops all up to it); false at the end.
  bool read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!fill()) return false;
    }
    buffer_.erase(0, buffer_.find(text) + text.size());
    return true;
  }

  /// Reads at most `size` bytes and drops them; the number read, 0 at the end.
  std::size_t drop_some(std::size_t size) {
    std::string block(size, '\0');
    const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  /// Everything up to the end of the connection.
  std::string read_all() {
    while (fill()) {
    }
    return std::exchange(buffer_, {});
  }

  /// True when the other side closed, with nothing more to read.
  bool is_closed_by_peer() {
    if (!buffer_.empty()) return false;
    return !fill() && is_finished_;
  }
  bool was_reset() const { return was_reset_; }
  int descriptor() const { return socket_; }

 private:
  bool fill() {
    if (is_finished_) return false;
    std::string block(65536, '\0');
    const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
    if (got > 0) {
      buffer_.append(block, 0, static_cast<std::size_t>(got));
      return true;
    }
    is_finished_ = got == 0 || errno == ECONNRESET;
    was_reset_ = got < 0 && errno == ECONNRESET;
    return false;
  }

  bool read_chunks(std::string& body) {
    for (;;) {
      while (buffer_.find("\r\n") == std::string::npos) {
        if (!fill()) return false;
      }
      const std::size_t line = buffer_.find("\r\n");
      const std::size_t size = std::stoul(buffer_.substr(0, line), nullptr, 16);
      while (buffer_.size() < line + 2 + size + 2) {
        if (!fill()) return false;
      }
      body += buffer_.substr(line + 2, size);
      buffer_.erase(0, line + 2 + size + 2);
      if (size == 0) return true;
    }
  }

  int socket_;
  std::string buffer_;
  bool is_finished_ = false;
  bool was_reset_ = false;
};

}  // namespace tenon::http::test
