#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::events {

/// The users who may receive an event of a plugin.
struct Audience {
  std::string plugin;
  std::string permission;     ///< that a listener holds; empty: all who may see the plugin
  bool is_everybody = false;  ///< all of these; else those of them who are named below
  std::vector<std::string> users = {};   ///< ids, ascending
  std::vector<std::string> groups = {};  ///< ids, ascending

  /// True when a user with these groups is in the audience.
  bool includes(std::string_view user, const std::vector<std::string>& of_user) const noexcept;
};

/// Something that happened. `topic` is "core.plugins", "notes.reminders"…; `data` is one JSON text.
struct Event {
  std::uint64_t number = 0;  ///< ascends over all topics and starts; given by the bus
  std::string topic;
  std::string data;
  std::shared_ptr<const Audience> audience = {};  ///< of a plugin's own; null: the host's
};

/// Ends the subscription when destroyed; afterwards the callback is not running and will not run.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Delivers events to subscribers in the order of their numbers, on the publisher's thread. Numbers
/// begin with the milliseconds since 1970 when the bus is made, so that a client with a number of
/// an earlier start sees that it missed events. Thread-safe.
class Bus {
 public:
  using Callback = std::function<void(const std::shared_ptr<const Event>&)>;

  Bus();
  /// The first event is `newest` + 1.
  explicit Bus(std::uint64_t newest);
  ~Bus();

  /// Returns the event's number. Callbacks must be quick, must not block, and must not publish or
  /// subscribe.
  std::uint64_t publish(std::string topic, std::string data,
                        std::shared_ptr<const Audience> audience = {});

  /// `topics` are exact names or prefixes with a star ("tasks.*"); the bus must outlive the
  /// subscription.
  std::unique_ptr<Subscription> subscribe(std::vector<std::string> topics, Callback callback);

  /// Replaces the topics of a plugin ("notes.reminders").
  void declare(const std::string& plugin, std::vector<std::string> topics);
  /// Removes all topics of a plugin.
  void remove_plugin(const std::string& plugin) noexcept;
  /// True when a plugin has the topic now; `topic` is an exact name.
  bool is_declared(std::string_view topic) const noexcept;

  /// Number of the newest event; before the first, the one that it follows.
  std::uint64_t newest() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// True when a subscription to `pattern` covers `topic`.
bool topic_matches(std::string_view pattern, std::string_view topic) noexcept;

}  // namespace tenon::events
