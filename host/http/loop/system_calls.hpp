#pragma once

#include <cstddef>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The calls that every request makes, straight to the kernel: these threads are never cancelled,
// and being a cancellation point costs the C library's own functions two atomic exchanges a call
// (pthreads(7)). All return and set errno as the functions they are named after. ThreadSanitizer
// knows by the library's functions that what was sent happened before it is received.
namespace tenon::http::system_calls {

#if defined(__SANITIZE_THREAD__)
constexpr bool are_watched = true;
#else
constexpr bool are_watched = false;
#endif

/// recv(2).
inline ssize_t receive(int socket, void* buffer, std::size_t size) noexcept {
  if constexpr (are_watched) return ::recv(socket, buffer, size, 0);
  return ::syscall(SYS_recvfrom, socket, buffer, size, 0, nullptr, nullptr);
}

/// send(2).
inline ssize_t send(int socket, const void* bytes, std::size_t size, int flags) noexcept {
  if constexpr (are_watched) return ::send(socket, bytes, size, flags);
  return ::syscall(SYS_sendto, socket, bytes, size, flags, nullptr, 0);
}

/// epoll_wait(2); `timeout` in milliseconds, -1 waits for ever.
inline int wait(int epoll, epoll_event* events, int count, int timeout) noexcept {
  if constexpr (are_watched) return ::epoll_wait(epoll, events, count, timeout);
  return static_cast<int>(
      ::syscall(SYS_epoll_pwait, epoll, events, count, timeout, nullptr, std::size_t{0}));
}

}  // namespace tenon::http::system_calls
