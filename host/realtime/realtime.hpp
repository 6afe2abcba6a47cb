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

/// Ends when destroyed; whoever subscribed hears little more then.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Tells subscribers of the changes of published tables, after each commit, by a thread of its own:
/// each what their rules let them see, in the order of the changes. Thread-safe.
class Realtime {
 public:
  /// Both outlive it.
  Realtime(const identity::Permissions& permissions, observability::Metrics& metrics);
  /// stop()
  ~Realtime();
  Realtime(const Realtime&) = delete;
  Realtime& operator=(const Realtime&) = delete;

  /// A plugin became active. Who followed it before is told to read again.
  void attach(const std::string& plugin, const std::shared_ptr<const records::Model>& model,
              std::shared_ptr<data::Database> database);
  /// It is no longer active; its database is not used any more when this returns.
  void detach(const std::string& plugin) noexcept;

  /// Throws what is wrong with interests in active plugins: 404 "events.unknown_topic", 422
  /// "events.bad_filter", and what the filter of a list is refused with. Blocks on nothing.
  void check(const identity::PrincipalPtr& principal,
             const std::vector<TopicFilter>& interests) const;

  /// Blocks on nothing. `on_ready` is called by the room's thread, before the first event and once
  /// it is certain that every later change is told; plugins that are not active are followed as
  /// soon as they are. The stream of a subscriber whose interests cannot be followed is closed.
  std::unique_ptr<Subscription> subscribe(SubscriberPtr subscriber);

  /// Who looks at which record of the plugins that are attached.
  Presence& presence() noexcept { return presence_; }

  /// Tells nobody any more.
  void stop() noexcept;

  std::size_t subscribers() const;

 private:
  class Core;
  Presence presence_;
  std::shared_ptr<Core> core_;
};

}  // namespace tenon::realtime
