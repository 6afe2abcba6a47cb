#include "realtime/event_stream_handler.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "events/bus.hpp"
#include "identity/sessions/session_events.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/users/permissions.hpp"
#include "observability/metrics.hpp"
#include "realtime/realtime.hpp"
#include "routing/context.hpp"

namespace tenon::shell {
namespace {

// A stream whose client the test is.
class Stream final : public http::EventStream {
 public:
  bool send(std::shared_ptr<const std::string> events) override {
    text += *events;
    return !is_closed;
  }
  void on_close(std::function<void()> callback) override { on_close_ = std::move(callback); }
  void close() override { is_closed = true; }
  void leave() { std::exchange(on_close_, {})(); }

  std::string text;
  bool is_closed = false;

 private:
  std::function<void()> on_close_;
};

class Opening final : public http::Exchange {
 public:
  Opening(std::string query, const std::string& user, const std::string& session)
      : query_(std::move(query)) {
    request_.query = query_;
    context_.principal = std::make_shared<const identity::Principal>(identity::Principal{
        .user_id = user, .login = user, .name = user, .role = {}, .session_id = session});
  }

  std::shared_ptr<Stream> stream;

  const http::Request& request() const noexcept override { return request_; }
  http::Attachment* attachment() const noexcept override { return &context_; }
  std::shared_ptr<http::EventStream> begin_events() override {
    return stream = std::make_shared<Stream>();
  }
  bool respond(http::Response&&) override { return false; }
  http::Response& draft() noexcept override { return draft_; }
  bool begin(http::Response, std::uint64_t) override { return false; }
  http::WriteResult write(std::string_view) override { return http::WriteResult::closed; }
  bool end() override { return false; }
  void abort() override {}
  void on_writable(std::function<void()>) override {}
  void read_body(std::unique_ptr<http::BodySink>) override {}
  bool closed() const noexcept override { return false; }

 private:
  void add_ref() noexcept override {}
  void release() noexcept override {}

  const std::string query_;
  http::Request request_;
  mutable routing::CallContext context_;
  http::Response draft_;
};

class EventStreamHandlerTest : public testing::Test {
 protected:
  std::shared_ptr<Stream> open(const std::string& topics, const std::string& user = "ada",
                               const std::string& session = "s1") {
    Opening opening("topics=" + topics, user, session);
    channel_.handle(http::ExchangePtr(&opening));
    return opening.stream;
  }
  std::string refusal(const std::string& topics) {
    try {
      open(topics);
    } catch (const base::Error& error) {
      return error.code();
    }
    return {};
  }
  // Returns the events after the greeting.
  static std::string news(const Stream& stream) {
    return stream.text.substr(stream.text.find("\n\n") + 2);
  }

  events::Bus bus_{0};
  observability::Metrics metrics_;
  identity::Permissions permissions_;
  realtime::Realtime live_{permissions_, metrics_};
  int read_ = 0;
  // Ada gets everything, bob nothing secret, and no user gets internal events.
  EventStreamHandler channel_{bus_,
                              [this](const events::Event& event) -> EventStreamHandler::Render {
                                ++read_;
                                if (event.topic == "core.internal") return {};
                                return [data = event.data](const identity::Principal& principal) {
                                  const bool may = principal.login == "ada" || data != "\"secret\"";
                                  return may ? data : std::string();
                                };
                              },
                              live_};
};

TEST_F(EventStreamHandlerTest, GreetsWithTheNewestNumber) {
  bus_.publish("core.notes.notes", "1");
  EXPECT_EQ(open("core.notes.notes")->text, "id: 1\nevent: hello\ndata: {\"snapshot\":1}\n\n");
}

TEST_F(EventStreamHandlerTest, SendsEachChannelItsTopics) {
  const auto notes = open("core.notes.notes");
  const auto same = open("core.notes.notes");
  const auto all = open("core.tasks.tasks,core.notes.*");
  bus_.publish("core.notes.notes", "1");
  bus_.publish("core.notes.tags", "2");
  bus_.publish("core.tasks.lists", "3");
  EXPECT_EQ(news(*notes), "id: 1\nevent: core.notes.notes\ndata: 1\n\n");
  EXPECT_EQ(news(*same), news(*notes));
  EXPECT_EQ(news(*all), news(*notes) + "id: 2\nevent: core.notes.tags\ndata: 2\n\n");
}

TEST_F(EventStreamHandlerTest, ReadsAnEventOnceForAllSubscribers) {
  const auto ada = open("core.notes.*");
  const auto bob = open("core.notes.*", "bob", "s2");
  bus_.publish("core.notes.notes", "\"secret\"");
  bus_.publish("core.notes.notes", "\"open\"");
  EXPECT_EQ(read_, 2);
  EXPECT_NE(news(*ada).find("secret"), std::string::npos);
  EXPECT_EQ(news(*bob), "id: 2\nevent: core.notes.notes\ndata: \"open\"\n\n");
}

TEST_F(EventStreamHandlerTest, SendsNothingThatTheFilterLeavesOut) {
  const auto stream = open("core.*");
  bus_.publish("core.internal", "1");
  EXPECT_EQ(news(*stream), "");
}

TEST_F(EventStreamHandlerTest, SendsTopicsThatAPluginDeclared) {
  bus_.declare("planner", {"planner.ticks"});
  const auto ticks = open("planner.ticks");
  EXPECT_EQ(ticks->text, "id: 0\nevent: hello\ndata: {\"snapshot\":0}\n\n");
  const auto core = open("core.plugins");
  bus_.publish("planner.ticks", "1");
  bus_.publish("planner.tocks", "2");
  EXPECT_EQ(news(*ticks), "id: 1\nevent: planner.ticks\ndata: 1\n\n");
  EXPECT_EQ(news(*core), "");
}

TEST_F(EventStreamHandlerTest, ContinuesWhenAnEqualChannelLeaves) {
  const auto first = open("core.notes.notes");
  const auto second = open("core.notes.notes");
  first->leave();
  bus_.publish("core.notes.notes", "1");
  EXPECT_EQ(news(*first), "");
  EXPECT_EQ(news(*second), "id: 1\nevent: core.notes.notes\ndata: 1\n\n");
  second->leave();
  const auto third = open("core.notes.notes");
  bus_.publish("core.notes.notes", "2");
  EXPECT_EQ(news(*third), "id: 2\nevent: core.notes.notes\ndata: 2\n\n");
  EXPECT_EQ(channel_.channels(), 1U);
}

TEST_F(EventStreamHandlerTest, EndsTheChannelsOfAnEndedSessionOnly) {
  const auto ended = open("core.notes.notes", "ada", "s1");
  const auto other = open("core.notes.notes", "ada", "s2");
  bus_.publish(std::string(identity::session_topic),
               identity::session_event("s1", "ada", identity::SessionEnd::signed_out));
  EXPECT_EQ(news(*ended), "id: 1\nevent: core.session\ndata: {\"reason\":\"signed_out\"}\n\n");
  EXPECT_TRUE(ended->is_closed);
  EXPECT_EQ(news(*other), "");
  EXPECT_FALSE(other->is_closed);
}

TEST_F(EventStreamHandlerTest, NamesTheChannelToPresenceListeners) {
  const auto stream = open("core.notes.notes,presence");
  const auto other = open("presence");
  const auto name = [](const Stream& of) {
    const std::size_t at = of.text.find("\"channel\":\"") + 11;
    return of.text.substr(at, of.text.find('"', at) - at);
  };
  EXPECT_GE(name(*stream).size(), 20U);
  EXPECT_NE(name(*stream), name(*other));
  const identity::Principal ada{
      .user_id = "ada", .login = "ada", .name = "ada", .role = {}, .session_id = "s1"};
  EXPECT_NO_THROW(live_.presence().leave(ada, name(*stream), {}));
  stream->leave();
  EXPECT_THROW(live_.presence().leave(ada, name(*stream), {}), base::Error);
  channel_.close();
  EXPECT_THROW(live_.presence().leave(ada, name(*other), {}), base::Error);
}

TEST_F(EventStreamHandlerTest, LimitsTopicsOfAChannel) {
  std::string topics;
  for (std::size_t i = 0; i < EventStreamHandler::max_topics; ++i)
    topics += "t" + std::to_string(i) + ",";
  EXPECT_EQ(refusal(topics), "");
  EXPECT_EQ(refusal(topics + "more"), "events.too_many_topics");
  EXPECT_EQ(refusal(""), "events.no_topics");
}

TEST_F(EventStreamHandlerTest, LimitsChannelsOfASession) {
  std::vector<std::shared_ptr<Stream>> streams;
  for (std::size_t i = 0; i < EventStreamHandler::max_channels; ++i)
    streams.push_back(open("core.notes.notes"));
  EXPECT_EQ(refusal("core.notes.notes"), "events.too_many_channels");
  streams.back()->leave();
  EXPECT_EQ(refusal("core.notes.notes"), "");
}

TEST_F(EventStreamHandlerTest, EndsAllChannelsOnClose) {
  const auto stream = open("core.notes.notes");
  channel_.close();
  EXPECT_TRUE(stream->is_closed);
  EXPECT_EQ(refusal("core.notes.notes"), "events.stopping");
  bus_.publish("core.notes.notes", "1");
  EXPECT_EQ(news(*stream), "");
}

}  // namespace
}  // namespace tenon::shell
