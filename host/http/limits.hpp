#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::http {

/// Bounds of the HTTP server. Each has a test; the README of this room names the response beyond
/// each.
struct Limits {
  std::size_t target = 8 * 1024;        ///< bytes of the request target → 414
  std::size_t head = 32 * 1024;         ///< bytes of the request head → 431
  std::size_t fields = 100;             ///< header fields → 431
  std::size_t json_body = 1024 * 1024;  ///< bytes → 413
  std::size_t body_memory =
      256 * 1024 * 1024;  ///< bytes of whole bodies of all requests at one time → 503
  int json_depth = 64;    ///< → 400
  std::chrono::milliseconds head_deadline{
      10'000};                             ///< from the first byte to the end of the head → 408
  std::chrono::milliseconds idle{60'000};  ///< keep-alive without a request → close
  std::uint32_t body_rate = 1024;  ///< bytes a second, over any body_window of a body → 408
  std::chrono::milliseconds body_window{10'000};
  std::uint32_t write_rate =
      1024;  ///< bytes a second that a reader must take, over any write_window → close
  std::chrono::milliseconds write_window{20'000};
  std::chrono::milliseconds handler{30'000};  ///< until a response is given or begun → 503
  std::chrono::milliseconds hold{
      10'000};  ///< that a request waits while its plugin is being changed → 503
  std::size_t drain = 64 * 1024;  ///< unread body that is read and dropped, bytes; beyond: close
  std::chrono::milliseconds linger{2'000};  ///< after the last response of a cut connection:
                                            ///< reading on, so that the client sees it
  std::size_t write_buffer = 256 * 1024;  ///< bytes of a streamed response that wait before `full`
  std::size_t event_buffer = 256 * 1024;  ///< bytes of waiting events → the channel is cut
  std::chrono::milliseconds event_keep_alive{
      15'000};  ///< between comment lines on a quiet event stream
  std::size_t compress_from =
      1024;  ///< bytes of a compressible response from which it is sent as gzip
  std::size_t connections = 20'000;  ///< beyond: accepting pauses
  std::size_t queue = 1024;          ///< requests waiting for workers, all shares → 503
  std::size_t share_queue = 256;     ///< requests waiting of one share → 503
  std::size_t pipeline = 16;         ///< requests in flight on one connection; then reading pauses
};

}  // namespace tenon::http
