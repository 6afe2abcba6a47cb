#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include <Poco/Net/IPAddress.h>
#include <Poco/Net/StreamSocket.h>

namespace Poco {
class Exception;
}

namespace tenon::http_client {

struct Url;

/// The deadline of a request, which includes name look-up and slow pieces, and a token that stops
/// it earlier.
struct Bounds {
  std::chrono::steady_clock::time_point deadline;
  std::stop_token stop{};
  std::chrono::milliseconds silence{10'000};  ///< the longest wait for one piece
};

/// Says whether an address may be connected to. An empty one allows all.
using AddressCheck = std::function<bool(const Poco::Net::IPAddress&)>;

/// Throws Failure `cancelled` or `timeout` if the bounds are reached.
void require_time(const Bounds& bounds);
/// Throws the Failure for an error of a socket: `cancelled` or `timeout` if the bounds are reached,
/// else `unreachable`.
[[noreturn]] void fail_connection(const Poco::Exception& failure, const Bounds& bounds);

/// A connection to the server of a URL, with TLS for https. The host name is looked up once. Each
/// address is checked, and the connection is made to the checked address, so that a second answer
/// of the name server cannot lead elsewhere. The bounds cut the connection during any wait on it.
/// No proxy is used, whatever the environment says.
class Connection {
 public:
  /// Connects. Blocks: only for threads that may. Throws Failure.
  Connection(const Url& url, const Bounds& bounds, const AddressCheck& is_allowed);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Poco::Net::StreamSocket& socket() noexcept { return socket_; }

 private:
  class Watch;

  std::unique_ptr<Watch> watch_;
  Poco::Net::StreamSocket socket_;
};

}  // namespace tenon::http_client
