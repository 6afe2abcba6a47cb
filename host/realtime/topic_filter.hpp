#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::realtime {

/// What a subscriber follows: "planner.cards", "planner.*" or "planner.cards/<id>".
struct TopicFilter {
  std::string topic;   ///< as it was asked for
  std::string plugin;  ///< "planner"
  std::string table;   ///< empty: all
  std::string record;  ///< empty: all
  std::string filter;  ///< a condition of the expression language; empty: none
};

/// Whether a topic is one of records: not the host's own ("core.…"), and with a dot.
bool is_record_topic(std::string_view topic) noexcept;

/// Reads a topic of records.
TopicFilter parse_interest(std::string_view topic);

/// Where somebody stands in the log of a plugin.
struct Place {
  std::string mark;  ///< of the log and of what the subscriber may see
  std::int64_t sequence = 0;

  bool operator==(const Place&) const = default;
};
/// By plugin.
using Places = std::map<std::string, Place, std::less<>>;

/// "planner:3f…-17;crm:a0…-4", the id of an event; parse_places() leaves out what it cannot read.
std::string print_places(const Places& places);
Places parse_places(std::string_view text);

}  // namespace tenon::realtime
