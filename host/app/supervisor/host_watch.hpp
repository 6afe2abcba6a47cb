#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include <sys/types.h>

#include "crash/area.hpp"

namespace tenon::app {

/// Sees whether a host still serves: connects to the socket that it listens on, which makes its I/O
/// threads count in the memory that it shares with its supervisor. The supervisor's.
class HostWatch {
 public:
  using Milliseconds = std::chrono::milliseconds;

  static constexpr Milliseconds interval{2'000};
  static constexpr Milliseconds max_silence{5'000};

  /// `listening`: a descriptor of the socket; `area`: of the shared memory. Both stay the caller's.
  HostWatch(pid_t host, int listening, int area, Milliseconds now);
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;

  /// To be called every `interval`. True when an I/O thread has not counted for `max_silence`
  /// although a connection waited for it, and no debugger holds the host.
  bool is_silent(Milliseconds now);

 private:
  using Beats = std::array<std::uint64_t, plugins::CrashArea::max_beats>;

  bool has_beaten();
  void connect();
  bool is_traced() const;

  const pid_t host_;
  const int listening_;
  const int area_;
  int probe_ = -1;
  Beats seen_{};
  Milliseconds last_beat_;
  int silent_looks_ = 0;
};

/// Raises the limits of the host that something in it lowered below those that it started with
/// (RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_NPROC, RLIMIT_CPU). Returns what it
/// changed, for the log; empty: nothing had to change. `has_failed`: the system does not permit it.
std::string restore_limits(pid_t host, bool& has_failed);

}  // namespace tenon::app
