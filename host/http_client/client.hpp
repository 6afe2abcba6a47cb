#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http_client/exchange.hpp"
#include "http_client/origin_pattern.hpp"
#include "http_client/public_address.hpp"
#include "http_client/url.hpp"

namespace tenon::observability {
class Metrics;
}

namespace tenon::http_client {

struct ClientOptions {
  std::vector<std::string> networks;  ///< not public, and reachable all the same
  std::chrono::milliseconds max_timeout{60'000};
  std::size_t max_response = std::size_t{16} * 1024 * 1024;  ///< bytes of content
  std::size_t plugin_calls = 8;                              ///< of one plugin, at once
  std::size_t all_calls = 32;                                ///< of all plugins, at once
};

/// A request of a plugin. It borrows everything.
struct ClientRequest {
  std::string_view plugin;
  std::span<const OriginPattern> allowed;
  std::string_view method;
  std::string_view url;
  std::vector<Field> fields;
  std::string_view body;
  std::chrono::milliseconds timeout{0};  ///< 0: 10 s, or the maximum if that is shorter
  std::uint64_t max_response = 0;        ///< bytes; 0: 1 MiB, or the maximum if that is less
  bool follows_redirects = true;
  std::stop_token stop{};
};

struct ClientResponse {
  int status = 0;
  std::string url;  ///< after redirects
  std::vector<Field> fields;
  std::string body;
};

/// Sends requests of plugins to other servers, as far as plugin.json and the configuration allow.
/// One for the server; counts, logs failures and traces. Thread-safe.
class Client {
 public:
  Client(const ClientOptions& options, observability::Metrics& metrics);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends a request, follows up to Limits::redirects redirects, and returns the last response,
  /// whatever its status. `running` counts the plugin's calls. Blocks: only for threads that may.
  /// Throws base::Error "http_client.…": invalid, url_invalid, not_allowed, address_refused,
  /// unreachable, response_invalid, too_large, too_many_redirects, timeout, cancelled, busy.
  ClientResponse send(const ClientRequest& request, std::atomic<std::size_t>& running);

 private:
  void count(std::string_view plugin, std::string_view result, double seconds);

  const ClientOptions options_;
  const ReachableAddresses reachable_;
  observability::Metrics& metrics_;
  std::atomic<std::size_t> running_{0};
};

}  // namespace tenon::http_client
