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
/// changes of records, each subscriber seeing only what it may. A channel costs no thread; one that
/// reads too slowly is cut by the front. The first event is "hello": what comes later is told. Ids
/// are numbers of the bus; where records are followed they are places (live::Places) instead, with
/// which a client goes on (Last-Event-ID, or last=). With the topic "presence" the greeting names
/// the channel, and who looks at the same records is told (live::Presence).
class EventStreamHandler final : public http::Handler {
 public:
  /// What a subscriber is told of one event: JSON for its data, or empty for nothing.
  using Telling = std::function<std::string(const identity::Principal&)>;
  /// Reads an event, once; no function: nobody is told. Both are called on the publisher's thread,
  /// the telling once a subscriber before the event's publish() returns, and must be quick.
  using View = std::function<Telling(const events::Event&)>;

  static constexpr std::size_t max_topics = 32;  ///< of one channel → 422 "events.too_many_topics"
  static constexpr std::size_t max_channels =
      50;  ///< of one session → 429 "events.too_many_channels"

  /// `bus` and `live` must outlive it.
  EventStreamHandler(events::Bus& bus, View view, realtime::Realtime& live);
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
