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

/// Somebody at the other end of a channel. What is not said otherwise belongs to the teller's
/// thread once it is subscribed.
struct Subscriber {
  identity::PrincipalPtr principal;
  std::vector<TopicFilter> interests;
  std::shared_ptr<http::EventStream> stream;
  /// Called once, with the id of where it begins; empty where no plugin is active.
  std::function<void(const std::string& id)> on_ready;
  Places places;                     ///< at first where it left off
  std::atomic<bool> is_gone{false};  ///< any thread
};
using SubscriberPtr = std::shared_ptr<Subscriber>;

/// An event as it is sent.
using Frame = std::shared_ptr<const std::string>;

/// A subscriber within one plugin's feed, and what it is to be told in a round.
struct FeedSubscriber {
  SubscriberPtr subscriber;
  std::string mark;           ///< of its places
  std::int64_t position = 0;  ///< the last change that it was told of, or that was not for it
  std::int64_t placed = 0;    ///< the position that it was told last
  /// Until here it may have been told more than its position says: records are told as they are
  /// now, and of a round that broke off it may have events, but not the place behind them.
  std::int64_t doubtful_until = 0;
  std::vector<Frame> events;
  std::size_t bytes = 0;
  bool is_over = false;           ///< more than a round may have
  bool is_flooded = false;        ///< was over before it reached the newest change
  bool is_leaving = false;        ///< its subscriber was gone when it was looked at
  std::set<std::string> resyncs;  ///< topics
  std::set<std::string> topics;   ///< all that it follows here

  void tell(const Frame& frame);
  void resync(const std::string& topic) { resyncs.insert(topic); }
  void resync_all() { resyncs = topics; }
  /// Sends what there is, and where that leaves the subscriber. One that is flooded is told of a
  /// resync when it has reached `newest`.
  void flush(const std::string& plugin, std::int64_t newest);
  /// Forgets the round; the position has not moved.
  void drop() noexcept;
};

/// "event: <name>\ndata: <data>\n\n"
Frame make_frame(std::string_view name, std::string_view data);

}  // namespace tenon::realtime
