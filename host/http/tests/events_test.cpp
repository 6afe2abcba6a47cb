#include <string>

#include <gtest/gtest.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

std::shared_ptr<const std::string> event(const std::string& data) {
  return std::make_shared<const std::string>("data: " + data + "\n\n");
}

// A server whose route "/events" gives its streams to the test.
struct Events {
  explicit Events(const std::function<void(ServerOptions&)>& adjust = {}, bool is_inline = true)
      : server(adjust) {
    Route route;
    route.is_inline = is_inline;
    route.run = [this](const ExchangePtr& exchange) {
      auto stream = exchange->begin_events();
      stream->on_close([this] { ++closed; });
      const std::lock_guard lock(mutex);
      streams.push_back(std::move(stream));
    };
    server.route("/events", route).start();
  }
  std::shared_ptr<EventStream> stream(std::size_t index = 0) {
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex);
      return streams.size() > index;
    }));
    const std::lock_guard lock(mutex);
    return streams.at(index);
  }

  std::mutex mutex;
  std::vector<std::shared_ptr<EventStream>> streams;
  std::atomic<int> closed{0};
  TestServer server;
};

TEST(EventStream, CarriesEvents) {
  for (const bool is_inline : {true, false}) {
    Events events({}, is_inline);
    RawClient client = events.server.connect();
    client.send(get("/events"));
    EXPECT_TRUE(client.read_until("Content-Type: text/event-stream\r\n"));
    EXPECT_TRUE(client.read_until("\r\n\r\n"));
    EXPECT_TRUE(events.stream()->send(event("one")));
    EXPECT_TRUE(client.read_until("data: one\n\n"));
    EXPECT_TRUE(events.stream()->send(event("two")));
    EXPECT_TRUE(events.stream()->send(event("three")));
    EXPECT_TRUE(client.read_until("data: two\n\ndata: three\n\n"));
    EXPECT_EQ(events.server.http_server->statistics().event_streams, 1U);
  }
}

TEST(EventStream, ReleasesItsExchange) {
  Events events;
  RawClient client = events.server.connect();
  client.send(get("/events"));
  client.read_until("\r\n\r\n");
  const auto finished = events.server.wait_finished(1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].status, 200);
  EXPECT_TRUE(eventually([&] { return events.server.attachments_alive() == 0; }));
}

TEST(EventStream, IsNotifiedWhenTheClientLeaves) {
  Events events;
  {
    RawClient client = events.server.connect();
    client.send(get("/events"));
    client.read_until("\r\n\r\n");
  }
  EXPECT_TRUE(eventually([&] { return events.closed == 1; }));
  EXPECT_FALSE(events.stream()->send(event("late")));
  int called = 0;
  events.stream()->on_close([&] { ++called; });
  EXPECT_EQ(called, 1);
  EXPECT_EQ(events.server.http_server->statistics().event_streams, 0U);
}

TEST(EventStream, CanBeClosedHere) {
  Events events;
  RawClient client = events.server.connect();
  client.send(get("/events"));
  client.read_until("\r\n\r\n");
  events.stream()->send(event("last"));
  events.stream()->close();
  EXPECT_EQ(client.read_all(), "data: last\n\n");
  EXPECT_TRUE(eventually([&] { return events.closed == 1; }));
}

TEST(EventStream, SaysThatItLives) {
  Events events([](ServerOptions& options) {
    options.limits.event_keep_alive = std::chrono::milliseconds(100);
  });
  RawClient client = events.server.connect();
  client.send(get("/events"));
  EXPECT_TRUE(client.read_until(": keep-alive\n\n"));
  EXPECT_TRUE(client.read_until(": keep-alive\n\n"));
}

TEST(EventStream, CutsASlowReader) {
  Events events([](ServerOptions& options) { options.limits.event_buffer = 64 * 1024; });
  RawClient client = events.server.connect(4096);
  client.send(get("/events"));
  client.read_until("\r\n\r\n");
  const auto large = event(std::string(16 * 1024, 'x'));
  int sent = 0;
  EXPECT_TRUE(eventually([&] {
    for (int i = 0; i < 64; ++i) {
      if (!events.stream()->send(large)) return true;
      ++sent;
    }
    return false;
  }));
  EXPECT_TRUE(eventually([&] { return events.closed == 1; }));
  EXPECT_LT(sent, 4000);
}

TEST(EventStream, ReachesManyClientsFromManyThreads) {
  Events events;
  constexpr std::size_t clients = 200;
  std::vector<RawClient> all;
  for (std::size_t i = 0; i < clients; ++i) {
    all.push_back(events.server.connect());
    all.back().send(get("/events"));
  }
  for (RawClient& client : all)
    EXPECT_TRUE(client.read_until("\r\n\r\n"));
  events.stream(clients - 1);
  std::vector<std::thread> senders;
  for (int thread = 0; thread < 4; ++thread) {
    senders.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        for (const auto& stream : events.streams)
          EXPECT_TRUE(stream->send(event("x")));
      }
    });
  }
  for (std::thread& sender : senders)
    sender.join();
  for (RawClient& client : all) {
    for (int i = 0; i < 100; ++i)
      ASSERT_TRUE(client.read_until("data: x\n\n"));
  }
}

TEST(EventStream, SendsOnlyItsHeadForHead) {
  Events events;
  RawClient client = events.server.connect();
  client.send("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_reply(true).field("Content-Type"), "text/event-stream");
  EXPECT_TRUE(client.is_closed_by_peer());
  EXPECT_TRUE(eventually([&] { return events.closed == 1; }));
}

}  // namespace
}  // namespace tenon::http::test
