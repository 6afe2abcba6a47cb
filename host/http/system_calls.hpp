#pragma once

#include <cstddef>

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The calls that every request makes, straight to the kernel: nobody cancels these threads, and
// being a cancellation point costs the C library's own functions two atomic exchanges a call
// (pthreads(7)). All return and set errno as the functions they are named after.
namespace tenon::http::system_calls {

/// recv(2).
inline ssize_t receive(int socket, void* buffer, std::size_t size) noexcept {
  return ::syscall(SYS_recvfrom, socket, buffer, size, 0, nullptr, nullptr);
}

/// send(2).
inline ssize_t send(int socket, const void* bytes, std::size_t size, int flags) noexcept {
  return ::syscall(SYS_sendto, socket, bytes, size, flags, nullptr, 0);
}

/// epoll_wait(2); `timeout` in milliseconds, -1 waits for ever.
inline int wait(int epoll, epoll_event* events, int count, int timeout) noexcept {
  return static_cast<int>(
      ::syscall(SYS_epoll_pwait, epoll, events, count, timeout, nullptr, std::size_t{0}));
}

}  // namespace tenon::http::system_calls
