#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include <tenon/http.h>

#include "bridge/call.hpp"
#include "http/connection/exchange.hpp"

namespace tenon::plugins {

class Bridge;

/// Passes a request body to a plugin, piece by piece. The HTTP server ends it, or the host that
/// gives up the request: the first of them calls the plugin's `end` and `drop`, once. Then the pin
/// on the call is released.
class BodyFlow {
 public:
  /// Takes the sink over.
  BodyFlow(std::shared_ptr<Bridge> bridge, Calls::Pin call,
           const tenon_http_body_sink& sink) noexcept;
  /// Ends it with TENON_E_CLOSED if it has not ended.
  ~BodyFlow();
  BodyFlow(const BodyFlow&) = delete;
  BodyFlow& operator=(const BodyFlow&) = delete;

  /// False when no more is wanted. From one thread at a time.
  bool give(std::string_view bytes);
  /// From any thread; while a piece is being taken, the thread that gave it ends the flow
  /// afterwards.
  void end(tenon_code how) noexcept;

 private:
  enum State : std::uint8_t { idle, giving, giving_and_to_end, over };
  void finish(tenon_code how) noexcept;

  const std::shared_ptr<Bridge> bridge_;
  Calls::Pin call_;
  tenon_http_body_sink sink_;
  std::atomic<State> state_{idle};
  std::atomic<tenon_code> how_{TENON_E_CLOSED};
};

/// Returns the sink for the HTTP server.
std::unique_ptr<http::BodySink> make_body_sink(std::shared_ptr<BodyFlow> flow);

}  // namespace tenon::plugins
