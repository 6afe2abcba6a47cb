#include "realtime/event_stream_handler.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "events/bus.hpp"
#include "identity/sessions/session_events.hpp"
#include "realtime/realtime.hpp"
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

// `channel`: by which the client says what it looks at; empty where it does not listen to that.
std::string hello_data(std::uint64_t newest, const std::string& channel) {
  std::string data = "{\"snapshot\":" + std::to_string(newest);
  if (!channel.empty()) data.append(",\"channel\":\"").append(channel).append("\"");
  return data + "}";
}

// Returns the record topics of a request: topics of plugins that they did not declare as their own.
std::vector<realtime::TopicFilter> interests_of(const std::vector<std::string>& topics,
                                                std::string_view query, const events::Bus& bus) {
  std::vector<realtime::TopicFilter> interests;
  for (const std::string& topic : topics) {
    if (!realtime::is_record_topic(topic) || bus.is_declared(topic)) continue;
    interests.push_back(realtime::parse_interest(topic));
    interests.back().filter = http::query_value(query, "filter." + topic);
  }
  return interests;
}

}  // namespace

class EventStreamHandler::Implementation : public std::enable_shared_from_this<Implementation> {
 public:
  Implementation(events::Bus& bus, EventFilter event_filter, realtime::Realtime& live)
      : bus_(bus), event_filter_(std::move(event_filter)), live_(live) {}

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
      for (const auto& [number, channel] : channels)
        live_.presence().close(channel.presence);
      interests_.clear();
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
  // The topics of channels. Most channels have the same, so they are stored and checked once for
  // all.
  struct TopicSet {
    std::vector<std::string> topics;
    std::size_t channels = 0;
    bool is_covered = false;  // by the event that is delivered

    bool covers(std::string_view topic) const {
      return std::any_of(topics.begin(), topics.end(), [&](const std::string& pattern) {
        return events::topic_matches(pattern, topic);
      });
    }
  };
  using Interests = std::unordered_map<std::string, TopicSet>;  // by the text of the query

  struct Channel {
    Interests::value_type* interest;
    identity::PrincipalPtr principal;
    std::shared_ptr<http::EventStream> stream;
    bool has_positions = false;  // its ids are not the bus's numbers
    bool is_greeted = true;
    std::unique_ptr<realtime::Subscription> subscription{};
    std::string presence{};  // its name there; empty: none
  };

  void follow(std::uint64_t number, const std::shared_ptr<realtime::Subscriber>& subscriber);
  void greet(std::uint64_t number, const std::string& id);
  void end_user(const std::string& user_id);

  void forget(std::uint64_t number) {
    std::unique_ptr<realtime::Subscription> ended;  // outside the lock
    const std::lock_guard lock(mutex_);
    const auto found = channels_.find(number);
    if (found == channels_.end()) return;
    ended = std::move(found->second.subscription);
    live_.presence().close(found->second.presence);
    const auto count = per_session_.find(found->second.principal->session_id);
    if (count != per_session_.end() && --count->second == 0) per_session_.erase(count);
    Interests::value_type& interest = *found->second.interest;
    if (--interest.second.channels == 0) interests_.erase(interests_.find(interest.first));
    channels_.erase(found);
  }

  events::Bus& bus_;
  const EventFilter event_filter_;
  realtime::Realtime& live_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Channel> channels_;
  Interests interests_;
  std::unordered_map<std::string, std::size_t> per_session_;
  std::uint64_t opened_ = 0;
  bool closed_ = false;
  std::unique_ptr<events::Subscription> subscription_;
};

void EventStreamHandler::Implementation::open(const http::ExchangePtr& exchange) {
  std::string asked = http::query_value(exchange->request().query, "topics");
  std::vector<std::string> topics = split_topics(asked);
  if (topics.empty()) {
    throw base::Error(422, "events.no_topics",
                      "Say what to listen to: ?topics=core.plugins,core.session.");
  }
  if (topics.size() > max_topics) {
    throw base::Error(422, "events.too_many_topics",
                      "One channel takes at most " + std::to_string(max_topics) + " topics.");
  }
  identity::PrincipalPtr principal = routing::context(*exchange).principal;
  const auto subscriber = std::make_shared<realtime::Subscriber>();
  subscriber->principal = principal;
  subscriber->interests = interests_of(topics, exchange->request().query, bus_);
  const bool has_positions = !subscriber->interests.empty();
  if (has_positions) live_.check(principal, subscriber->interests);
  const bool has_presence =
      std::find(topics.begin(), topics.end(), realtime::presence_topic) != topics.end();
  const std::string last = http::query_value(exchange->request().query, "last");
  subscriber->positions =
      realtime::parse_positions(last.empty() ? exchange->request().field("last-event-id") : last);
  std::shared_ptr<http::EventStream> stream;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (closed_)
      throw base::Error(503, "events.stopping",
                        "The server is stopping; connect again in a moment.");
    const auto own = per_session_.find(principal->session_id);
    if (own != per_session_.end() && own->second >= max_channels) {
      throw base::Error(
          429, "events.too_many_channels",
          "This session holds " + std::to_string(max_channels) + " channels already; close a tab.");
    }
    stream = exchange->begin_events();
    if (!stream) return;
    ++per_session_[principal->session_id];
    number = ++opened_;
    auto& interest = *interests_.try_emplace(std::move(asked)).first;
    if (interest.second.channels++ == 0) interest.second.topics = std::move(topics);
    std::string presence = has_presence ? live_.presence().open(principal, stream) : std::string();
    if (!has_positions) {
      const std::uint64_t newest = bus_.newest();
      stream->send(frame(newest, "hello", hello_data(newest, presence)));
    }
    channels_.emplace(number, Channel{.interest = &interest,
                                      .principal = std::move(principal),
                                      .stream = stream,
                                      .has_positions = has_positions,
                                      .is_greeted = !has_positions,
                                      .presence = std::move(presence)});
  }
  // The lease is not needed for a channel, which lives long: without it the owner could not be
  // drained.
  stream->on_close([weak = weak_from_this(), number] {
    if (const auto self = weak.lock()) self->forget(number);
  });
  if (!has_positions) return;
  subscriber->stream = stream;
  follow(number, subscriber);
}

void EventStreamHandler::Implementation::follow(
    std::uint64_t number, const std::shared_ptr<realtime::Subscriber>& subscriber) {
  subscriber->on_ready = [weak = weak_from_this(), number](const std::string& id) {
    if (const auto self = weak.lock()) self->greet(number, id);
  };
  auto subscription = live_.subscribe(subscriber);
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(number);
  if (found != channels_.end()) found->second.subscription = std::move(subscription);
}

void EventStreamHandler::Implementation::greet(std::uint64_t number, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(number);
  if (found == channels_.end()) return;
  found->second.is_greeted = true;
  auto hello = realtime::make_frame("hello", hello_data(bus_.newest(), found->second.presence));
  if (!id.empty()) hello = std::make_shared<const std::string>("id: " + id + "\n" + *hello);
  found->second.stream->send(hello);
}

// They come back with the rights that they have now.
void EventStreamHandler::Implementation::end_user(const std::string& user_id) {
  std::vector<std::shared_ptr<http::EventStream>> ended;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, channel] : channels_) {
      if (channel.principal->user_id == user_id) ended.push_back(channel.stream);
    }
  }
  for (const auto& stream : ended)
    stream->close();
}

void EventStreamHandler::Implementation::deliver(const events::Event& event) {
  if (event.topic == identity::rights_topic) return end_user(identity::user_of_rights(event));
  const bool is_session_end = event.topic == identity::session_topic;
  Render render;
  if (is_session_end) {
    render = [&event](const identity::Principal& principal) {
      return identity::event_for_session(event, principal.session_id).value_or("");
    };
  } else {
    render = event_filter_(event);
  }
  if (!render) return;
  std::vector<std::shared_ptr<http::EventStream>> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [text, interest] : interests_)
      interest.is_covered = is_session_end || interest.covers(event.topic);
    std::string last_data;
    std::shared_ptr<const std::string> last_frame;
    std::shared_ptr<const std::string> last_without_id;
    for (const auto& [number, channel] : channels_) {
      if (!channel.interest->second.is_covered || (!channel.is_greeted && !is_session_end))
        continue;
      std::string data = render(*channel.principal);
      if (data.empty()) continue;
      // Most subscribers see the same text, so its frame is made once.
      if (!last_frame || data != last_data) {
        last_frame = frame(event.number, event.topic, data);
        last_without_id = realtime::make_frame(event.topic, data);
        last_data = std::move(data);
      }
      channel.stream->send(channel.has_positions ? last_without_id : last_frame);
      if (is_session_end) ended.push_back(channel.stream);
    }
  }
  for (const auto& stream : ended)
    stream->close();
}

EventStreamHandler::EventStreamHandler(events::Bus& bus, EventFilter event_filter,
                                       realtime::Realtime& live)
    : implementation_(std::make_shared<Implementation>(bus, std::move(event_filter), live)) {
  implementation_->listen();
}

EventStreamHandler::~EventStreamHandler() {
  implementation_->close();
}

void EventStreamHandler::handle(const http::ExchangePtr& exchange) {
  implementation_->open(exchange);
}

void EventStreamHandler::close() {
  implementation_->close();
}

std::size_t EventStreamHandler::channels() const {
  return implementation_->size();
}

}  // namespace tenon::shell
