#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "realtime/presence.hpp"
#include "realtime/subscriber.hpp"

namespace tenon::data {
class Database;
}
namespace tenon::identity {
class Permissions;
}
namespace tenon::observability {
class Metrics;
}

namespace tenon::realtime {

/// Ends when destroyed; few events follow after that.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Delivers the changes of published tables to subscribers after each commit, on a thread of its
/// own. Each subscriber gets the changes that its rules let it see, in order. Thread-safe.
class Realtime {
 public:
  /// Both outlive it.
  Realtime(const identity::Permissions& permissions, observability::Metrics& metrics);
  /// stop()
  ~Realtime();
  Realtime(const Realtime&) = delete;
  Realtime& operator=(const Realtime&) = delete;

  /// Adds a plugin that became active. Existing followers get a resync.
  void attach(const std::string& plugin, const std::shared_ptr<const records::Model>& model,
              std::shared_ptr<data::Database> database);
  /// It is no longer active; its database is not used any more when this returns.
  void detach(const std::string& plugin) noexcept;

  /// Throws the errors of interests in active plugins: 404 "events.unknown_topic", 422
  /// "events.bad_filter", and the errors of the filter of a list. Does not block.
  void check(const identity::PrincipalPtr& principal,
             const std::vector<TopicFilter>& interests) const;

  /// Does not block. The delivery thread calls `on_ready` before the first event, once it is
  /// certain that every later change is delivered. Plugins that are not active are followed as soon
  /// as they are. The stream of a subscriber whose interests cannot be followed is closed.
  std::unique_ptr<Subscription> subscribe(SubscriberPtr subscriber);

  /// The presence on records of the attached plugins.
  Presence& presence() noexcept { return presence_; }

  /// Stops sending.
  void stop() noexcept;

  std::size_t subscribers() const;

 private:
  class Core;
  Presence presence_;
  std::shared_ptr<Core> core_;
};

}  // namespace tenon::realtime
