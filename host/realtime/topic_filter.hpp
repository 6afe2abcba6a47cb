#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::realtime {

/// A topic that a subscriber follows: "planner.cards", "planner.*" or "planner.cards/<id>".
struct TopicFilter {
  std::string topic;   ///< as in the request
  std::string plugin;  ///< "planner"
  std::string table;   ///< empty: all
  std::string record;  ///< empty: all
  std::string filter;  ///< a condition of the expression language; empty: none
};

/// Whether a topic is one of records: not the host's own ("core.…"), and with a dot.
bool is_record_topic(std::string_view topic) noexcept;

/// Reads a topic of records.
TopicFilter parse_interest(std::string_view topic);

/// The position of a subscriber in the change log of a plugin.
struct StreamPosition {
  std::string mark;  ///< of the log and of what the subscriber may see
  std::int64_t sequence = 0;

  bool operator==(const StreamPosition&) const = default;
};
/// By plugin.
using StreamPositions = std::map<std::string, StreamPosition, std::less<>>;

/// "planner:3f…-17;crm:a0…-4", the id of an event; parse_positions() skips invalid parts.
std::string print_positions(const StreamPositions& positions);
StreamPositions parse_positions(std::string_view text);

}  // namespace tenon::realtime
