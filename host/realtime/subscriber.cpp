#include "realtime/subscriber.hpp"

#include "base/json_writer.hpp"
#include "realtime/limits.hpp"

namespace tenon::realtime {

SseFrame make_frame(std::string_view name, std::string_view data) {
  auto text = std::make_shared<std::string>();
  text->reserve(name.size() + data.size() + 20);
  text->append("event: ").append(name).append("\ndata: ").append(data).append("\n\n");
  return text;
}

void FeedSubscriber::add(const SseFrame& frame) {
  if (has_overflowed || is_flooded) return;
  bytes += frame->size();
  has_overflowed = bytes > round_bytes;
  if (has_overflowed)
    events.clear();
  else
    events.push_back(frame);
}

void FeedSubscriber::drop() noexcept {
  events.clear();
  bytes = 0;
  has_overflowed = false;
}

void FeedSubscriber::flush(const std::string& plugin, std::int64_t newest) {
  is_flooded = is_flooded || has_overflowed;
  if (is_flooded) {
    drop();
    if (position < newest) return;
    is_flooded = false;
    resync_all();
  }
  const bool has_sent = !events.empty() || !resyncs.empty();
  http::EventStream& stream = *subscriber->stream;
  bool is_there = !subscriber->is_gone;
  for (const SseFrame& frame : events)
    is_there = is_there && stream.send(frame);
  for (const std::string& topic : resyncs) {
    std::string data;
    base::JsonWriter(data).begin_object().member("topic", topic).end_object();
    is_there = is_there && stream.send(make_frame("resync", data));
  }
  drop();
  resyncs.clear();
  if (has_sent || position - placed >= position_interval) {
    placed = position;
    subscriber->positions[plugin] = {mark, position};
    // A block without data is no event: it only gives the position of the client.
    is_there = is_there && stream.send(std::make_shared<const std::string>(
                               "id: " + print_positions(subscriber->positions) + "\n\n"));
  }
  if (!is_there) subscriber->is_gone = true;
}

}  // namespace tenon::realtime
