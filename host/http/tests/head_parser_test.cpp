#include "http/parser/head_parser.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/limits.hpp"

namespace tenon::http {
namespace {

struct HeadOutcome {
  int status = 0;  // 0: taken
  Head head;
  std::vector<Field> fields;
  std::string bytes;
};

// Scans as if the bytes came `step` at a time, then parses.
HeadOutcome read_head(std::string text, const Limits& limits = {}, std::size_t step = 7) {
  HeadOutcome outcome;
  outcome.bytes = std::move(text);
  HeadScanner scanner;
  HeadScanner::Result result = HeadScanner::Result::more;
  for (std::size_t end = 1; result == HeadScanner::Result::more && end <= outcome.bytes.size();
       end += step) {
    result = scanner.scan(std::string_view(outcome.bytes).substr(0, end), limits);
  }
  if (result == HeadScanner::Result::more) result = scanner.scan(outcome.bytes, limits);
  if (result == HeadScanner::Result::more) outcome.status = -1;
  if (result == HeadScanner::Result::refused) outcome.status = scanner.refusal().status;
  if (result != HeadScanner::Result::complete) return outcome;
  const Refusal* refusal =
      parse_head({outcome.bytes.data(), scanner.size()}, limits, outcome.fields, outcome.head);
  if (refusal != nullptr) outcome.status = refusal->status;
  return outcome;
}

TEST(HeadParser, TakesAnOrdinaryRequest) {
  const HeadOutcome outcome = read_head(
      "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nAccept-Language:  de "
      "\t\r\nX-Empty:\r\n\r\n");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.head.method, "GET");
  EXPECT_EQ(outcome.head.target, "/a?b=c");
  EXPECT_EQ(outcome.head.host, "example.org:8080");
  EXPECT_TRUE(outcome.head.is_http11);
  EXPECT_TRUE(outcome.head.keep_alive);
  EXPECT_FALSE(outcome.head.has_body());
  ASSERT_EQ(outcome.fields.size(), 3U);
  EXPECT_EQ(outcome.fields[1].name, "accept-language");
  EXPECT_EQ(outcome.fields[1].value, "de");
  EXPECT_EQ(outcome.fields[2].value, "");
}

TEST(HeadParser, KnowsWhetherTheConnectionStays) {
  EXPECT_FALSE(read_head("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").head.keep_alive);
  EXPECT_FALSE(
      read_head("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, CLOSE\r\n\r\n").head.keep_alive);
  EXPECT_FALSE(read_head("GET / HTTP/1.0\r\n\r\n").head.keep_alive);
  EXPECT_TRUE(read_head("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").head.keep_alive);
  EXPECT_FALSE(
      read_head("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").head.keep_alive);
  EXPECT_FALSE(read_head("GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n")
                   .head.keep_alive);
}

TEST(HeadParser, ReadsTheFraming) {
  EXPECT_EQ(
      read_head("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n").head.content_length,
      12U);
  EXPECT_TRUE(read_head("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n")
                  .head.is_chunked);
  EXPECT_TRUE(
      read_head("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n")
          .head.expects_continue);
  EXPECT_FALSE(read_head("POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
                   .head.expects_continue);
}

struct Refused {
  const char* name;
  std::string head;
  int status;
};

class HeadParserRefuses : public testing::TestWithParam<Refused> {};

TEST_P(HeadParserRefuses, AtAnyPace) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{5}, std::size_t{100'000}}) {
    EXPECT_EQ(read_head(GetParam().head, {}, step).status, GetParam().status)
        << "in steps of " << step;
  }
}

const std::string get_head = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string post_head = "POST / HTTP/1.1\r\nHost: a\r\n";

INSTANTIATE_TEST_SUITE_P(
    Table, HeadParserRefuses,
    testing::Values(
        Refused{"BareLfInRequestLine", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
        Refused{"BareLfInField", "GET / HTTP/1.1\r\nHost: a\n\r\n", 400},
        Refused{"BareLfOnly", "\n\n", 400}, Refused{"BareCr", get_head + "A: b\rC: d\r\n\r\n", 400},
        Refused{"FoldedLine", get_head + "A: b\r\n c\r\n\r\n", 400},
        Refused{"FoldedLineWithTab", get_head + "A: b\r\n\tc\r\n\r\n", 400},
        Refused{"FoldedEmptyValue", get_head + "A:\r\n b\r\n\r\n", 400},
        Refused{"FirstFieldFolded", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
        Refused{"SpaceBeforeColon", get_head + "A : b\r\n\r\n", 400},
        Refused{"TabBeforeColon", get_head + "A\t: b\r\n\r\n", 400},
        Refused{"NoColon", get_head + "A b\r\n\r\n", 400},
        Refused{"EmptyName", get_head + ": b\r\n\r\n", 400},
        Refused{"NulInValue", get_head + std::string("A: b\0c\r\n\r\n", 10), 400},
        Refused{"NulInName", get_head + std::string("A\0: b\r\n\r\n", 9), 400},
        Refused{"ControlInValue", get_head + "A: b\x01\r\n\r\n", 400},
        Refused{"DeleteInValue", get_head + "A: b\x7f\r\n\r\n", 400},
        Refused{"NonAsciiName", get_head + "\xC3\xA4: b\r\n\r\n", 400},
        Refused{"TwoSpacesInRequestLine", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"TabInRequestLine", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"SpaceAfterVersion", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
        Refused{"NoTarget", "GET HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"NoVersion", "GET /\r\nHost: a\r\n\r\n", 400},
        Refused{"NoMethod", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"BadMethod", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"LowerCaseProtocol", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"OtherProtocol", "GET / FTP/1.1\r\nHost: a\r\n\r\n", 400},
        Refused{"Version2", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
        Refused{"Version09", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
        Refused{"Version12", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
        Refused{"VersionLong", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
        Refused{"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        Refused{"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        Refused{"TwoHosts", get_head + "Host: b\r\n\r\n", 400},
        Refused{"SameHostTwice", get_head + "Host: a\r\n\r\n", 400},
        Refused{"EmptyHost", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
        Refused{"HostWithSlash", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
        Refused{"HostWithAt", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
        Refused{"HostWithComma", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
        Refused{"HostWithSpace", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
        Refused{"HostWithBadPort", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", 400},
        Refused{"HostWithPortZero", "GET / HTTP/1.1\r\nHost: a:0\r\n\r\n", 400},
        Refused{"HostWithHugePort", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", 400},
        Refused{"HostWithOpenBracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400},
        Refused{"LengthAndChunked",
                post_head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        Refused{"ChunkedAndLength",
                post_head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400},
        Refused{"TwoLengths", post_head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400},
        Refused{"SameLengthTwice", post_head + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n",
                400},
        Refused{"LengthList", post_head + "Content-Length: 3, 3\r\n\r\n", 400},
        Refused{"NegativeLength", post_head + "Content-Length: -1\r\n\r\n", 400},
        Refused{"SignedLength", post_head + "Content-Length: +3\r\n\r\n", 400},
        Refused{"HexLength", post_head + "Content-Length: 0x3\r\n\r\n", 400},
        Refused{"FractionalLength", post_head + "Content-Length: 3.0\r\n\r\n", 400},
        Refused{"EmptyLength", post_head + "Content-Length:\r\n\r\n", 400},
        Refused{"LengthWithText", post_head + "Content-Length: 3 bytes\r\n\r\n", 400},
        Refused{"HugeLength", post_head + "Content-Length: 99999999999999999999\r\n\r\n", 400},
        Refused{"WrappingLength", post_head + "Content-Length: 18446744073709551619\r\n\r\n", 400},
        Refused{"ChunkedOn10", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                400},
        Refused{"GzipCoding", post_head + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
        Refused{"IdentityCoding", post_head + "Transfer-Encoding: identity\r\n\r\n", 501},
        Refused{"ChunkedTwice", post_head + "Transfer-Encoding: chunked, chunked\r\n\r\n", 501},
        Refused{"ChunkedInTwoFields",
                post_head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                400},
        Refused{"ChunkedNotLast", post_head + "Transfer-Encoding: chunked, gzip\r\n\r\n", 501},
        Refused{"ChunkedQuoted", post_head + "Transfer-Encoding: \"chunked\"\r\n\r\n", 501},
        Refused{"ChunkedWithVerticalTab",
                post_head + "Transfer-Encoding: \x0b"
                            "chunked\r\n\r\n",
                400},
        Refused{"ChunkedPrefix", post_head + "Transfer-Encoding: xchunked\r\n\r\n", 501},
        Refused{"EmptyCoding", post_head + "Transfer-Encoding:\r\n\r\n", 501},
        Refused{"UnknownExpectation", post_head + "Content-Length: 1\r\nExpect: 200-ok\r\n\r\n",
                417},
        Refused{"TwoContentTypes", post_head + "Content-Type: a/b\r\nContent-Type: c/d\r\n\r\n",
                400},
        Refused{"TwoAuthorizations", get_head + "Authorization: a\r\nAuthorization: b\r\n\r\n",
                400},
        Refused{"ConnectionNotAList", get_head + "Connection: close; now\r\n\r\n", 400}),
    [](const auto& refused) { return std::string(refused.param.name); });

TEST(HeadParser, BoundsTheTarget) {
  Limits limits;
  limits.target = 100;
  const auto with_target = [&](std::size_t size) {
    return read_head("GET /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", limits)
        .status;
  };
  EXPECT_EQ(with_target(100), 0);
  EXPECT_EQ(with_target(101), 414);
  // Refused before its line ends.
  EXPECT_EQ(read_head("GET /" + std::string(1000, 'a'), limits).status, 414);
}

TEST(HeadParser, BoundsTheFields) {
  Limits limits;
  limits.fields = 3;
  EXPECT_EQ(read_head(get_head + "A: 1\r\nB: 2\r\n\r\n", limits).status, 0);
  EXPECT_EQ(read_head(get_head + "A: 1\r\nB: 2\r\nC: 3\r\n\r\n", limits).status, 431);
}

TEST(HeadParser, BoundsTheHead) {
  Limits limits;
  limits.head = 200;
  EXPECT_EQ(read_head(get_head + "A: " + std::string(100, 'a') + "\r\n\r\n", limits).status, 0);
  EXPECT_EQ(read_head(get_head + "A: " + std::string(200, 'a') + "\r\n\r\n", limits).status, 431);
  EXPECT_EQ(read_head(get_head + "A: " + std::string(300, 'a'), limits).status, 431);
}

TEST(HeadParser, AsksForMoreWhileTheHeadIsIncomplete) {
  EXPECT_EQ(read_head("GET / HTTP/1.1\r\nHost: a\r\n").status, -1);
}

TEST(Host, IsANameOrAnAddress) {
  for (const char* good : {"a", "example.org", "a-b.c_d~e", "127.0.0.1:80", "[::1]",
                           "[2001:db8::1]:8080", "a:65535"}) {
    EXPECT_TRUE(is_valid_host(good)) << good;
  }
  for (const char* bad :
       {"", ":80", "a:", "a:1:2", "[]", "[::1]x", "[::g", "a\\b", "a%41", "a:123456"}) {
    EXPECT_FALSE(is_valid_host(bad)) << bad;
  }
  EXPECT_FALSE(is_valid_host(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_valid_host(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace tenon::http
