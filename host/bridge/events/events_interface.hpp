#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/events.h>

#include "events/bus.hpp"
#include "schema/tables.hpp"

namespace tenon::plugins {

class Bridge;

/// tenon.events/1 of one activation: its topics, and the events that it sends on them.
class EventsInterface {
 public:
  static constexpr std::size_t max_topics = 32;            ///< beyond: TENON_E_TOO_LARGE
  static constexpr std::size_t max_name_bytes = 48;        ///< of a topic
  static constexpr std::uint64_t max_data_bytes = 16'384;  ///< of an event
  static constexpr std::uint32_t max_users = 1'000;        ///< whom an event names
  static constexpr std::uint32_t max_groups = 100;         ///< that an event names
  static constexpr std::size_t max_held = 100;             ///< events of a transaction
  static constexpr std::int64_t events_a_second = 100;     ///< beyond: TENON_E_BUSY
  static constexpr std::int64_t events_at_once = 200;      ///< beyond: TENON_E_BUSY

  static const tenon_events table;

  explicit EventsInterface(Bridge& bridge);

  /// Throws Refusal "plugins.topic_is_table" for a topic that has the name of a declared table.
  void check(const data::schema::Tables& tables) const;
  /// "<plugin>.<name>" of each topic.
  std::vector<std::string> topics() const;
  /// Sends an event that was accepted.
  void send(events::Event event);

 private:
  friend struct EventsFunctions;

  tenon_code declare(const tenon_events_topic* topic, tenon_error* error);
  tenon_code publish(tenon_handle transaction, const tenon_event* event, tenon_error* error);
  tenon_code read(const tenon_event& known, events::Event& event, tenon_error* error) const;
  bool acquire_rate_slot() noexcept;

  Bridge& bridge_;
  std::map<std::string, std::string, std::less<>>
      topics_;  // permissions; grows in create and start
  mutable std::mutex mutex_;
  std::int64_t busy_until_ns_ = 0;  // when all events so far would have had their time
};

}  // namespace tenon::plugins
