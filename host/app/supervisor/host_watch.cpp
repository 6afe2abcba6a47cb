#include "app/supervisor/host_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <utility>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tenon::app {

namespace {

// A supervisor that had no processor itself says nothing of the host.
constexpr int min_silent_looks = 3;

struct Limit {
  __rlimit_resource resource;
  const char* name;
};
constexpr std::array limits{
    Limit{RLIMIT_NOFILE, "RLIMIT_NOFILE"}, Limit{RLIMIT_FSIZE, "RLIMIT_FSIZE"},
    Limit{RLIMIT_AS, "RLIMIT_AS"},         Limit{RLIMIT_DATA, "RLIMIT_DATA"},
    Limit{RLIMIT_NPROC, "RLIMIT_NPROC"},   Limit{RLIMIT_CPU, "RLIMIT_CPU"}};

}  // namespace

HostWatch::HostWatch(pid_t host, int listening, int area, Milliseconds now)
    : host_(host), listening_(listening), area_(area), last_beat_(now) {
  has_beaten();
  connect();
}

HostWatch::~HostWatch() {
  if (probe_ >= 0) ::close(probe_);
}

bool HostWatch::is_silent(Milliseconds now) {
  if (has_beaten() || is_traced()) {
    last_beat_ = now;
    silent_looks_ = 0;
  } else {
    ++silent_looks_;
  }
  connect();
  return silent_looks_ >= min_silent_looks && now - last_beat_ >= max_silence;
}

// True when all I/O threads have counted on since the last time that they all had.
bool HostWatch::has_beaten() {
  Beats beats{};
  constexpr auto offset = static_cast<off_t>(offsetof(plugins::CrashArea, beats));
  if (::pread(area_, beats.data(), sizeof beats, offset) != sizeof beats) return true;
  std::size_t threads = 0;
  while (threads < beats.size() && beats[threads] != 0)
    ++threads;
  for (std::size_t i = 0; i < threads; ++i) {
    if (beats[i] == seen_[i]) return false;
  }
  seen_ = beats;
  // Without any it is not served yet.
  return true;
}

// Instead of the last connection.
void HostWatch::connect() {
  if (probe_ >= 0) ::close(std::exchange(probe_, -1));
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  if (address.ss_family == AF_INET) {
    auto& four = reinterpret_cast<sockaddr_in&>(address);
    if (four.sin_addr.s_addr == htonl(INADDR_ANY)) four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else if (address.ss_family == AF_INET6) {
    auto& six = reinterpret_cast<sockaddr_in6&>(address);
    if (IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr)) six.sin6_addr = in6addr_loopback;
  }
  probe_ = ::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // With a full backlog the kernel retries the connection.
  if (probe_ >= 0)
    static_cast<void>(::connect(probe_, reinterpret_cast<const sockaddr*>(&address), size));
}

bool HostWatch::is_traced() const {
  std::ifstream status("/proc/" + std::to_string(host_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("TracerPid:")) return line.find_first_of("123456789") != line.npos;
  }
  return false;
}

std::string restore_limits(pid_t host, bool& has_failed) {
  std::string restored;
  for (const Limit& limit : limits) {
    rlimit wanted{};
    rlimit found{};
    if (::getrlimit(limit.resource, &wanted) != 0 ||
        ::prlimit(host, limit.resource, nullptr, &found) != 0)
      continue;
    // See raise_open_files_limit().
    if (limit.resource == RLIMIT_NOFILE) wanted.rlim_cur = wanted.rlim_max;
    if (found.rlim_cur >= wanted.rlim_cur && found.rlim_max >= wanted.rlim_max) continue;
    if (::prlimit(host, limit.resource, &wanted, nullptr) != 0) has_failed = true;
    restored.append(restored.empty() ? "" : ", ").append(limit.name);
  }
  return restored;
}

}  // namespace tenon::app
