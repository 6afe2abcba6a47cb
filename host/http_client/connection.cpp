#include "http_client/connection.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <Poco/Exception.h>
#include <Poco/Net/DNS.h>
#include <Poco/Net/HostEntry.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "base/unique_fd.hpp"
#include "http_client/failure.hpp"
#include "http_client/limits.hpp"
#include "http_client/tls.hpp"
#include "http_client/url.hpp"

namespace tenon::http_client {

namespace {

namespace net = Poco::Net;
using Kind = Failure::Kind;
using std::chrono::steady_clock;
using Addresses = std::vector<net::IPAddress>;

Poco::Timespan timespan(steady_clock::duration duration) {
  return {std::max<Poco::Timespan::TimeDiff>(
      std::chrono::duration_cast<std::chrono::microseconds>(duration).count(), 1)};
}

// A look-up of a name, which the system cannot interrupt: its thread outlives a caller that gave
// it up.
struct Lookup {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool is_done = false;
  Addresses addresses;
  std::string failure;

  void run(const std::string& host) {
    Addresses found;
    std::string what;
    try {
      found = net::DNS::hostByName(host).addresses();
    } catch (const Poco::Exception& failed) {
      what = failed.displayText();
    }
    const std::lock_guard lock(mutex);
    addresses = std::move(found);
    failure = std::move(what);
    is_done = true;
    changed.notify_all();
  }
};

Addresses look_up(const std::string& host, const Bounds& bounds) {
  net::IPAddress literal;
  if (net::IPAddress::tryParse(host, literal)) return {literal};
  static std::atomic<int>& running = *new std::atomic<int>(0);
  struct Slot {
    Slot() {
      if (++running > Limits::lookups) {
        --running;
        throw Failure(Kind::unreachable, "Too many names are being looked up. Try again later.");
      }
    }
    ~Slot() { --running; }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
  };
  auto slot = std::make_shared<Slot>();
  const auto lookup = std::make_shared<Lookup>();
  try {
    std::thread([lookup, slot = std::move(slot), host] { lookup->run(host); }).detach();
  } catch (const std::system_error&) {
    throw Failure(Kind::unreachable, "No thread could be started to look up the name.");
  }
  std::unique_lock lock(lookup->mutex);
  lookup->changed.wait_until(lock, bounds.stop, bounds.deadline, [&] { return lookup->is_done; });
  require_time(bounds);
  if (!lookup->is_done) throw Failure(Kind::timeout, "The name was not looked up in time.");
  if (lookup->addresses.empty()) {
    throw Failure(
        Kind::unreachable,
        "The name has no address" + (lookup->failure.empty() ? "" : ": " + lookup->failure) + ".");
  }
  return lookup->addresses;
}

// Returns a socket over TLS if the URL is https.
net::StreamSocket secured(const net::StreamSocket& socket, const Url& url) {
  if (!url.is_secure) return socket;
  const Tls* loaded = nullptr;
  try {
    loaded = &tls();
  } catch (const std::runtime_error& failure) {
    throw Failure(Kind::unreachable, failure.what());
  }
  return loaded->secure(socket, url.host);
}

}  // namespace

void require_time(const Bounds& bounds) {
  if (bounds.stop.stop_requested())
    throw Failure(Kind::cancelled, "It was cancelled, because the plugin or the server stops.");
  if (steady_clock::now() >= bounds.deadline)
    throw Failure(Kind::timeout, "It took too long and was given up. Try again later.");
}

void fail_connection(const Poco::Exception& failure, const Bounds& bounds) {
  require_time(bounds);
  const std::string& said = failure.message();
  throw Failure(Kind::unreachable,
                std::string(failure.name()) + (said.empty() ? "" : ": " + said) + ".");
}

// Cuts a connection at its deadline or when a stop is requested, even during a wait on it.
class Connection::Watch {
 public:
  Watch(const net::StreamSocket& socket, const Bounds& bounds)
      // Of its own, for the socket may be closed at any time.
      : file_(::fcntl(socket.impl()->sockfd(), F_DUPFD_CLOEXEC, 0)),
        deadline_(bounds.deadline),
        thread_([this] { run(); }),
        on_stop_(bounds.stop, [this] { end(End::stop); }) {}
  ~Watch() {
    end(End::done);
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  enum class End : std::uint8_t { none, done, stop };

  void end(End how) {
    const std::lock_guard lock(mutex_);
    if (end_ == End::none) end_ = how;
    changed_.notify_all();
  }

  void run() {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline_, [this] { return end_ != End::none; });
    if (end_ != End::done) ::shutdown(file_.get(), SHUT_RDWR);
  }

  base::UniqueFd file_;
  steady_clock::time_point deadline_;
  std::mutex mutex_;
  std::condition_variable changed_;
  End end_ = End::none;
  std::thread thread_;
  std::stop_callback<std::function<void()>> on_stop_;
};

Connection::Connection(const Url& url, const Bounds& bounds, const AddressCheck& is_allowed) {
  require_time(bounds);
  const Addresses addresses = look_up(url.host, bounds);
  std::string last;
  int tried = 0;
  for (const net::IPAddress& address : addresses) {
    if (is_allowed && !is_allowed(address)) continue;
    require_time(bounds);
    if (tried++ == Limits::addresses) break;
    try {
      net::StreamSocket socket(address.family());
      watch_ = std::make_unique<Watch>(socket, bounds);
      socket.connect(net::SocketAddress(address, url.port),
                     timespan(std::min<steady_clock::duration>(
                         Limits::connect, bounds.deadline - steady_clock::now())));
      require_time(bounds);
      socket.setReceiveTimeout(timespan(bounds.silence));
      socket.setSendTimeout(timespan(bounds.silence));
      socket_ = socket;
      break;
    } catch (const Poco::Exception& failure) {
      last = failure.displayText();
      watch_.reset();
    } catch (const std::system_error&) {
      throw Failure(Kind::unreachable,
                    "No thread could be started for the connection. Try again later.");
    }
  }
  require_time(bounds);
  if (tried == 0)
    throw Failure(Kind::address_refused, "The host has no address that may be connected to.");
  if (!watch_) throw Failure(Kind::unreachable, "It cannot be connected to: " + last + ".");
  try {
    socket_ = secured(socket_, url);
  } catch (const Poco::Exception& failure) {
    fail_connection(failure, bounds);
  }
}

Connection::~Connection() = default;

}  // namespace tenon::http_client
