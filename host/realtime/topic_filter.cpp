#include "realtime/topic_filter.hpp"

#include <algorithm>
#include <charconv>

namespace tenon::realtime {

bool is_record_topic(std::string_view topic) noexcept {
  return topic.find('.') != std::string_view::npos && !topic.starts_with("core.") &&
         !topic.starts_with('.');
}

TopicFilter parse_interest(std::string_view topic) {
  TopicFilter interest;
  interest.topic = topic;
  const std::size_t dot = std::min(topic.find('.'), topic.size());
  interest.plugin = topic.substr(0, dot);
  topic.remove_prefix(std::min(dot + 1, topic.size()));
  const std::size_t slash = std::min(topic.find('/'), topic.size());
  interest.table = topic.substr(0, slash);
  if (interest.table == "*") interest.table.clear();
  topic.remove_prefix(std::min(slash + 1, topic.size()));
  interest.record = topic;
  return interest;
}

std::string print_positions(const StreamPositions& positions) {
  std::string text;
  for (const auto& [plugin, position] : positions) {
    text.append(text.empty() ? "" : ";").append(plugin).append(":").append(position.mark);
    text.append("-").append(std::to_string(position.sequence));
  }
  return text;
}

StreamPositions parse_positions(std::string_view text) {
  StreamPositions positions;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(';'), text.size());
    const std::string_view one = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::size_t colon = one.find(':');
    const std::size_t dash = one.rfind('-');
    if (colon == std::string_view::npos || dash == std::string_view::npos || dash < colon) continue;
    StreamPosition position;
    position.mark = one.substr(colon + 1, dash - colon - 1);
    const std::string_view digits = one.substr(dash + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), position.sequence);
    if (error != std::errc() || end != digits.data() + digits.size() || position.sequence < 0)
      continue;
    positions[std::string(one.substr(0, colon))] = std::move(position);
  }
  return positions;
}

}  // namespace tenon::realtime
