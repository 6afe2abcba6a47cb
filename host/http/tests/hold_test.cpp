// Requests that wait for a change and are planned again when it ends.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "held_server.hpp"

namespace tenon::http::test {
namespace {

using std::chrono::milliseconds;

struct Waiting final : Hold::Waiter {
  void resume() noexcept override { order->push_back(this); }
  std::vector<const Waiting*>* order = nullptr;
};

TEST(Hold, ResumesWaitersInTheOrderOfArrival) {
  Hold hold(3);
  std::vector<const Waiting*> order;
  std::vector<Waiting> waiting(5);
  for (Waiting& one : waiting)
    one.order = &order;
  EXPECT_EQ(hold.enter(waiting[0]), Hold::Entry::waits);
  EXPECT_EQ(hold.enter(waiting[1]), Hold::Entry::waits);
  EXPECT_EQ(hold.enter(waiting[2]), Hold::Entry::waits);
  EXPECT_EQ(hold.enter(waiting[3]), Hold::Entry::full);
  EXPECT_TRUE(hold.leave(waiting[1]));
  EXPECT_EQ(hold.enter(waiting[3]), Hold::Entry::waits);
  EXPECT_TRUE(hold.leave(waiting[0]));
  EXPECT_EQ(hold.enter(waiting[4]), Hold::Entry::waits);
  EXPECT_TRUE(hold.leave(waiting[4]));
  EXPECT_EQ(hold.statistics().waiting, 2U);
  hold.release();
  EXPECT_EQ(order, (std::vector<const Waiting*>{&waiting[2], &waiting[3]}));
  EXPECT_FALSE(hold.leave(waiting[2]));
  EXPECT_EQ(hold.enter(waiting[0]), Hold::Entry::over);
  hold.release();
  EXPECT_EQ(order.size(), 2U);
  const Hold::Statistics statistics = hold.statistics();
  EXPECT_EQ(statistics.waiting, 0U);
  EXPECT_EQ(statistics.waited, 5U);
  EXPECT_EQ(statistics.refused, 1U);
  EXPECT_GT(statistics.max_wait, 0);
}

TEST(HeldRequest, IsPlannedAgainAndGetsAResponse) {
  HeldServer all;
  all.server.start();
  for (const char* path : {"/a", "/inline"}) {
    all.held = std::make_shared<Hold>();
    all.hold(path);
    RawClient client = all.server.connect();
    client.send(ask("GET", path));
    ASSERT_TRUE(all.waits());
    EXPECT_EQ(all.server.attachments_alive(), 0);
    all.release(path);
    EXPECT_EQ(client.read_reply().body, std::string(path) + ":");
    EXPECT_EQ(client.request(ask("GET", path)).status, 200);
  }
  EXPECT_EQ(all.server.planned(),
            (std::vector<std::string>{"GET /a", "GET /a", "GET /a", "GET /inline", "GET /inline",
                                      "GET /inline"}));
  EXPECT_EQ(all.server.http_server->statistics().requests, 4U);
}

TEST(HeldRequest, MayBeRefusedAfterwards) {
  HeldServer all;
  Route away;
  away.response = 404;
  all.server.route("/away", away).start();
  all.hold("/away");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/away"));
  ASSERT_TRUE(all.waits());
  all.release("/away");
  EXPECT_EQ(client.read_reply().status, 404);
  EXPECT_EQ(client.request(ask("GET", "/a")).status, 200);
}

TEST(HeldRequest, KeepsItsVersionAndMethod) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  RawClient old = all.server.connect();
  RawClient head = all.server.connect();
  RawClient last = all.server.connect();
  old.send("GET /a HTTP/1.0\r\n\r\n");
  head.send(ask("HEAD", "/a"));
  last.send(ask("GET", "/a", "Connection: close\r\n"));
  ASSERT_TRUE(all.waits(3));
  all.release("/a");
  EXPECT_EQ(old.read_reply().body, "/a:");
  EXPECT_TRUE(old.is_closed_by_peer());
  EXPECT_EQ(head.read_reply(true).field("Content-Length"), "3");
  EXPECT_EQ(head.request(ask("GET", "/b")).body, "/b:");
  EXPECT_EQ(last.read_reply().body, "/a:");
  EXPECT_TRUE(last.is_closed_by_peer());
}

TEST(HeldRequest, KeepsLaterRequestsWaitingInOrder) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/b") + ask("GET", "/a") + ask("GET", "/b") + post("/whole", "x"));
  EXPECT_EQ(client.read_reply().body, "/b:");
  ASSERT_TRUE(all.waits());
  EXPECT_EQ(all.server.planned().size(), 2U);
  all.release("/a");
  EXPECT_EQ(client.read_reply().body, "/a:");
  EXPECT_EQ(client.read_reply().body, "/b:");
  EXPECT_EQ(client.read_reply().body, "/whole:x");
}

TEST(HeldRequest, DoesNotOvertakeARunningRequest) {
  HeldServer all;
  Gate gate;
  Route slow;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    exchange->respond(empty_response(202));
  };
  all.server.route("/slow", slow).start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/slow") + ask("GET", "/a"));
  gate.wait_for(1);
  ASSERT_TRUE(all.waits());
  all.release("/a");
  EXPECT_EQ(all.server.wait_finished(0).size(), 0U);
  gate.open();
  EXPECT_EQ(client.read_reply().status, 202);
  EXPECT_EQ(client.read_reply().body, "/a:");
}

TEST(HeldRequest, MayBeHeldAgain) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/a"));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(all.waits());
    const std::shared_ptr<Hold> old = std::exchange(all.held, std::make_shared<Hold>());
    all.hold("/a");
    old->release();
  }
  ASSERT_TRUE(all.waits());
  all.release("/a");
  EXPECT_EQ(client.read_reply().body, "/a:");
  EXPECT_EQ(all.server.planned().size(), 22U);
}

TEST(HeldRequest, IsReleasedFromItsOwnThread) {
  HeldServer all([](ServerOptions& options) { options.io_threads = 1; });
  Route release;
  release.is_inline = true;
  release.run = [&](const ExchangePtr& exchange) {
    all.release("/a");
    exchange->respond(empty_response(204));
  };
  all.server.route("/release", release).start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/a"));
  ASSERT_TRUE(all.waits());
  EXPECT_EQ(all.server.connect().request(ask("GET", "/release")).status, 204);
  EXPECT_EQ(client.read_reply().body, "/a:");
}

// The loop that the request came to is driven by another thread by then, as far as the machine has
// the handler run there at all.
TEST(HeldRequest, OutlastsTheThreadThatHeldIt) {
  HeldServer all([](ServerOptions& options) { options.io_threads = 1; });
  Gate gate;
  std::atomic<bool> must_wait{false};
  Route moody;
  moody.run = [&](const ExchangePtr& exchange) {
    if (must_wait) gate.pass();
    exchange->respond(empty_response(200));
  };
  all.server.route("/moody", moody).start();
  RawClient stuck = all.server.connect();
  for (int i = 0; i < 500; ++i)
    ASSERT_EQ(stuck.request(ask("GET", "/moody")).status, 200);
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/a"));
  ASSERT_TRUE(all.waits());
  must_wait = true;
  stuck.send(ask("GET", "/moody"));
  gate.wait_for(1);
  all.release("/a");
  EXPECT_EQ(client.read_reply().body, "/a:");
  gate.open();
  EXPECT_EQ(stuck.read_reply().status, 200);
}

TEST(HeldRequest, IsAcceptedHoweverManyWaited) {
  // One runs and one waits in the queue, and another would be refused.
  HeldServer all({}, {.threads = 1, .queue = 1, .share_queue = 1});
  all.server.start();
  all.hold("/whole");
  std::vector<RawClient> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(all.server.connect());
    clients.back().send(post("/whole", std::to_string(i)));
  }
  ASSERT_TRUE(all.waits(50));
  all.release("/whole");
  for (std::size_t i = 0; i < clients.size(); ++i)
    EXPECT_EQ(clients[i].read_reply().body, "/whole:" + std::to_string(i));
}

TEST(HeldRequest, IsRefusedWhereTooManyWait) {
  HeldServer all;
  all.held = std::make_shared<Hold>(1);
  all.server.start();
  all.hold("/whole");
  RawClient first = all.server.connect();
  RawClient second = all.server.connect();
  first.send(post("/whole", "1"));
  ASSERT_TRUE(all.waits());
  const Reply reply = second.request(post("/whole", smuggled));
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("http.hold_full"), std::string::npos);
  EXPECT_EQ(reply.field("Retry-After"), "1");
  EXPECT_EQ(second.request(ask("GET", "/b")).body, "/b:");
  all.release("/whole");
  EXPECT_EQ(first.read_reply().body, "/whole:1");
}

TEST(HeldRequest, IsRefusedAfterFourPlans) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  all.held->release();
  RawClient client = all.server.connect();
  const Reply reply = client.request(ask("GET", "/a"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("plugins.draining"), std::string::npos);
  EXPECT_EQ(all.server.planned().size(), 4U);
  EXPECT_EQ(client.request(ask("GET", "/b")).status, 200);
}

TEST(HeldRequest, WaitsNoLongerThanTheLimit) {
  HeldServer all([](ServerOptions& options) { options.limits.hold = milliseconds(100); });
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  const Reply reply = client.request(ask("GET", "/a"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("http.hold_timeout"), std::string::npos);
  EXPECT_EQ(reply.field("Retry-After"), "1");
  EXPECT_EQ(all.held->statistics().waiting, 0U);
  EXPECT_EQ(client.request(ask("GET", "/b")).body, "/b:");
  all.release("/a");
  EXPECT_EQ(client.request(ask("GET", "/a")).body, "/a:");
  EXPECT_EQ(all.server.planned().size(), 3U);
}

// The limit is that of all its holds together.
TEST(HeldRequest, DoesNotWaitLongerIfHeldAgain) {
  HeldServer all([](ServerOptions& options) { options.limits.hold = milliseconds(300); });
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/a"));
  std::atomic<bool> is_finished{false};
  std::thread changing([&] {
    while (!is_finished) {
      std::this_thread::sleep_for(milliseconds(20));
      const std::shared_ptr<Hold> old = std::exchange(all.held, std::make_shared<Hold>());
      all.hold("/a");
      old->release();
    }
  });
  EXPECT_EQ(client.read_reply().status, 503);
  is_finished = true;
  changing.join();
}

TEST(HeldRequest, RunsIntoNoOtherLimit) {
  HeldServer all([](ServerOptions& options) {
    options.io_threads = 1;
    options.limits.hold = std::chrono::minutes(10);
  });
  all.server.start();
  all.hold("/a");
  all.hold("/whole");
  RawClient get = all.server.connect();
  RawClient body = all.server.connect();
  get.send(ask("GET", "/a"));
  body.send(post("/whole", "hello"));
  ASSERT_TRUE(all.waits(2));
  const Limits limits;
  all.server.pass_time(limits.head_deadline + limits.idle + limits.handler + limits.body_window);
  EXPECT_EQ(all.held->statistics().waiting, 2U);
  all.server.hold("/a", nullptr);
  all.release("/whole");
  EXPECT_EQ(get.read_reply().body, "/a:");
  EXPECT_EQ(body.read_reply().body, "/whole:hello");
}

TEST(HeldRequest, StopsWaitingWhenTheClientLeaves) {
  HeldServer all;
  all.server.start();
  all.hold("/whole");
  RawClient client = all.server.connect();
  client.send(post("/whole", "hello"));
  ASSERT_TRUE(all.waits());
  client.reset();
  EXPECT_TRUE(all.waits(0));
  const std::vector<Finished> finished = all.server.wait_finished(1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].path, "/whole");
  EXPECT_EQ(finished[0].status, 0);
  EXPECT_TRUE(eventually([&] { return all.server.http_server->statistics().open == 0; }));
  all.release("/whole");
  EXPECT_EQ(all.server.planned().size(), 1U);
}

TEST(HeldRequest, GetsAResponseAfterAHalfClose) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  all.hold("/whole");
  RawClient get = all.server.connect();
  RawClient body = all.server.connect();
  get.send(ask("GET", "/a"));
  get.finish_sending();
  body.send(post("/whole", "hello"));
  body.finish_sending();
  ASSERT_TRUE(all.waits(2));
  all.server.hold("/a", nullptr);
  all.release("/whole");
  EXPECT_EQ(get.read_reply().body, "/a:");
  EXPECT_TRUE(get.is_closed_by_peer());
  EXPECT_EQ(body.read_reply().body, "/whole:hello");
  EXPECT_TRUE(body.is_closed_by_peer());
}

TEST(HeldRequest, IsCutWhenTheServerStops) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/a"));
  ASSERT_TRUE(all.waits());
  all.server.http_server->stop(milliseconds(50));
  EXPECT_EQ(client.read_all(), "");
  EXPECT_EQ(all.held->statistics().waiting, 0U);
  all.server.http_server.reset();
  all.release("/a");
}

TEST(HeldRequest, GetsAResponseWhileTheServerStops) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  RawClient idle = all.server.connect();
  EXPECT_EQ(idle.request(ask("GET", "/b")).status, 200);
  client.send(ask("GET", "/a"));
  ASSERT_TRUE(all.waits());
  std::thread stopping([&] { all.server.http_server->stop(std::chrono::seconds(20)); });
  // Closed because the server stops.
  EXPECT_TRUE(idle.is_closed_by_peer());
  all.release("/a");
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.body, "/a:");
  EXPECT_EQ(reply.field("Connection"), "close");
  stopping.join();
}

}  // namespace
}  // namespace tenon::http::test
