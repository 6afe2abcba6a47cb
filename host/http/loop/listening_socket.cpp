#include "http/loop/listening_socket.hpp"

#include <cerrno>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::http {

namespace {

constexpr int backlog = 1024;

base::Error refused(const std::string& host, std::uint16_t port, const char* reason) {
  return {500, "http.listen_failed",
          "Cannot listen on " + host + ":" + std::to_string(port) + ": " + reason};
}

}  // namespace

int open_listening_socket(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) {
    throw refused(host, port,
                  failure == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(failure));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  const addrinfo* address = found;
  while (address != nullptr && address->ai_family != AF_INET)
    address = address->ai_next;
  if (address == nullptr) address = found;

  const int descriptor =
      ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw refused(host, port, std::strerror(errno));
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(descriptor, address->ai_addr, address->ai_addrlen) != 0 ||
      ::listen(descriptor, backlog) != 0) {
    const int reason = errno;
    ::close(descriptor);
    throw refused(host, port, std::strerror(reason));
  }
  return descriptor;
}

}  // namespace tenon::http
