// The body of a request that waits stays where it is, and is never taken for a next request.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "held_server.hpp"

namespace tenon::http::test {
namespace {

using std::chrono::milliseconds;

std::string chunked(const std::string& method, const std::string& path, const std::string& body) {
  std::ostringstream size;
  size << std::hex << body.size();
  return ask(method, path, "Transfer-Encoding: chunked\r\n") + size.str() + "\r\n" + body +
         "\r\n0\r\n\r\n";
}

bool has_smuggled(const TestServer& server) {
  const std::vector<std::string> planned = server.planned();
  return std::find(planned.begin(), planned.end(), "GET /smuggled") != planned.end();
}

// The bytes that a client sends, with `body` in them, and the expected reply.
struct Case {
  std::string path;
  std::string body;
  bool is_chunked = false;
  std::string method = "POST";
  std::string request() const {
    if (is_chunked) return chunked(method, path, body);
    const std::string type = path == "/json" ? "Content-Type: application/json\r\n" : "";
    return ask(method, path, "Content-Length: " + std::to_string(body.size()) + "\r\n" + type) +
           body;
  }
};

std::vector<Case> cases() {
  // More than what a loop reads at once, and what the kernel keeps at first.
  std::string large;
  while (large.size() < 60'000)
    large += smuggled;
  // After a GET another request may begin before the first one gets its response.
  return {{"/whole", smuggled},
          {"/streamed", smuggled},
          {"/whole", smuggled, true},
          {"/streamed", smuggled, true},
          {"/whole", smuggled, false, "GET"},
          {"/streamed", smuggled, true, "GET"},
          {"/json", "{\"a\":[1,2,3]}"},
          {"/whole", large},
          {"/streamed", large, true}};
}

TEST(HeldBody, IsReadAfterTheWait) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.path + (one.is_chunked ? " chunked " : " ") + std::to_string(one.body.size()));
    HeldServer all;
    all.server.start();
    all.hold(one.path);
    RawClient client = all.server.connect();
    client.send(one.request() + ask("GET", "/b"));
    ASSERT_TRUE(all.waits());
    all.release(one.path);
    EXPECT_EQ(client.read_reply().body, one.path + ":" + one.body);
    EXPECT_EQ(client.read_reply().body, "/b:");
    EXPECT_FALSE(has_smuggled(all.server));
  }
}

TEST(HeldBody, MayComeInPiecesBeforeAndAfter) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.path + (one.is_chunked ? " chunked " : " ") + std::to_string(one.body.size()));
    HeldServer all;
    all.server.start();
    all.hold(one.path);
    RawClient client = all.server.connect();
    const std::string request = one.request();
    const std::size_t head = request.find("\r\n\r\n") + 4;
    const std::size_t middle = head + (request.size() - head) / 2;
    client.send(request.substr(0, head));
    ASSERT_TRUE(all.waits());
    for (std::size_t at = head; at < middle; at += 1 + (middle - head) / 7)
      client.send(request.substr(at, std::min(1 + (middle - head) / 7, middle - at)));
    all.release(one.path);
    client.send(request.substr(middle) + ask("GET", "/b"));
    EXPECT_EQ(client.read_reply().body, one.path + ":" + one.body);
    EXPECT_EQ(client.read_reply().body, "/b:");
    EXPECT_FALSE(has_smuggled(all.server));
  }
}

TEST(HeldBody, IsDroppedAtTheLimitOfTheWait) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.path + (one.is_chunked ? " chunked " : " ") + std::to_string(one.body.size()));
    HeldServer all([](ServerOptions& options) { options.limits.hold = milliseconds(100); });
    all.server.start();
    all.hold(one.path);
    RawClient client = all.server.connect();
    const Reply reply = client.request(one.request());
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.body.find("http.hold_timeout"), std::string::npos);
    EXPECT_EQ(client.request(ask("GET", "/b")).body, "/b:");
    all.release(one.path);
    EXPECT_EQ(client.request(one.request()).body, one.path + ":" + one.body);
    EXPECT_FALSE(has_smuggled(all.server));
  }
}

TEST(HeldBody, EndsTheConnectionIfTooLargeToDrop) {
  HeldServer all([](ServerOptions& options) { options.limits.hold = milliseconds(100); });
  all.server.start();
  all.hold("/whole");
  RawClient client = all.server.connect();
  client.send(ask("POST", "/whole", "Content-Length: 1000000\r\n") + smuggled);
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_TRUE(client.is_closed_by_peer());
  EXPECT_FALSE(has_smuggled(all.server));
}

TEST(HeldBody, IsRefusedWhereThePlanAfterwardsTakesNone) {
  HeldServer all;
  all.server.start();
  all.hold("/a");
  RawClient client = all.server.connect();
  client.send(post("/a", smuggled));
  ASSERT_TRUE(all.waits());
  all.release("/a");
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.status, 413);
  EXPECT_NE(reply.body.find("http.body_refused"), std::string::npos);
  EXPECT_EQ(client.request(ask("GET", "/b")).body, "/b:");
  EXPECT_FALSE(has_smuggled(all.server));
}

TEST(HeldBody, IsRequestedAfterTheWait) {
  for (const char* path : {"/whole", "/streamed"}) {
    HeldServer all;
    all.server.start();
    all.hold(path);
    RawClient client = all.server.connect();
    client.send(ask("POST", path, "Content-Length: 5\r\nExpect: 100-continue\r\n"));
    ASSERT_TRUE(all.waits());
    all.release(path);
    EXPECT_EQ(client.read_reply().status, 100);
    EXPECT_EQ(client.request("hello").body, std::string(path) + ":hello");
    EXPECT_EQ(client.request(ask("GET", "/b")).body, "/b:");
  }
}

TEST(HeldBody, IsNotRequestedIfReceivedDuringTheWait) {
  HeldServer all;
  all.server.start();
  all.hold("/whole");
  RawClient client = all.server.connect();
  client.send(ask("GET", "/b") +
              ask("POST", "/whole", "Content-Length: 5\r\nExpect: 100-continue\r\n") + "hello");
  EXPECT_EQ(client.read_reply().body, "/b:");
  ASSERT_TRUE(all.waits());
  all.release("/whole");
  EXPECT_EQ(client.read_reply().body, "/whole:hello");
}

TEST(HeldBody, IsNotRequestedAtTheTimeout) {
  HeldServer all([](ServerOptions& options) { options.limits.hold = milliseconds(100); });
  all.server.start();
  all.hold("/whole");
  RawClient client = all.server.connect();
  const Reply reply =
      client.request(ask("POST", "/whole", "Content-Length: 5\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(HeldBody, IsDroppedAtTheTimeoutIfReceivedEarly) {
  HeldServer all([](ServerOptions& options) { options.limits.hold = milliseconds(100); });
  all.server.start();
  all.hold("/whole");
  RawClient client = all.server.connect();
  const Reply reply =
      client.request(ask("POST", "/whole", "Content-Length: 5\r\nExpect: 100-continue\r\n") +
                     "hello" + ask("GET", "/b"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_FALSE(reply.has("Connection"));
  EXPECT_EQ(client.read_reply().body, "/b:");
}

TEST(HeldBody, EndsTheRequestIfItEndsEarly) {
  HeldServer all;
  all.server.start();
  all.hold("/whole");
  RawClient client = all.server.connect();
  client.send(ask("POST", "/whole", "Content-Length: 1000\r\n") + smuggled);
  client.finish_sending();
  ASSERT_TRUE(all.waits());
  all.release("/whole");
  EXPECT_EQ(client.read_all(), "");
  const std::vector<Finished> finished = all.server.wait_finished(1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].status, 0);
  EXPECT_FALSE(has_smuggled(all.server));
  EXPECT_TRUE(eventually([&] { return all.server.attachments_alive() == 0; }));
}

TEST(HeldBody, IsReadForTheLastRequest) {
  HeldServer all;
  all.server.start();
  all.hold("/whole");
  RawClient old = all.server.connect();
  RawClient last = all.server.connect();
  old.send("POST /whole HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello");
  last.send(post("/whole", "hello", "Connection: close\r\n") + smuggled);
  ASSERT_TRUE(all.waits(2));
  all.release("/whole");
  EXPECT_EQ(old.read_reply().body, "/whole:hello");
  EXPECT_TRUE(old.is_closed_by_peer());
  EXPECT_EQ(last.read_reply().body, "/whole:hello");
  EXPECT_TRUE(last.is_closed_by_peer());
  EXPECT_FALSE(has_smuggled(all.server));
}

}  // namespace
}  // namespace tenon::http::test
