// Runs the families of raw requests: each case over real sockets, once in one piece and once in
// pieces of a few bytes, as a network may cut it.

#include "corpus.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "test_server.hpp"

namespace tenon::http::test::corpus {
namespace {

TestServer* server = nullptr;

Route with_body(BodyMode mode, std::uint64_t limit) {
  Route route;
  route.body = mode;
  route.body_limit = limit;
  return route;
}

// Responds before it has looked at its body, and never does.
Route early() {
  Route route = with_body(BodyMode::streamed, 1024 * 1024);
  route.run = [](const ExchangePtr& exchange) { exchange->respond(empty_response(409)); };
  return route;
}

}  // namespace

void Corpus::SetUpTestSuite() {
  server = new TestServer([](ServerOptions& options) {
    options.limits.head = 4096;
    options.limits.target = 512;
    options.limits.fields = 20;
    options.limits.drain = 1024;
    options.limits.json_body = 512;
    options.limits.json_depth = 8;
  });
  Route inline_route;
  inline_route.is_inline = true;
  Route denied;
  denied.response = 401;
  server->echo("/", inline_route).echo("/a", inline_route).echo("/smuggled", inline_route);
  server->echo("/worker").route("/denied", denied).route("/early", early());
  server->echo("/post", with_body(BodyMode::whole, 64));
  server->echo("/json", with_body(BodyMode::json, 1024));
  server->start();
}

void Corpus::TearDownTestSuite() {
  delete std::exchange(server, nullptr);
}

void Corpus::check(const Case& expected, std::size_t piece) {
  const std::size_t planned_before = server->planned().size();
  RawClient client = server->connect();
  const int on = 1;
  ::setsockopt(client.descriptor(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (std::size_t at = 0; at < expected.bytes.size(); at += piece) {
    // The server may have closed already; the replies will show it.
    if (!client.send(std::string_view(expected.bytes).substr(at, piece))) break;
  }
  if (expected.ends) client.finish_sending();
  const bool is_head = expected.bytes.starts_with("HEAD ");
  for (const int status : expected.statuses) {
    Reply reply = client.read_reply(is_head);
    if (reply.status == 100) reply = client.read_reply(is_head);
    EXPECT_EQ(reply.status, status);
    EXPECT_TRUE(reply.is_complete);
  }
  if (expected.closes) {
    EXPECT_TRUE(client.is_closed_by_peer());
    EXPECT_FALSE(client.was_reset()) << "the client may have lost its response";
  } else {
    EXPECT_EQ(client.request("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").body, "/a:");
  }
  Names planned = server->planned();
  planned.erase(planned.begin(), planned.begin() + static_cast<std::ptrdiff_t>(planned_before));
  if (!expected.closes && !planned.empty()) planned.pop_back();
  EXPECT_EQ(planned, expected.planned);
}

TEST_P(Corpus, SendsTheExpectedResponses) {
  check(GetParam(), GetParam().bytes.size());
}

TEST_P(Corpus, SendsTheSameResponsesInPieces) {
  check(GetParam(), 7);
}

TEST(PlainPort, ClosesOnTlsBytesWithoutAResponse) {
  TestServer plain;
  plain.start();
  RawClient client = plain.connect();
  client.send(std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  EXPECT_EQ(client.read_all(), "");
  EXPECT_TRUE(client.is_closed_by_peer());
  EXPECT_TRUE(plain.planned().empty());
}

}  // namespace tenon::http::test::corpus
