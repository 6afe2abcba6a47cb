#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include "http/parser/request.hpp"
#include "http/response/response.hpp"

namespace tenon::http {

class Exchange;
/// Keeps the exchange, its request's memory and its attachment alive. May be held past the handler,
/// on any thread.
using ExchangePtr = boost::intrusive_ptr<Exchange>;

/// Data that the layer above ties to an exchange (principal, route parameters, lease). Destroyed
/// with the exchange.
class Attachment {
 public:
  virtual ~Attachment() = default;
  /// Around every piece of code of the layer above that runs for the exchange (handler, sink,
  /// callback), on its thread.
  virtual void entered() noexcept {}
  virtual void exited() noexcept {}
  /// The request is complete and waits for a thread; called only with `wants_start`.
  virtual void started() noexcept {}

  bool wants_start = false;
};

/// Notifies an attachment, which may be null, of the code that runs while this lives.
class Entered {
 public:
  explicit Entered(Attachment* attachment) noexcept : attachment_(attachment) {
    if (attachment_ != nullptr) attachment_->entered();
  }
  ~Entered() {
    if (attachment_ != nullptr) attachment_->exited();
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Attachment* attachment_;
};

/// Takes a streamed request body. Calls come on worker threads, one at a time, in order; exactly
/// one of on_end and on_abort comes last, then the sink is destroyed. While a call runs, no more is
/// read from the client.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void on_data(std::string_view bytes) = 0;
  virtual void on_end() = 0;
  /// The client went away, was too slow, or sent more than the route's limit. The HTTP server sends
  /// 413 or 408 itself if it still can.
  virtual void on_abort(int status) = 0;
};

enum class WriteResult : std::uint8_t {
  accepted,  ///< write more
  full,      ///< taken, but wait for on_writable before the next
  closed     ///< not taken: the client is gone, or the response is complete
};

/// An open stream of server-sent events; costs no thread. Thread-safe.
class EventStream {
 public:
  virtual ~EventStream() = default;
  /// Queues text that is already framed as events ("event: …\ndata: …\n\n"). False when closed; a
  /// client that reads so slowly that more than Limits::event_buffer bytes wait is cut off.
  virtual bool send(std::shared_ptr<const std::string> events) = 0;
  /// Called once, on an I/O thread, when the channel is gone (at once when it is gone already).
  /// Must not block.
  virtual void on_close(std::function<void()> callback) = 0;
  virtual void close() = 0;
};

/// One request and its response. The response is given once: respond(), or begin() … end(), or
/// begin_events(). All functions are thread-safe unless they say otherwise. If the last ExchangePtr
/// is destroyed without a response, the HTTP server sends 500 "http.no_answer".
class Exchange {
 public:
  virtual const Request& request() const noexcept = 0;
  virtual Attachment* attachment() const noexcept = 0;

  /// Sends the whole response. Returns false without any effect when a response was already given
  /// or begun.
  virtual bool respond(Response&& response) = 0;

  /// Sends the response with a copy of `body` instead of the response's own body. Returns false
  /// without any effect when a response was already given or begun.
  virtual bool respond_with(Response&& response, std::string_view body) {
    response.set_body(body);
    return respond(std::move(response));
  }

  /// Returns an empty response to fill and pass to respond(); its memory has served earlier
  /// requests. Only for the thread that runs the handler, before handle() returns.
  virtual Response& draft() noexcept = 0;

  /// Begins a streamed response; `head.body` must be empty. `content_length` is in bytes, or
  /// Request::no_length for chunked.
  virtual bool begin(Response head, std::uint64_t content_length = Request::no_length) = 0;
  virtual WriteResult write(std::string_view bytes) = 0;
  /// Completes a streamed response. False when it was not begun, or fewer bytes came than
  /// content_length announced (the connection is cut then).
  virtual bool end() = 0;
  /// Cuts a streamed response so that the client sees it is incomplete.
  virtual void abort() = 0;
  /// `callback` runs on a worker thread of the route's share whenever the buffer of a `full` stream
  /// has drained, or the stream is closed. Set once, before the first write. Held until the
  /// exchange ends.
  virtual void on_writable(std::function<void()> callback) = 0;

  /// Responds 200 text/event-stream and keeps the stream open. Null when a response was already
  /// given.
  virtual std::shared_ptr<EventStream> begin_events() = 0;

  /// Starts delivery of a body whose plan says BodyMode::streamed. Once, from the handler.
  virtual void read_body(std::unique_ptr<BodySink> sink) = 0;

  /// True when no client can receive a response any more.
  virtual bool closed() const noexcept = 0;

 protected:
  virtual ~Exchange() = default;

 private:
  friend void intrusive_ptr_add_ref(Exchange* exchange) noexcept;
  friend void intrusive_ptr_release(Exchange* exchange) noexcept;
  virtual void add_ref() noexcept = 0;
  virtual void release() noexcept = 0;
};

inline void intrusive_ptr_add_ref(Exchange* exchange) noexcept {
  exchange->add_ref();
}
inline void intrusive_ptr_release(Exchange* exchange) noexcept {
  exchange->release();
}

}  // namespace tenon::http
