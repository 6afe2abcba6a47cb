#include "registry/http_fetch.hpp"

#include <algorithm>
#include <condition_variable>
#include <istream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <Poco/Net/DNS.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/URI.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "packages/archive/file_access.hpp"
#include "packages/reason.hpp"
#include "registry/limits.hpp"
#include "registry/registry_refusal.hpp"
#include "registry/tls.hpp"

namespace tenon::plugins {

namespace {

namespace net = Poco::Net;
using std::chrono::steady_clock;

constexpr std::size_t piece_bytes = std::size_t{64} * 1024;

[[noreturn]] void refuse(const std::string& url, const std::string& what) {
  throw Refusal({"plugins.registry_unreachable", url + ": " + what, {}, {}}, 502);
}

Poco::Timespan timespan(steady_clock::duration duration) {
  return {std::chrono::duration_cast<std::chrono::microseconds>(duration).count()};
}

// Cuts a connection at its deadline or when a stop is requested, even during a wait on it.
class Watch {
 public:
  Watch(const net::StreamSocket& socket, const FetchBounds& bounds)
      // Of its own, for the session may close the other one at any time.
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

// Returns a socket over TLS if the URL is https.
net::StreamSocket secured(const net::StreamSocket& socket, const std::string& url,
                          const Poco::URI& parsed) {
  if (parsed.getScheme() != "https") return socket;
  const Tls* loaded = nullptr;
  try {
    loaded = &tls();
  } catch (const std::runtime_error& failure) {
    refuse(url, failure.what());
  }
  return loaded->secure(socket, parsed.getHost());
}

class Request {
 public:
  Request(const FetchBounds& bounds, std::uint64_t max_bytes)
      : bounds_(bounds), max_bytes_(max_bytes) {}

  // Returns the target of a redirect; empty if the content was passed on.
  std::string get(const std::string& url, const std::function<void(std::string_view)>& sink) {
    try {
      return try_to_get(url, sink);
    } catch (const Poco::Exception& failure) {
      refuse_late(url);
      const std::string& said = failure.message();
      refuse(url, std::string(failure.name()) + (said.empty() ? "" : ": " + said) + ".");
    }
  }

 private:
  void refuse_late(const std::string& url) const {
    if (bounds_.stop.stop_requested()) refuse(url, "It was given up, for the server stops.");
    if (steady_clock::now() >= bounds_.deadline)
      refuse(url, "It took too long, and was given up. Try again.");
  }

  net::StreamSocket connect(const std::string& url, const Poco::URI& parsed) const {
    const net::HostEntry entry = net::DNS::resolve(parsed.getHost());
    std::string last = "it has no address";
    int tried = 0;
    for (const net::IPAddress& address : entry.addresses()) {
      refuse_late(url);
      if (tried++ == RegistryLimits::addresses) break;
      try {
        net::StreamSocket socket;
        socket.connect(net::SocketAddress(address, parsed.getPort()),
                       timespan(std::min<steady_clock::duration>(
                           RegistryLimits::connect, bounds_.deadline - steady_clock::now())));
        socket.setReceiveTimeout(timespan(RegistryLimits::silence));
        socket.setSendTimeout(timespan(RegistryLimits::silence));
        return socket;
      } catch (const Poco::Exception& failure) {
        last = failure.displayText();
      }
    }
    refuse_late(url);
    refuse(url, "It cannot be connected to: " + last + ".");
  }

  std::string try_to_get(const std::string& url,
                         const std::function<void(std::string_view)>& sink) {
    const Poco::URI parsed(url);
    const net::StreamSocket socket = connect(url, parsed);
    const Watch watch(socket, bounds_);
    net::HTTPClientSession session(secured(socket, url, parsed));
    const std::string path = parsed.getPathAndQuery();
    net::HTTPRequest request(net::HTTPRequest::HTTP_GET, path.empty() ? "/" : path,
                             net::HTTPMessage::HTTP_1_1);
    request.setHost(parsed.getHost(), parsed.getPort());
    request.set("Accept-Encoding", "identity");
    request.set("Connection", "close");
    session.sendRequest(request);
    net::HTTPResponse response;
    response.setFieldLimit(RegistryLimits::fields);
    std::istream& body = session.receiveResponse(response);
    refuse_late(url);
    const int status = response.getStatus();
    if (status == 301 || status == 302 || status == 303 || status == 307 || status == 308)
      return target_of(url, parsed, response);
    if (status != net::HTTPResponse::HTTP_OK)
      refuse(url, "The response is " + std::to_string(status) + " " + response.getReason() + ".");
    if (const std::string coding = response.get("Content-Encoding", "identity");
        coding != "identity")
      refuse(url, "The response is encoded as " + coding + ", which was not asked for.");
    hand_on(url, response, body, sink);
    return {};
  }

  static std::string target_of(const std::string& url, const Poco::URI& from,
                               const net::HTTPResponse& response) {
    Poco::URI to(from);
    to.resolve(response.get("Location", ""));
    if (from.getScheme() == "https" && to.getScheme() != "https")
      refuse(url, "It leads to " + to.toString() + ", which is not protected as https is.");
    return to.toString();
  }

  void hand_on(const std::string& url, const net::HTTPResponse& response, std::istream& body,
               const std::function<void(std::string_view)>& sink) const {
    const bool has_length = response.hasContentLength();
    const auto length =
        has_length ? static_cast<std::uint64_t>(response.getContentLength64()) : std::uint64_t{0};
    if (has_length && length > max_bytes_) refuse_content(url);
    std::string piece(piece_bytes, '\0');
    std::uint64_t size = 0;
    while (body) {
      body.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      const auto got = static_cast<std::size_t>(body.gcount());
      refuse_late(url);
      size += got;
      if (size > max_bytes_) refuse_content(url);
      sink(std::string_view(piece).substr(0, got));
    }
    if (body.bad() || (has_length && size != length))
      refuse(url, "The response was cut off after " + std::to_string(size) + " bytes.");
  }

  [[noreturn]] void refuse_content(const std::string& url) const {
    refuse_index_size(url + ": There are more than the " + std::to_string(max_bytes_) +
                          " bytes that may be there.",
                      {});
  }

  const FetchBounds& bounds_;
  std::uint64_t max_bytes_;
};

// The target of a redirect must satisfy the rules of a configured URL; only a query is allowed.
void check_target(const std::string& url, const std::string& target) {
  try {
    if (RegistryLocation(target.substr(0, target.find_first_of("?#"))).is_remote()) return;
  } catch (const Refusal&) {
    // said below
  }
  refuse(url, "It leads to what is no URL of http or https.");
}

}  // namespace

void fetch_url(const std::string& url, std::uint64_t max_bytes, const FetchBounds& bounds,
               const std::function<void(std::string_view)>& sink) {
  Request request(bounds, max_bytes);
  std::string next = url;
  for (int i = 0; i <= RegistryLimits::redirects; ++i) {
    if (i > 0) check_target(url, next);
    next = request.get(next, sink);
    if (next.empty()) return;
  }
  refuse(url, "It leads on more than " + std::to_string(RegistryLimits::redirects) + " times.");
}

}  // namespace tenon::plugins
