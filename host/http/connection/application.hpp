#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "http/connection/exchange.hpp"
#include "http/loop/handler_time.hpp"

namespace tenon::http {

class Hold;
class WorkerShare;

/// Runs one request. An exception becomes a problem response: a base::Error with its own status and
/// code, anything else 500 "http.internal".
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(const ExchangePtr& exchange) = 0;
};

enum class BodyMode : std::uint8_t {
  none,     ///< a body is refused (415/413 as fits) – the default for GET, HEAD, DELETE, OPTIONS
  whole,    ///< read into memory before the handler runs
  json,     ///< whole, and strictly checked JSON (media type, limits) before the handler runs; an
            ///< empty body is passed on
  streamed  ///< the handler runs at once and takes it through Exchange::read_body
};

/// Says how to handle a request whose head has arrived.
struct Plan {
  /// If set, this response is sent at once (404, 401, 405 …). The rest is ignored, and an unread
  /// body is drained or the connection closed.
  std::unique_ptr<Response> response;

  /// If set, the request waits until this is released, and is then planned again as if it had just
  /// arrived. The rest is ignored.
  std::shared_ptr<Hold> hold;

  Handler* handler = nullptr;  ///< alive until handle() has returned
  /// Statistics of the handler's run times. Outlives the exchange, which the handler need not: it
  /// may be destroyed in its own last run. Null: nothing is measured, and the handler never counts
  /// as quick.
  HandlerTime* time = nullptr;
  std::unique_ptr<Attachment> attachment;  ///< becomes the exchange's
  /// Null: the handler promises not to block and runs on the I/O thread. Else it runs on a worker,
  /// or, once it has measured as quick, on an I/O thread that gives its connections to another
  /// thread should the handler take longer this time.
  WorkerShare* share = nullptr;
  BodyMode body = BodyMode::none;
  std::uint64_t body_limit = 0;  ///< bytes; beyond: 413
};

/// Describes a finished request for the access log and the metrics. An event stream is finished
/// when its head is written. After a missed deadline or a lost client the handler may still run, so
/// read only fields that no handler changes.
struct AccessRecord {
  const Request* request = nullptr;  ///< null when no valid head arrived
  Attachment* attachment = nullptr;  ///< null when none was planned
  int status = 0;                    ///< 0 when the client went away before a response was begun
  std::uint64_t bytes_sent = 0;      ///< of head and body
  std::int64_t duration_ns =
      0;  ///< from the first byte of the head to the last byte written to the socket
  std::int64_t ended_ns = 0;  ///< when that was: base::monotonic_nanoseconds()
};

/// The layer above the HTTP server. plan() and finished() run on I/O threads and must not block.
class Application {
 public:
  virtual ~Application() = default;
  /// Again for the same request after each hold that it waited for.
  virtual Plan plan(const Request& request) = 0;
  virtual void finished(const AccessRecord& record) noexcept = 0;
  /// A handler, sink or callback of this request threw something that is no base::Error; `what` is
  /// for the log, not for the client. On the thread where it ran.
  virtual void failed(const Request& request, std::string_view what) noexcept {
    static_cast<void>(request);
    static_cast<void>(what);
  }
  /// A handler without a share has kept its I/O thread for 250 ms; another thread serves the other
  /// connections now. HandlerTime::has_stalled() says so of the handler from then on. On an I/O
  /// thread, while the handler may still run.
  virtual void stalled(const Request& request, Attachment* attachment) noexcept {
    static_cast<void>(request);
    static_cast<void>(attachment);
  }
  /// No connection is accepted for the moment; `why` is for the log. On an I/O thread, at most once
  /// a minute.
  virtual void accepting_paused(std::string_view why) noexcept { static_cast<void>(why); }
};

}  // namespace tenon::http
