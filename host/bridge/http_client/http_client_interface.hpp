#pragma once

#include <atomic>
#include <cstddef>
#include <stop_token>
#include <vector>

#include <tenon/http_client.h>

#include "http_client/origin_pattern.hpp"

namespace tenon::plugins {

class Bridge;

/// tenon.http_client/1 of one activation: requests to the servers that its manifest lists.
class HttpClientInterface {
 public:
  static const tenon_http_client table;

  explicit HttpClientInterface(const Bridge& bridge);

  /// Ends calls that do not serve a request of this server: those of jobs and threads. Later ones
  /// end at once.
  void quiesce() noexcept { background_.request_stop(); }
  /// Ends all calls.
  void give_up() noexcept;

 private:
  static tenon_code send(const tenon_host* host, const tenon_http_client_request* request,
                         const tenon_http_client_sink* sink, tenon_error* error) noexcept;
  tenon_code send(const tenon_http_client_request& request, const tenon_http_client_sink& sink,
                  tenon_error* error);

  const Bridge& bridge_;
  std::vector<http_client::OriginPattern> allowed_;
  std::atomic<std::size_t> running_{0};
  std::stop_source background_;
  std::stop_source all_;
};

}  // namespace tenon::plugins
