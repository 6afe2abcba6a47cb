#include "shell/live_channel.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "events/bus.hpp"
#include "identity/session_events.hpp"
#include "routing/context.hpp"

namespace tenon::shell {

namespace {

std::vector<std::string> split_topics(std::string_view text) {
  std::vector<std::string> topics;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) topics.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return topics;
}

std::shared_ptr<const std::string> frame(std::uint64_t number, std::string_view topic,
                                         std::string_view data) {
  auto text = std::make_shared<std::string>();
  text->reserve(topic.size() + data.size() + 40);
  text->append("id: ").append(std::to_string(number));
  text->append("\nevent: ").append(topic);
  text->append("\ndata: ").append(data).append("\n\n");
  return text;
}

}  // namespace

class LiveChannel::Implementation : public std::enable_shared_from_this<Implementation> {
 public:
  Implementation(events::Bus& bus, View view) : bus_(bus), view_(std::move(view)) {}

  void listen() {
    subscription_ = bus_.subscribe({"*"}, [this](const auto& event) { deliver(*event); });
  }

  void open(const http::ExchangePtr& exchange);
  void deliver(const events::Event& event);

  void close() {
    subscription_.reset();
    std::unordered_map<std::uint64_t, Channel> channels;
    {
      const std::lock_guard lock(mutex_);
      channels.swap(channels_);
      per_session_.clear();
      closed_ = true;
    }
    for (const auto& [number, channel] : channels)
      channel.stream->close();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return channels_.size();
  }

 private:
  struct Channel {
    std::vector<std::string> topics;
    identity::PrincipalPtr principal;
    std::shared_ptr<http::EventStream> stream;

    bool wants(std::string_view topic) const {
      return std::any_of(topics.begin(), topics.end(), [&](const std::string& pattern) {
        return events::topic_matches(pattern, topic);
      });
    }
  };

  void forget(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = channels_.find(number);
    if (found == channels_.end()) return;
    const auto count = per_session_.find(found->second.principal->session_id);
    if (count != per_session_.end() && --count->second == 0) per_session_.erase(count);
    channels_.erase(found);
  }

  events::Bus& bus_;
  const View view_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Channel> channels_;
  std::unordered_map<std::string, std::size_t> per_session_;
  std::uint64_t opened_ = 0;
  bool closed_ = false;
  std::unique_ptr<events::Subscription> subscription_;
};

void LiveChannel::Implementation::open(const http::ExchangePtr& exchange) {
  std::vector<std::string> topics =
      split_topics(http::query_value(exchange->request().query, "topics"));
  if (topics.empty()) {
    throw base::Error(422, "events.no_topics",
                      "Say what to listen to: ?topics=core.plugins,core.session.");
  }
  if (topics.size() > most_topics) {
    throw base::Error(422, "events.too_many_topics",
                      "One channel takes at most " + std::to_string(most_topics) + " topics.");
  }
  identity::PrincipalPtr principal = routing::context(*exchange).principal;
  std::shared_ptr<http::EventStream> stream;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_)
      throw base::Error(503, "events.stopping",
                        "The server is stopping; connect again in a moment.");
    std::size_t& own = per_session_[principal->session_id];
    if (own >= most_channels) {
      throw base::Error(429, "events.too_many_channels",
                        "This session holds " + std::to_string(most_channels) +
                            " channels already; close a tab.");
    }
    stream = exchange->begin_events();
    if (!stream) return;
    ++own;
    number = ++opened_;
    const std::uint64_t newest = bus_.newest();
    stream->send(frame(newest, "hello", "{\"snapshot\":" + std::to_string(newest) + "}"));
    channels_.emplace(number, Channel{std::move(topics), std::move(principal), stream});
  }
  // The lease is not needed for a channel, which lives long: without it the owner could not be
  // drained.
  stream->on_close([weak = weak_from_this(), number] {
    if (const auto self = weak.lock()) self->forget(number);
  });
}

void LiveChannel::Implementation::deliver(const events::Event& event) {
  const bool is_session_end = event.topic == identity::session_topic;
  std::vector<std::shared_ptr<http::EventStream>> ended;
  {
    const std::lock_guard lock(mutex_);
    std::string last_data;
    std::shared_ptr<const std::string> last_frame;
    for (const auto& [number, channel] : channels_) {
      if (!channel.wants(event.topic) && !is_session_end) continue;
      std::string data =
          is_session_end
              ? identity::event_for_session(event, channel.principal->session_id).value_or("")
              : view_(event, *channel.principal);
      if (data.empty()) continue;
      // Most subscribers see the same text, so its frame is made once.
      if (!last_frame || data != last_data) {
        last_frame = frame(event.number, event.topic, data);
        last_data = std::move(data);
      }
      channel.stream->send(last_frame);
      if (is_session_end) ended.push_back(channel.stream);
    }
  }
  for (const auto& stream : ended)
    stream->close();
}

LiveChannel::LiveChannel(events::Bus& bus, View view)
    : implementation_(std::make_shared<Implementation>(bus, std::move(view))) {
  implementation_->listen();
}

LiveChannel::~LiveChannel() {
  implementation_->close();
}

void LiveChannel::handle(const http::ExchangePtr& exchange) {
  implementation_->open(exchange);
}

void LiveChannel::close() {
  implementation_->close();
}

std::size_t LiveChannel::channels() const {
  return implementation_->size();
}

}  // namespace tenon::shell
