#include "http_client/exchange.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "http_client/failure.hpp"
#include "http_client/tests/lying_server.hpp"
#include "http_client/url.hpp"

namespace tenon::http_client {
namespace {

using namespace std::chrono_literals;
using test::LyingServer;
using Kind = Failure::Kind;

// Sends `response` to a request and returns the content, or the failure's kind as "#n".
std::string content_of(const std::string& response, std::string_view method = "GET") {
  LyingServer server(
      [&](Poco::Net::StreamSocket& client, const std::string&) { test::send(client, response); });
  const Url url = parse_url(server.url());
  std::string content;
  ResponseSink sink;
  sink.on_head = [](const ResponseHead&) { return true; };
  sink.on_body = [&content](std::string_view piece) { content += piece; };
  try {
    exchange({method, url, {}}, {std::chrono::steady_clock::now() + 30s}, {}, 100, sink);
  } catch (const Failure& failure) {
    return "#" + std::to_string(static_cast<int>(failure.kind()));
  }
  return content;
}

std::string kind(Kind kind) {
  return "#" + std::to_string(static_cast<int>(kind));
}

TEST(Exchange, ReadsEveryFraming) {
  EXPECT_EQ(content_of("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour"), "four");
  EXPECT_EQ(content_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
            "ab");
  EXPECT_EQ(content_of("HTTP/1.0 200 OK\r\n\r\nto the end"), "to the end");
  EXPECT_EQ(content_of("HTTP/1.1 204 No Content\r\n\r\n"), "");
  EXPECT_EQ(content_of("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", "HEAD"), "");
  EXPECT_EQ(content_of("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"
                       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            "ok");
}

TEST(Exchange, RefusesResponsesThatAreCutOff) {
  for (const char* text : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"})
    EXPECT_EQ(content_of(text), kind(Kind::invalid)) << text;
}

TEST(Exchange, RefusesAmbiguousResponses) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc", "SSH-2.0-server\r\n\r\n"})
    EXPECT_EQ(content_of(text), kind(Kind::invalid)) << text;
  std::string interim;
  for (int i = 0; i < 20; ++i)
    interim += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(content_of(interim), kind(Kind::invalid));
}

TEST(Exchange, BoundsTheContent) {
  EXPECT_EQ(content_of("HTTP/1.0 200 OK\r\n\r\n" + std::string(100, 'x')), std::string(100, 'x'));
  EXPECT_EQ(content_of("HTTP/1.0 200 OK\r\n\r\n" + std::string(101, 'x')), kind(Kind::too_large));
  EXPECT_EQ(content_of("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n"), kind(Kind::too_large));
  EXPECT_EQ(content_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
                       std::string(101, 'x')),
            kind(Kind::too_large));
}

TEST(Exchange, BoundsChunkLinesAndTrailers) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string many(200'000, 'y');
  EXPECT_EQ(content_of(head + "2;x=" + many + "\r\nab\r\n0\r\n\r\n"), kind(Kind::invalid));
  EXPECT_EQ(content_of(head + "2\r\nab\r\n0\r\nX: " + many + "\r\n\r\n"), kind(Kind::invalid));
  EXPECT_EQ(content_of(head + "2;x=y\r\nab\r\n0\r\nX: y\r\n\r\n"), "ab");
}

}  // namespace
}  // namespace tenon::http_client
