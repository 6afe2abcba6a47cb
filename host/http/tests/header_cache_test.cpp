#include "http/parser/header_cache.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/limits.hpp"

namespace tenon::http {
namespace {

constexpr std::string_view browser =
    "Host: example.org\r\nUser-Agent: Mozilla/5.0 (X11)\r\nAccept: */*\r\n"
    "Cookie:  tenon_session=0123456789 \r\nX-Empty:\r\nAccept-Language: de\r\n\r\n";

struct Reading {
  std::string text;
  std::vector<Field> fields;
  Head head;
};

// One I/O thread that reads heads as a connection does.
class Reader {
 public:
  explicit Reader(Limits limits = {}) : limits_(limits) {}

  bool knows(std::string_view bytes) const {
    return static_cast<bool>(memory_.find(bytes, limits_));
  }
  // False when the head is refused or not complete.
  bool read(std::string_view bytes, Reading& out) {
    if (const HeaderCache::CachedHead found = memory_.find(bytes, limits_)) {
      HeaderCache::get(found, bytes, out.text, out.fields, out.head);
      return true;
    }
    HeadScanner scanner;
    if (scanner.scan(bytes, limits_) != HeadScanner::Result::complete) return false;
    out.text = bytes.substr(0, scanner.size());
    if (parse_head(out.text, limits_, out.fields, out.head) != nullptr) return false;
    memory_.put(bytes.substr(0, scanner.size()), out.text, out.fields, out.head);
    return true;
  }
  bool read(std::string_view bytes) {
    Reading ignored;
    return read(bytes, ignored);
  }
  void learn(std::string_view bytes) {
    ASSERT_TRUE(read(bytes));
    ASSERT_TRUE(read(bytes));
    ASSERT_TRUE(knows(bytes));
  }

 private:
  const Limits limits_;
  HeaderCache memory_{0x1234567890abcdef};
};

std::string request(std::string_view line, std::string_view tail = browser) {
  return std::string(line) + " HTTP/1.1\r\n" + std::string(tail);
}

void expect_equal(const Reading& one, const Reading& other) {
  EXPECT_EQ(one.text, other.text);
  ASSERT_EQ(one.fields.size(), other.fields.size());
  for (std::size_t i = 0; i < one.fields.size(); ++i) {
    EXPECT_EQ(one.fields[i].name, other.fields[i].name);
    EXPECT_EQ(one.fields[i].value, other.fields[i].value);
    // A view into memory of its own, not into another's.
    EXPECT_GE(one.fields[i].name.data(), one.text.data());
    EXPECT_LE(one.fields[i].value.data() + one.fields[i].value.size(),
              one.text.data() + one.text.size());
  }
  EXPECT_EQ(one.head.method, other.head.method);
  EXPECT_EQ(one.head.target, other.head.target);
  EXPECT_EQ(one.head.host, other.head.host);
  EXPECT_EQ(one.head.content_length, other.head.content_length);
  EXPECT_EQ(one.head.name_lengths, other.head.name_lengths);
  EXPECT_EQ(one.head.is_http11, other.head.is_http11);
  EXPECT_EQ(one.head.is_chunked, other.head.is_chunked);
  EXPECT_EQ(one.head.keep_alive, other.head.keep_alive);
  EXPECT_EQ(one.head.expects_continue, other.head.expects_continue);
}

}  // namespace

TEST(HeaderCache, KnowsAHeadThatCameTwice) {
  Reader reader;
  const std::string head = request("GET /a");
  EXPECT_FALSE(reader.knows(head));
  EXPECT_TRUE(reader.read(head));
  EXPECT_FALSE(reader.knows(head));
  EXPECT_TRUE(reader.read(head));
  EXPECT_TRUE(reader.knows(head));
}

TEST(HeaderCache, ReturnsTheResultsOfTheParser) {
  for (const std::string_view tail :
       {browser, std::string_view("Host: a:1\r\nConnection: close\r\n\r\n"),
        std::string_view("hOST: [::1]\r\ncontent-length: 12\r\nExpect: 100-continue\r\n\r\n"),
        std::string_view("Host: a\r\nTransfer-Encoding: chunked\r\nA-Name-Of-32-Letters-0123456789:"
                         " x\r\n\r\n")}) {
    Reader reader;
    reader.learn(request("GET /first", tail));
    for (const std::string_view line : {"GET /first", "POST /another?x=1", "DELETE *"}) {
      const std::string head = request(line, tail);
      ASSERT_TRUE(reader.knows(head)) << head;
      Reading known;
      Reading fresh;
      ASSERT_TRUE(reader.read(head, known));
      ASSERT_TRUE(Reader().read(head, fresh));
      expect_equal(known, fresh);
    }
  }
}

TEST(HeaderCache, RejectsHeadsThatTheParserRejects) {
  const std::string head = request("GET /a?b");
  Reader taught;
  taught.learn(head);
  for (std::size_t at = 0; at < head.size(); ++at) {
    for (const char byte : {'\0', '\t', '\n', '\r', ' ', ':', 'a', 'A', '0', '\x7F', '\xC3'}) {
      std::string changed = head;
      changed[at] = byte;
      if (!taught.knows(changed)) continue;
      Reading known;
      Reading fresh;
      ASSERT_TRUE(taught.read(changed, known));
      ASSERT_TRUE(Reader().read(changed, fresh)) << at << " " << static_cast<int>(byte);
      expect_equal(known, fresh);
    }
  }
}

TEST(HeaderCache, KnowsWholeHeadsOnly) {
  const std::string head = request("GET /a");
  Reader reader;
  reader.learn(head);
  for (std::size_t size = 0; size < head.size(); ++size)
    EXPECT_FALSE(reader.knows(head.substr(0, size)));
  EXPECT_FALSE(reader.knows(head + "G"));
  EXPECT_FALSE(reader.knows(head + head));
  EXPECT_FALSE(reader.knows("\r\n" + head));
}

TEST(HeaderCache, KnowsNoOtherRequestLine) {
  Reader reader;
  reader.learn(request("GET /a"));
  const std::string tail(browser);
  for (const std::string_view line :
       {"GET /a HTTP/1.0\r\n", "GET /a HTTP/1.1\n", "GET /a HTTP/1.1 \r\n", "GET  /a HTTP/1.1\r\n",
        " GET /a HTTP/1.1\r\n", "GET /a b HTTP/1.1\r\n", "GET HTTP/1.1\r\n", "GET  HTTP/1.1\r\n",
        "G(T /a HTTP/1.1\r\n", "GET /\x80 HTTP/1.1\r\n", "GET /a\r HTTP/1.1\r\n", " HTTP/1.1\r\n",
        "HTTP/1.1\r\n", "\r\n", "GET /a HTTP/2.0\r\n"})
    EXPECT_FALSE(reader.knows(std::string(line) + tail)) << line;
}

TEST(HeaderCache, AllowsUnlistedValuesToChange) {
  Reader reader;
  reader.learn(request("GET /a"));
  std::string other = request("GET /a");
  other.replace(other.find("0123456789"), 10, "9876543210");
  ASSERT_TRUE(reader.knows(other));
  Reading known;
  Reading fresh;
  ASSERT_TRUE(reader.read(other, known));
  ASSERT_TRUE(Reader().read(other, fresh));
  expect_equal(known, fresh);
  // One that would be trimmed, and one that would end the line.
  for (const char* value : {"tenon_session=987654321 ", " enon_session=9876543210",
                            "\tenon_session=9876543210", "tenon_session=98765\r\nx:1"}) {
    std::string odd = other;
    odd.replace(odd.find("tenon_session=9876543210"), 24, value);
    EXPECT_FALSE(reader.knows(odd)) << value;
  }
  std::string another = other;
  another.replace(another.find("X11"), 3, "X12");
  EXPECT_FALSE(reader.knows(another));
}

TEST(HeaderCache, HoldsToTheLimits) {
  Limits limits;
  limits.target = 40;
  limits.head = 250;
  Reader reader(limits);
  reader.learn(request("GET /a"));
  EXPECT_FALSE(reader.knows(request("GET /" + std::string(40, 'a'))));
  EXPECT_FALSE(reader.read(request("GET /" + std::string(40, 'a'))));
  EXPECT_FALSE(reader.knows(request(std::string(100, 'M') + " /a")));

  // The limits of the part after the request line: bytes, fields, and values that are not listed.
  const auto is_kept = [](const std::string& tail) {
    Reader fresh;
    const std::string head = request("GET /a", tail);
    EXPECT_TRUE(fresh.read(head) && fresh.read(head));
    return fresh.knows(head);
  };
  const auto of_size = [](std::size_t size) {
    const std::string frame = "Host: a\r\nAccept: \r\n\r\n";
    return "Host: a\r\nAccept: " + std::string(size - frame.size(), 'x') + "\r\n\r\n";
  };
  EXPECT_TRUE(is_kept(of_size(HeaderCache::max_bytes)));
  EXPECT_FALSE(is_kept(of_size(HeaderCache::max_bytes + 1)));
  const auto with = [](std::size_t count, const std::string& field) {
    std::string tail = "Host: a\r\n";
    for (std::size_t i = 0; i < count; ++i)
      tail += field;
    return tail + "\r\n";
  };
  EXPECT_TRUE(is_kept(with(HeaderCache::max_fields - 1, "Accept: a\r\n")));
  EXPECT_FALSE(is_kept(with(HeaderCache::max_fields, "Accept: a\r\n")));
  EXPECT_TRUE(is_kept(with(HeaderCache::max_unlisted, "X-Secret: a\r\n")));
  EXPECT_FALSE(is_kept(with(HeaderCache::max_unlisted + 1, "X-Secret: a\r\n")));
  EXPECT_TRUE(is_kept("Host: ab\r\n\r\n"));
  EXPECT_FALSE(is_kept("Host: a\r\n\r\n"));  // shorter than what is hashed
}

TEST(HeaderCache, IsNotFloodedByHeadsThatComeOnce) {
  Reader reader;
  const std::string head = request("GET /a");
  reader.learn(head);
  for (int i = 0; i < 10'000; ++i)
    reader.read(request("GET /a", "Host: a\r\nAccept: " + std::to_string(i) + "\r\n\r\n"));
  EXPECT_TRUE(reader.knows(head));
  // Those that come twice take each other's places, and each is still read right.
  for (int i = 0; i < 1000; ++i) {
    const std::string text = std::to_string(i);
    const std::string other = request("GET /a", "Host: a\r\nAccept: " + text + "\r\n\r\n");
    for (int round = 0; round < 3; ++round) {
      Reading reading;
      ASSERT_TRUE(reader.read(other, reading));
      ASSERT_EQ(reading.fields[1].value, text);
    }
  }
  reader.learn(head);
}

TEST(HeaderCache, DoesNotKeepHeadsOfHttp10) {
  Reader reader;
  const std::string head = "GET / HTTP/1.0\r\nHost: example.org\r\nAccept: */*\r\n\r\n";
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(reader.read(head));
  EXPECT_FALSE(reader.knows(head));
}

}  // namespace tenon::http
