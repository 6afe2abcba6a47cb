#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/connection/application.hpp"

namespace tenon::events {
class Bus;
struct Event;
}  // namespace tenon::events

namespace tenon::identity {
struct Principal;
}

namespace tenon::realtime {
class Realtime;
}

namespace tenon::shell {

/// GET /api/core/events?topics=…: server-sent events of the bus, plugins' own among them, and
/// changes of records. Each subscriber gets only what it may see. A channel uses no thread. The
/// HTTP server closes a channel that reads too slowly. The first event is "hello"; every later
/// event is delivered. Ids are numbers of the bus. If records are followed, ids are StreamPositions
/// instead, from which a client continues (Last-Event-ID, or last=). With the topic "presence" the
/// first event names the channel, and the channel gets who looks at the same records (Presence).
class EventStreamHandler final : public http::Handler {
 public:
  /// Returns the JSON data of an event for one subscriber; empty to send nothing.
  using Render = std::function<std::string(const identity::Principal&)>;
  /// Reads an event once. Returns no function if no subscriber gets it. Both run on the publisher's
  /// thread and must be quick. The Render runs once for each subscriber before publish() returns.
  using EventFilter = std::function<Render(const events::Event&)>;

  static constexpr std::size_t max_topics = 32;  ///< of one channel → 422 "events.too_many_topics"
  static constexpr std::size_t max_channels =
      50;  ///< of one session → 429 "events.too_many_channels"

  /// `bus` and `live` must outlive it.
  EventStreamHandler(events::Bus& bus, EventFilter event_filter, realtime::Realtime& live);
  ~EventStreamHandler() override;

  void handle(const http::ExchangePtr& exchange) override;

  /// Ends all channels; browsers connect again by themselves. For a graceful stop.
  void close();

  std::size_t channels() const;

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace tenon::shell
