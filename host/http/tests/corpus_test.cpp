// Raw requests that try to confuse the framing, each with the answers it must get, whether the
// connection closes, and what was planned. "/smuggled" must never be among that.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test_server.hpp"

namespace tenon::http::test {
namespace {

struct Case {
  const char* name;
  std::string bytes;
  std::vector<int> statuses;
  bool closes;
  std::vector<std::string> planned;
};

class Corpus : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    server_ = new TestServer([](FrontOptions& options) {
      options.limits.head = 4096;
      options.limits.target = 512;
      options.limits.fields = 20;
      options.limits.drain = 1024;
      options.limits.linger = std::chrono::milliseconds(200);
    });
    Route whole;
    whole.body = BodyMode::whole;
    whole.body_limit = 64;
    Route json = whole;
    json.body = BodyMode::json;
    Route refused;
    refused.answer = 401;
    Route inline_route;
    inline_route.is_inline = true;
    server_->echo("/", inline_route)
        .echo("/a", inline_route)
        .echo("/worker")
        .echo("/post", whole)
        .echo("/json", json);
    server_->echo("/denied", refused).echo("/smuggled", inline_route);
    server_->start();
  }
  static void TearDownTestSuite() { delete server_; }

  static TestServer* server_;
};

TestServer* Corpus::server_ = nullptr;

TEST_P(Corpus, AnswersAsItMust) {
  const Case& expected = GetParam();
  const std::size_t planned_before = server_->planned().size();
  RawClient client = server_->connect();
  ASSERT_TRUE(client.send(expected.bytes));
  for (const int status : expected.statuses) {
    const bool is_head = expected.bytes.starts_with("HEAD ");
    EXPECT_EQ(client.read_reply(is_head).status, status);
  }
  if (expected.closes) {
    EXPECT_TRUE(client.is_closed_by_peer());
    EXPECT_FALSE(client.was_reset()) << "the client may have lost its answer";
  } else {
    EXPECT_EQ(client.request("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").body, "/a:");
  }
  std::vector<std::string> planned = server_->planned();
  planned.erase(planned.begin(), planned.begin() + static_cast<std::ptrdiff_t>(planned_before));
  if (!expected.closes) planned.pop_back();
  EXPECT_EQ(planned, expected.planned);
}

const std::string second = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string get = "GET /a HTTP/1.1\r\nHost: a\r\n";
const std::string post = "POST /post HTTP/1.1\r\nHost: a\r\n";
const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
const std::vector<std::string> none;
const std::vector<std::string> one_get{"GET /a"};
const std::vector<std::string> one_post{"POST /post"};

const std::vector<Case> cases{
    // Ordinary traffic.
    {"Get", get + "\r\n", {200}, false, one_get},
    {"GetOnWorker", "GET /worker HTTP/1.1\r\nHost: a\r\n\r\n", {200}, false, {"GET /worker"}},
    {"Head", "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n", {200}, false, {"HEAD /a"}},
    {"AbsoluteForm", "GET http://a/a HTTP/1.1\r\nHost: a\r\n\r\n", {200}, false, one_get},
    {"AbsoluteFormWithoutPath",
     "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n",
     {200},
     false,
     {"GET /"}},
    {"OptionsAsterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", {204}, false, none},
    {"EmptyLineBefore", "\r\n" + get + "\r\n", {200}, false, one_get},
    {"Http10", "GET /a HTTP/1.0\r\n\r\n", {200}, true, one_get},
    {"Http10KeepAlive", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", {200}, false, one_get},
    {"Close", get + "Connection: close\r\n\r\n", {200}, true, one_get},
    {"CloseThenMore", get + "Connection: close\r\n\r\n" + second, {200}, true, one_get},
    {"UnknownPath", "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n", {404}, false, {"GET /nowhere"}},
    {"UnknownMethod", "BREW /a HTTP/1.1\r\nHost: a\r\n\r\n", {200}, false, {"BREW /a"}},
    {"Post", post + "Content-Length: 5\r\n\r\nhello", {200}, false, one_post},
    {"PostEmpty", post + "Content-Length: 0\r\n\r\n", {200}, false, one_post},
    {"PostWithoutLength", post + "\r\n", {200}, false, one_post},
    {"PostChunked", chunked + "5\r\nhello\r\n0\r\n\r\n", {200}, false, one_post},
    {"PostChunkedWithTrailer", chunked + "5\r\nhello\r\n0\r\nA: b\r\n\r\n", {200}, false, one_post},
    {"UpgradeIsIgnored",
     get + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
     {200},
     false,
     one_get},
    {"ExpectationOn10IsIgnored",
     "POST /post HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi",
     {200},
     true,
     one_post},

    // Two requests where only one may be seen.
    {"LengthAndChunked",
     post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"ChunkedAndLength",
     post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"DifferentLengths",
     post + "Content-Length: 0\r\nContent-Length: 35\r\n\r\n" + second,
     {400},
     true,
     none},
    {"LengthsAsList", post + "Content-Length: 0, 35\r\n\r\n" + second, {400}, true, none},
    {"NegativeLength", post + "Content-Length: -1\r\n\r\n" + second, {400}, true, none},
    {"PlusLength", post + "Content-Length: +0\r\n\r\n" + second, {400}, true, none},
    {"HugeLength",
     post + "Content-Length: 18446744073709551616\r\n\r\n" + second,
     {400},
     true,
     none},
    {"SpaceBeforeColonOfCoding",
     post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"SpaceBeforeColonOfLength", post + "Content-Length : 35\r\n\r\n" + second, {400}, true, none},
    {"FoldedCoding",
     post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"FoldedLength", post + "X: y\r\n Content-Length: 35\r\n\r\n" + second, {400}, true, none},
    {"CodingOn10",
     "POST /post HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"UnknownCoding", post + "Transfer-Encoding: xchunked\r\n\r\n" + second, {501}, true, none},
    {"IdentityCoding",
     post + "Transfer-Encoding: identity\r\nX: y\r\n\r\n" + second,
     {501},
     true,
     none},
    {"CodingInTwoFields",
     post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"BareLfInHead",
     "POST /post HTTP/1.1\r\nHost: a\r\nX: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"BareCrInHead",
     post + "X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
     {400},
     true,
     none},
    {"NulInHead", post + std::string("X: \0\r\n", 6) + "\r\n" + second, {400}, true, none},
    {"BareLfChunks", chunked + "5\nhello\n0\n\n" + second, {400}, true, one_post},
    {"BareLfAfterChunk", chunked + "5\r\nhello\n0\r\n\r\n" + second, {400}, true, one_post},
    {"BareLfInExtension",
     chunked + "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n" + second,
     {400},
     true,
     one_post},
    {"ChunkTooShort", chunked + "4\r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"ChunkTooLong", chunked + "6\r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"ChunkSizeSigned", chunked + "+5\r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"ChunkSizeWithX", chunked + "0x5\r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"ChunkSizeOverflow",
     chunked + "10000000000000005\r\nhello\r\n0\r\n\r\n" + second,
     {400},
     true,
     one_post},
    {"ChunkSizeNegative", chunked + "-5\r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"ChunkSizeEmpty", chunked + "\r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"ChunkSizeWithSpace", chunked + "5 \r\nhello\r\n0\r\n\r\n" + second, {400}, true, one_post},
    {"FramingInTrailer",
     chunked + "0\r\nContent-Length: 35\r\n\r\n" + second,
     {400},
     true,
     one_post},
    {"BodyOfGetIsNoRequest", get + "Content-Length: 35\r\n\r\n" + second, {413}, false, one_get},
    {"ChunkedBodyOfGetIsNoRequest",
     get + "Transfer-Encoding: chunked\r\n\r\n23\r\n" + second + "\r\n0\r\n\r\n",
     {413},
     false,
     one_get},
    {"BodyOfRefusedIsNoRequest",
     "POST /denied HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + second,
     {401},
     false,
     {"POST /denied"}},
    {"BodyOfUnknownIsNoRequest",
     "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + second,
     {404},
     false,
     {"POST /nowhere"}},
    {"LargeBodyOfRefusedCloses",
     "POST /denied HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + second +
         std::string(1965, 'x'),
     {401},
     true,
     {"POST /denied"}},
    {"EndlessBodyOfRefusedCloses",
     "POST /denied HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + second +
         std::string(1965, 'x') + "\r\n" + second,
     {401},
     true,
     {"POST /denied"}},

    // Request lines and targets.
    {"NoVersion", "GET /a\r\n\r\n", {400}, true, none},
    {"Version09", "GET /a HTTP/0.9\r\n\r\n", {505}, true, none},
    {"Version2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {505}, true, none},
    {"Version3", "GET /a HTTP/3.0\r\nHost: a\r\n\r\n" + second, {505}, true, none},
    {"NotHttp", "EHLO example.org\r\n", {400}, true, none},
    {"Garbage", "\x01\x02\x03\x04\r\n\r\n", {400}, true, none},
    {"TwoEmptyLinesBefore", "\r\n\r\n" + get + "\r\n", {400}, true, none},
    {"Connect", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", {501}, true, none},
    {"AuthorityFormOfGet", "GET a:443 HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"AsteriskOfGet", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"OtherScheme", "GET ftp://a/a HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"AbsoluteFormOfOtherHost", "GET http://b/a HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"DotDot", "GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"EncodedDotDot", "GET /%2e%2e/b HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"EncodedSlash", "GET /a%2fb HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"EncodedNul", "GET /a%00 HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"OverlongUtf8", "GET /%c0%ae HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"RawUtf8", "GET /\xC3\xA4 HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},
    {"Fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", {400}, true, none},

    // Fields.
    {"NoHost", "GET /a HTTP/1.1\r\n\r\n" + second, {400}, true, none},
    {"TwoHosts", get + "Host: b\r\n\r\n" + second, {400}, true, none},
    {"BadHost", "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n", {400}, true, none},
    {"UnknownExpectation",
     post + "Content-Length: 35\r\nExpect: more\r\n\r\n" + second,
     {417},
     true,
     none},
    {"TwoContentTypes",
     post + "Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 0\r\n\r\n",
     {400},
     true,
     none},

    // Limits.
    {"LongTarget",
     "GET /" + std::string(600, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n",
     {414},
     true,
     none},
    {"EndlessTarget", "GET /" + std::string(3000, 'a'), {414}, true, none},
    {"ManyFields",
     [] {
       std::string bytes = get;
       for (int i = 0; i < 25; ++i)
         bytes += "X: y\r\n";
       return bytes + "\r\n";
     }(),
     {431},
     true,
     none},
    {"LargeHead", get + "X: " + std::string(5000, 'x') + "\r\n\r\n", {431}, true, none},
    {"EndlessHead", get + "X: " + std::string(5000, 'x'), {431}, true, none},
    {"LargeBody",
     post + "Content-Length: 100\r\n\r\n" + std::string(100, 'x'),
     {413},
     false,
     one_post},
    {"VeryLargeBody",
     post + "Content-Length: 2000\r\n\r\n" + std::string(2000, 'x'),
     {413},
     true,
     one_post},
    {"LargeChunk",
     chunked + "64\r\n" + std::string(100, 'x') + "\r\n0\r\n\r\n",
     {413},
     true,
     one_post},
    {"ManyChunks",
     [] {
       std::string bytes = chunked;
       for (int i = 0; i < 80; ++i)
         bytes += "1\r\nx\r\n";
       return bytes + "0\r\n\r\n" + second;
     }(),
     {413},
     true,
     one_post},
    {"LongExtension",
     chunked + "5;" + std::string(5000, 'x') + "\r\nhello\r\n0\r\n\r\n",
     {400},
     true,
     one_post},
    {"LongTrailer",
     chunked + "0\r\nX: " + std::string(5000, 'x') + "\r\n\r\n",
     {400},
     true,
     one_post},

    // Bodies of JSON routes.
    {"Json",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; "
     "charset=UTF-8\r\nContent-Length: 2\r\n\r\n{}",
     {200},
     false,
     {"POST /json"}},
    {"JsonSuffix",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: "
     "application/merge-patch+json\r\nContent-Length: 2\r\n\r\n{}",
     {200},
     false,
     {"POST /json"}},
    {"JsonEmpty", "POST /json HTTP/1.1\r\nHost: a\r\n\r\n", {200}, false, {"POST /json"}},
    {"JsonBroken",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
     "2\r\n\r\n{]",
     {400},
     false,
     {"POST /json"}},
    {"JsonTwice",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: "
     "4\r\n\r\n{}{}",
     {400},
     false,
     {"POST /json"}},
    {"JsonAsText",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
     {415},
     false,
     {"POST /json"}},
    {"JsonWithoutType",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
     {415},
     false,
     {"POST /json"}},
    {"JsonInLatin1",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; "
     "charset=latin1\r\nContent-Length: 2\r\n\r\n{}",
     {415},
     false,
     {"POST /json"}},
    {"JsonCompressed",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: "
     "gzip\r\nContent-Length: 2\r\n\r\n{}",
     {415},
     false,
     {"POST /json"}},

    // Pipelines.
    {"TwoGets", get + "\r\n" + get + "\r\n", {200, 200}, false, {"GET /a", "GET /a"}},
    {"PostThenGet",
     post + "Content-Length: 2\r\n\r\nhi" + get + "\r\n",
     {200, 200},
     false,
     {"POST /post", "GET /a"}},
    {"GetThenBroken", get + "\r\n" + "BROKEN\r\n\r\n" + second, {200, 400}, true, one_get},
    {"WorkerThenInlineThenBroken",
     "GET /worker HTTP/1.1\r\nHost: a\r\n\r\n" + get + "\r\nGET / HTTP/1.1\r\n\r\n" + second,
     {200, 200, 400},
     true,
     {"GET /worker", "GET /a"}},
    {"RefusedThenGet",
     "POST /denied HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" + get + "\r\n",
     {401, 200},
     false,
     {"POST /denied", "GET /a"}},
};

INSTANTIATE_TEST_SUITE_P(Raw, Corpus, testing::ValuesIn(cases),
                         [](const auto& tried) { return std::string(tried.param.name); });

TEST(PlainPort, ClosesOnTlsBytesWithoutAnAnswer) {
  TestServer server;
  server.start();
  RawClient client = server.connect();
  client.send(std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  EXPECT_EQ(client.read_all(), "");
  EXPECT_TRUE(client.is_closed_by_peer());
  EXPECT_TRUE(server.planned().empty());
}

}  // namespace
}  // namespace tenon::http::test
