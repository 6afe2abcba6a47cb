#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::events {

/// Something that happened. `topic` is "core.plugins", "notes.notes"…; `data` is one JSON text.
struct Event {
  std::uint64_t number = 0;  ///< ascends over all topics; given by the bus
  std::string topic;
  std::string data;
};

/// Ends the subscription when destroyed; afterwards the callback is not running and will not run.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

/// Delivers events to subscribers in the order of their numbers, on the publisher's thread.
/// Thread-safe.
class Bus {
 public:
  using Callback = std::function<void(const std::shared_ptr<const Event>&)>;

  Bus();
  ~Bus();

  /// Returns the event's number. Callbacks must be quick, must not block, and must not publish or
  /// subscribe.
  std::uint64_t publish(std::string topic, std::string data);

  /// `topics` are exact names or prefixes with a star ("tasks.*"); the bus must outlive the
  /// subscription.
  std::unique_ptr<Subscription> subscribe(std::vector<std::string> topics, Callback callback);

  /// Number of the newest event; 0 before the first.
  std::uint64_t newest() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// True when a subscription to `pattern` covers `topic`.
bool topic_matches(std::string_view pattern, std::string_view topic) noexcept;

}  // namespace tenon::events
