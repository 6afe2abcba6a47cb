#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "http/connection/exchange.hpp"
#include "identity/principal.hpp"
#include "realtime/topic_filter.hpp"

namespace tenon::realtime {

/// The client of a channel. Once it is subscribed, only the delivery thread uses its members,
/// except where a comment says otherwise.
struct Subscriber {
  identity::PrincipalPtr principal;
  std::vector<TopicFilter> interests;
  std::shared_ptr<http::EventStream> stream;
  /// Called once, with the id of where it begins; empty where no plugin is active.
  std::function<void(const std::string& id)> on_ready;
  StreamPositions positions;         ///< at first its last position
  std::atomic<bool> is_gone{false};  ///< any thread
};
using SubscriberPtr = std::shared_ptr<Subscriber>;

/// An event as it is sent.
using SseFrame = std::shared_ptr<const std::string>;

/// A subscriber within one plugin's feed, and its events of a pass.
struct FeedSubscriber {
  SubscriberPtr subscriber;
  std::string mark;           ///< of its position, see StreamPosition
  std::int64_t position = 0;  ///< the last change that was delivered or not visible to it
  std::int64_t placed = 0;    ///< the position that was sent to it last
  /// Up to here it may have received more than its position says. Events contain the current
  /// record, and an interrupted pass may have sent events without the position after them.
  std::int64_t doubtful_until = 0;
  std::vector<SseFrame> events;
  std::size_t bytes = 0;
  bool has_overflowed = false;    ///< more than a pass may have
  bool is_flooded = false;        ///< overflowed before it reached the newest change
  bool is_leaving = false;        ///< its subscriber was gone at the last check
  std::set<std::string> resyncs;  ///< topics
  std::set<std::string> topics;   ///< all topics that it follows here

  void add(const SseFrame& frame);
  void resync(const std::string& topic) { resyncs.insert(topic); }
  void resync_all() { resyncs = topics; }
  /// Sends the collected events, and the subscriber's new position. A flooded subscriber gets a
  /// resync once it has reached `newest`.
  void flush(const std::string& plugin, std::int64_t newest);
  /// Discards the events of the pass; the position has not changed.
  void drop() noexcept;
};

/// "event: <name>\ndata: <data>\n\n"
SseFrame make_frame(std::string_view name, std::string_view data);

}  // namespace tenon::realtime
