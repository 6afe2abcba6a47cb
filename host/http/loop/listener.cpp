#include "http/loop/listener.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/ServerSocketImpl.h>
#include <Poco/Net/SocketAddress.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.hpp"
#include "http/connection/application.hpp"
#include "http/loop/server_context.hpp"

namespace tenon::http {

namespace {

constexpr int accepts_a_round = 64;
constexpr std::int64_t pause_nanoseconds = 50'000'000;
constexpr std::int64_t silence_nanoseconds = 60'000'000'000;
constexpr std::int64_t beat_nanoseconds = 1'000'000'000;

constexpr std::string_view full = "as many connections are open as http.connections allows";
constexpr std::string_view no_descriptors =
    "the limit of open files is nearly reached; raise it (ulimit -n, LimitNOFILE=)";
constexpr std::string_view no_memory = "the system has no memory for another connection";

// From this descriptor on the rest is for databases, plugins and files, so that the connections
// which are there can be served. Descriptors are given out from the lowest.
int first_reserved_descriptor() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<int>::max();
  const rlim_t reserve = std::min<rlim_t>(limit.rlim_cur / 4, Listener::reserved_descriptors);
  return static_cast<int>(
      std::min<rlim_t>(limit.rlim_cur - reserve, std::numeric_limits<int>::max()));
}

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(),
              text.size());
  } else {
    const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    // An IPv4 client of a socket that serves both is named as IPv4.
    if (IN6_IS_ADDR_V4MAPPED(&six))
      inet_ntop(AF_INET, &six.s6_addr[12], text.data(), text.size());
    else
      inet_ntop(AF_INET6, &six, text.data(), text.size());
  }
  return text.data();
}

// A connection on its way to another loop.
class Arrival final : public LoopTask {
 public:
  Arrival(Loop& loop, int descriptor, std::string peer)
      : loop_(loop), descriptor_(descriptor), peer_(std::move(peer)) {}
  void deliver() noexcept override {
    const std::unique_ptr<Arrival> self(this);
    loop_.adopt(descriptor_, peer_);
  }

 private:
  Loop& loop_;
  int descriptor_;
  std::string peer_;
};

}  // namespace

struct Listener::Socket : Poco::Net::ServerSocket {
  explicit Socket(int descriptor) : ServerSocket(new ExistingSocket(descriptor), true) {}

 private:
  class ExistingSocket final : public Poco::Net::ServerSocketImpl {
   public:
    explicit ExistingSocket(int descriptor) { reset(descriptor); }
  };
};

Listener::Listener(int descriptor) : socket_(std::make_unique<Socket>(descriptor)) {
  try {
    socket_->setBlocking(false);
    // Accepted sockets inherit it, which saves a system call each.
    socket_->setNoDelay(true);
    port_ = socket_->address().port();
  } catch (const Poco::Exception& error) {
    throw base::Error(500, "http.listen_failed",
                      "Cannot use the socket that listens: " + error.displayText());
  }
}

Listener::~Listener() = default;

void Listener::start(std::vector<std::unique_ptr<Loop>>& loops) {
  loops_ = &loops;
  resume();
}

void Listener::stop() noexcept {
  if (loops_ == nullptr) return;
  loops_->front()->timers().cancel(*this);
  pause();
  loops_->front()->timers().cancel(*this);
  try {
    socket_->close();
  } catch (const Poco::Exception&) {
    // The descriptor is gone either way.
  }
}

void Listener::resume() noexcept {
  Loop& loop = *loops_->front();
  is_accepting_ = loop.watch(socket_->impl()->sockfd(), EPOLLIN, *this);
  if (!is_accepting_) loop.timers().schedule(*this, loop.now() + pause_nanoseconds);
}

// Waiting connections stay in the kernel's backlog until accept() can succeed again.
void Listener::pause() noexcept {
  Loop& loop = *loops_->front();
  if (is_accepting_) loop.forget(socket_->impl()->sockfd());
  is_accepting_ = false;
  loop.timers().schedule(*this, loop.now() + pause_nanoseconds);
}

// Every loop counts: connections are accepted, or it is known why not.
void Listener::beat() noexcept {
  const std::int64_t now = loops_->front()->now();
  if (now < beat_at_ + beat_nanoseconds) return;
  beat_at_ = now;
  for (const auto& loop : *loops_)
    loop->beat();
}

void Listener::pause(std::string_view why) noexcept {
  beat();
  Loop& loop = *loops_->front();
  pause();
  if (said_at_ != 0 && loop.now() < said_at_ + silence_nanoseconds) return;
  said_at_ = loop.now();
  loop.context().application.accepting_paused(why);
}

void Listener::on_timer() noexcept {
  if (!is_accepting_) resume();
}

std::uint64_t Listener::open_connections() const noexcept {
  std::uint64_t open = 0;
  for (const auto& loop : *loops_)
    open += static_cast<std::uint64_t>(loop->load());
  return open;
}

Loop& Listener::emptiest() const noexcept {
  Loop* best = loops_->front().get();
  for (const auto& loop : *loops_) {
    if (loop->load() < best->load()) best = loop.get();
  }
  return *best;
}

void Listener::on_ready(std::uint32_t) noexcept {
  const std::uint64_t limit = loops_->front()->context().options.limits.connections;
  const int reserved = first_reserved_descriptor();
  for (int i = 0; i < accepts_a_round; ++i) {
    const std::uint64_t open = open_connections();
    if (open >= limit) return pause(full);
    if (open >= room_) return pause(no_descriptors);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int descriptor =
        ::accept4(socket_->impl()->sockfd(), reinterpret_cast<sockaddr*>(&address), &size,
                  SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EMFILE || errno == ENFILE) pause(no_descriptors);
      if (errno == ENOBUFS || errno == ENOMEM) pause(no_memory);
      return;
    }
    beat();
    room_ = descriptor < reserved ? limit : open + 1;
    give(descriptor, address_text(address));
  }
}

void Listener::give(int descriptor, std::string peer) noexcept {
  Loop& loop = emptiest();
  loop.expect_one();
  if (&loop == loops_->front().get()) return loop.adopt(descriptor, peer);
  auto arrival = std::make_unique<Arrival>(loop, descriptor, std::move(peer));
  if (loop.mailbox()->post(*arrival))
    static_cast<void>(arrival.release());
  else
    ::close(descriptor);
}

}  // namespace tenon::http
