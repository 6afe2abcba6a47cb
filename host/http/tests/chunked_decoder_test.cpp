#include "http/parser/chunked_decoder.hpp"

#include <string>

#include <gtest/gtest.h>

namespace tenon::http {
namespace {

struct DecodeOutcome {
  std::string body;
  std::string rest;
  bool is_complete = false;
  bool has_failed = false;
};

// Feeds the bytes as if they came `step` at a time.
DecodeOutcome decode(std::string_view bytes, std::size_t step) {
  ChunkedDecoder decoder;
  DecodeOutcome outcome;
  std::string waiting;
  std::size_t at = 0;
  while (!outcome.is_complete && !outcome.has_failed) {
    const ChunkedDecoder::Step result = decoder.next(waiting);
    outcome.body += result.data;
    waiting.erase(0, result.consumed);
    outcome.is_complete = result.is_complete;
    outcome.has_failed = result.has_failed;
    if (result.consumed > 0 || outcome.is_complete || outcome.has_failed) continue;
    if (at >= bytes.size()) break;
    waiting += bytes.substr(at, step);
    at += step;
  }
  outcome.rest = waiting + (at < bytes.size() ? std::string(bytes.substr(at)) : std::string());
  return outcome;
}

TEST(ChunkedDecoder, DecodesAtAnyPace) {
  const std::string bytes =
      "5\r\nhello\r\n6;a=b;c=\"d;e\"\r\n world\r\n00\r\nTrailer: x\r\n\r\nGET /next";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const DecodeOutcome outcome = decode(bytes, step);
    EXPECT_EQ(outcome.body, "hello world");
    EXPECT_TRUE(outcome.is_complete);
    EXPECT_EQ(outcome.rest, "GET /next") << "in steps of " << step;
  }
}

TEST(ChunkedDecoder, DecodesAnEmptyBody) {
  const DecodeOutcome outcome = decode("0\r\n\r\n", 1);
  EXPECT_TRUE(outcome.is_complete);
  EXPECT_EQ(outcome.body, "");
}

TEST(ChunkedDecoder, WaitsForTheEnd) {
  const DecodeOutcome outcome = decode("5\r\nhello\r\n0\r\n", 3);
  EXPECT_FALSE(outcome.is_complete);
  EXPECT_FALSE(outcome.has_failed);
}

TEST(ChunkedDecoder, BoundsLinesAndTrailersAtAnyPace) {
  const std::size_t max = ChunkedDecoder::max_line;
  const auto line = [](std::size_t size) {
    return "1;" + std::string(size - 4, 'a') + "\r\nx\r\n0\r\n\r\n";
  };
  const auto trailer = [](std::size_t size) {
    std::string text = "0\r\n";
    while (text.size() + 20 < size)
      text += "A: b\r\n";
    return text + "B:" + std::string(size - text.size() - 6, 'c') + "\r\n\r\n";
  };
  for (const std::size_t step : {std::size_t{1}, std::size_t{16}, std::size_t{17}, 2 * max}) {
    EXPECT_TRUE(decode(line(max), step).is_complete) << step;
    EXPECT_TRUE(decode(line(max + 1), step).has_failed) << step;
    EXPECT_TRUE(decode(trailer(max), step).is_complete) << step;
    EXPECT_TRUE(decode(trailer(max + 1), step).has_failed) << step;
  }
}

class ChunkedDecoderRefuses : public testing::TestWithParam<std::string> {};

TEST_P(ChunkedDecoderRefuses, AtAnyPace) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{100'000}}) {
    const DecodeOutcome outcome = decode(GetParam(), step);
    EXPECT_TRUE(outcome.has_failed) << "in steps of " << step;
    EXPECT_FALSE(outcome.is_complete);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, ChunkedDecoderRefuses,
    testing::Values(
        "5\nhello\n0\n\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
        "5\r\nhell\r\n0\r\n\r\n", "x\r\n\r\n", "-5\r\nhello\r\n", "+5\r\nhello\r\n",
        "0x5\r\nhello\r\n\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "5 hello\r\nhello\r\n",
        "fffffffffffffffff\r\n", "5;\r\nhello\r\n", "5;=a\r\nhello\r\n", "5;a=\r\nhello\r\n",
        "5;a=\"b\nc\"\r\nhello\r\n", std::string("5;a=\"b\0\"\r\nhello\r\n", 17),
        "5\r\nhello\r\n0\r\nBad Trailer\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n",
        "0\r\nTransfer-Encoding: chunked\r\n\r\n", "\r\n5\r\nhello\r\n", "0\r\nA: b\r\n c\r\n\r\n",
        "0\r\n A: b\r\n\r\n", "5;a=\"b\r\nhello\r\n0\r\n\r\n", "5;a=\"b\\\"\r\nhello\r\n0\r\n\r\n",
        "5;" + std::string(5000, 'a'), "0\r\nA: " + std::string(5000, 'a'),
        std::string(5000, '0') + "5\r\nhello\r\n0\r\n\r\n",
        "5;" + std::string(5000, 'a') + "\r\nhello\r\n",
        "0;" + std::string(3000, 'a') + "\r\nA: " + std::string(3000, 'a') + "\r\n\r\n"));

}  // namespace
}  // namespace tenon::http
