// Small readers of header fields: conditions, ranges, codings, forwarding, queries.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/parser/forwarded.hpp"
#include "http/parser/request.hpp"
#include "http/response/compression.hpp"
#include "http/response/conditional.hpp"
#include "http/response/content_types.hpp"

namespace tenon::http {
namespace {

TEST(Query, ValuesAreDecoded) {
  EXPECT_EQ(query_value("a=b+c%21&d", "a"), "b c!");
  EXPECT_EQ(query_value("a=1&a=2", "a"), "1");
  EXPECT_EQ(query_value("%61=1", "a"), "1");
  EXPECT_EQ(query_value("d", "d"), "");
  EXPECT_EQ(query_value("a=%zz", "a"), "");
  EXPECT_EQ(query_value("a=%4", "a"), "");
  EXPECT_EQ(query_value("", "a"), "");
}

TEST(Coding, IsTakenByWeight) {
  EXPECT_TRUE(accepts_coding("gzip", "gzip"));
  EXPECT_TRUE(accepts_coding("br;q=1.0, GZIP;q=0.8, *;q=0.1", "gzip"));
  EXPECT_TRUE(accepts_coding("*", "gzip"));
  EXPECT_FALSE(accepts_coding("", "gzip"));
  EXPECT_FALSE(accepts_coding("br", "gzip"));
  EXPECT_FALSE(accepts_coding("gzip;q=0", "gzip"));
  EXPECT_FALSE(accepts_coding("gzip; q=0.000", "gzip"));
  EXPECT_FALSE(accepts_coding("*, gzip;q=0", "gzip"));
  EXPECT_FALSE(accepts_coding("*;q=0", "gzip"));
  EXPECT_FALSE(accepts_coding("identity", "gzip"));
}

TEST(Etag, IsMatchedInLists) {
  EXPECT_TRUE(matches_etag("\"a\"", "\"a\"", true));
  EXPECT_TRUE(matches_etag("\"b\", W/\"a\"", "\"a\"", true));
  EXPECT_FALSE(matches_etag("\"b\", W/\"a\"", "\"a\"", false));
  EXPECT_FALSE(matches_etag("W/\"a\"", "W/\"a\"", false));
  EXPECT_TRUE(matches_etag("\"a,b\", \"c\"", "\"c\"", false));
  EXPECT_TRUE(matches_etag("*", "\"a\"", false));
  EXPECT_FALSE(matches_etag("a", "\"a\"", true));
  EXPECT_FALSE(matches_etag("\"a", "\"a\"", true));
  EXPECT_FALSE(matches_etag("\"b\" \"a\"", "\"a\"", true));
  EXPECT_FALSE(matches_etag("", "\"a\"", true));
}

struct RangeCase {
  const char* value;
  RangeKind kind;
  std::uint64_t first;
  std::uint64_t size;
};

TEST(Range, IsReadStrictly) {
  const RangeCase cases[] = {
      {"bytes=0-0", RangeKind::part, 0, 1},
      {"bytes=0-99", RangeKind::part, 0, 100},
      {"bytes=0-1000", RangeKind::part, 0, 100},
      {"bytes=50-", RangeKind::part, 50, 50},
      {"bytes=99-", RangeKind::part, 99, 1},
      {"bytes=-1", RangeKind::part, 99, 1},
      {"bytes=-1000", RangeKind::part, 0, 100},
      {"BYTES=1-2", RangeKind::part, 1, 2},
      {"bytes=100-", RangeKind::unsatisfiable, 0, 0},
      {"bytes=-0", RangeKind::unsatisfiable, 0, 0},
      {"bytes=200-300", RangeKind::unsatisfiable, 0, 0},
      {"bytes=2-1", RangeKind::whole, 0, 0},
      {"bytes=0-1,2-3", RangeKind::whole, 0, 0},
      {"bytes=", RangeKind::whole, 0, 0},
      {"bytes=-", RangeKind::whole, 0, 0},
      {"bytes=a-b", RangeKind::whole, 0, 0},
      {"lines=0-1", RangeKind::whole, 0, 0},
      {"bytes=0-1x", RangeKind::whole, 0, 0},
      {"bytes=+0-1", RangeKind::whole, 0, 0},
      {"bytes=99999999999999999999-", RangeKind::whole, 0, 0},
  };
  for (const RangeCase& expected : cases) {
    ByteRange range;
    EXPECT_EQ(parse_range(expected.value, 100, range), expected.kind) << expected.value;
    if (expected.kind != RangeKind::part) continue;
    EXPECT_EQ(range.first, expected.first) << expected.value;
    EXPECT_EQ(range.size, expected.size) << expected.value;
  }
  ByteRange range;
  EXPECT_EQ(parse_range("bytes=0-", 0, range), RangeKind::unsatisfiable);
}

TEST(Proxies, AreAddressesOrBlocks) {
  const AddressBlocks proxies({"10.0.0.0/8", "192.0.2.1", "2001:db8::/32"});
  for (const char* inside : {"10.1.2.3", "192.0.2.1", "2001:db8::7", "::ffff:10.1.2.3"})
    EXPECT_TRUE(proxies.contains(inside)) << inside;
  for (const char* outside :
       {"11.0.0.1", "192.0.2.2", "2001:db9::1", "", "x", "10.1", "0xa.1.2.3", "10.1.2.3 "}) {
    EXPECT_FALSE(proxies.contains(outside)) << outside;
  }
  for (const char* bad : {"", "10.0.0.0/33", "10.0.0.0/x", "example.org", "10.0.0/8/1"}) {
    EXPECT_THROW(AddressBlocks({bad}), base::Error) << bad;
  }
}

Origin origin_of(std::vector<Field> fields) {
  const AddressBlocks proxies({"10.0.0.0/8", "2001:db8::/32"});
  return forwarded_origin(proxies, "10.0.0.1", fields);
}

TEST(Forwarding, NamesTheLastAddressThatIsNoProxy) {
  EXPECT_EQ(origin_of({{"x-forwarded-for", "1.1.1.1, 198.51.100.7, 10.0.0.2"}}).address,
            "198.51.100.7");
  EXPECT_EQ(
      origin_of({{"x-forwarded-for", "198.51.100.7"}, {"x-forwarded-for", "10.0.0.3"}}).address,
      "198.51.100.7");
  EXPECT_EQ(origin_of({{"x-forwarded-for", "10.0.0.9"}}).address, "10.0.0.9");
  EXPECT_EQ(origin_of({}).address, "10.0.0.1");
  EXPECT_EQ(
      origin_of({{"forwarded", "for=\"[2001:db9::1]:4711\";proto=https, for=10.0.0.2"}}).address,
      "2001:db9::1");
}

TEST(Proxies, CompareTheBitsOfABlock) {
  const AddressBlocks proxies({"172.16.0.0/12", "2001:db8:8000::/33", "198.51.100.255/25"});
  for (const char* inside : {"172.31.255.255", "2001:db8:ffff::1", "198.51.100.128"})
    EXPECT_TRUE(proxies.contains(inside)) << inside;
  for (const char* outside : {"172.32.0.0", "2001:db8:7fff::1", "198.51.100.127", "::172.16.0.1"})
    EXPECT_FALSE(proxies.contains(outside)) << outside;
  const AddressBlocks all({"0.0.0.0/0"});
  EXPECT_TRUE(all.contains("255.0.0.1"));
  EXPECT_FALSE(all.contains("2001:db8::1"));
}

TEST(Forwarding, StopsAtTextThatIsNoAddress) {
  EXPECT_EQ(origin_of({{"x-forwarded-for", "198.51.100.7, unknown, 10.0.0.2"}}).address,
            "10.0.0.2");
  EXPECT_EQ(origin_of({{"x-forwarded-for", "<script>"}}).address, "10.0.0.1");
  EXPECT_EQ(origin_of({{"forwarded", "for=_hidden"}}).address, "10.0.0.1");
  // Older readers take these for 127.0.0.1, 0.0.0.1 and 1.2.0.3.
  for (const char* odd : {"0x7f.1", "1", "1.2.3", "0177.0.0.1"})
    EXPECT_EQ(origin_of({{"x-forwarded-for", odd}}).address, "10.0.0.1") << odd;
}

TEST(Forwarding, WritesAddressesSoThatTheyReadBack) {
  EXPECT_EQ(origin_of({{"x-forwarded-for", "::5"}}).address, "::5");
  EXPECT_EQ(origin_of({{"x-forwarded-for", "2001:DB9:0:0::1"}}).address, "2001:db9::1");
  EXPECT_EQ(origin_of({{"x-forwarded-for", "::ffff:198.51.100.7"}}).address, "198.51.100.7");
}

TEST(Forwarding, SaysWhetherTheFieldsNameTheClient) {
  EXPECT_TRUE(origin_of({{"x-forwarded-for", "198.51.100.7"}}).has_client);
  EXPECT_TRUE(origin_of({{"x-forwarded-for", "10.0.0.9"}}).has_client);
  EXPECT_FALSE(origin_of({{"x-forwarded-for", "unknown"}}).has_client);
  EXPECT_FALSE(origin_of({{"x-forwarded-for", "198.51.100.7, unknown, 10.0.0.2"}}).has_client);
  EXPECT_FALSE(origin_of({{"x-forwarded-proto", "https"}}).has_client);
}

TEST(Forwarding, ReadsTheClaimOfAnyProxy) {
  const auto claim = [](std::vector<Field> fields) {
    Request request;
    request.fields = fields;
    return claimed_client(request);
  };
  EXPECT_EQ(claim({{"x-forwarded-for", "1.1.1.1, 198.51.100.7"}}), "198.51.100.7");
  EXPECT_EQ(claim({{"forwarded", "for=198.51.100.7"}}), "198.51.100.7");
  EXPECT_EQ(claim({{"x-forwarded-for", "1.1.1.1, unknown"}}), "");
  EXPECT_EQ(claim({{"x-forwarded-proto", "https"}}), "");
}

TEST(Addresses, AreOfThisMachineOrOfLocalNetworks) {
  for (const char* loopback : {"127.0.0.1", "127.1.2.3", "::1"}) {
    EXPECT_TRUE(is_loopback(loopback)) << loopback;
    EXPECT_TRUE(is_local_network(loopback)) << loopback;
  }
  for (const char* local : {"10.1.2.3", "172.18.0.2", "192.168.1.1", "fd00::1", "fe80::1"}) {
    EXPECT_FALSE(is_loopback(local)) << local;
    EXPECT_TRUE(is_local_network(local)) << local;
  }
  for (const char* other : {"198.51.100.7", "172.32.0.1", "2001:db8::1", "::2", ""}) {
    EXPECT_FALSE(is_loopback(other)) << other;
    EXPECT_FALSE(is_local_network(other)) << other;
  }
}

TEST(Forwarding, SaysWhetherTheClientCameOverTls) {
  EXPECT_TRUE(origin_of({{"x-forwarded-proto", "HTTPS"}}).is_secure);
  EXPECT_FALSE(origin_of({{"x-forwarded-proto", "https, http"}}).is_secure);
  EXPECT_TRUE(origin_of({{"forwarded", "for=198.51.100.7;Proto=https"}}).is_secure);
  EXPECT_FALSE(
      origin_of({{"forwarded", "proto=https"}, {"x-forwarded-for", "198.51.100.7"}}).is_secure);
  EXPECT_FALSE(origin_of({}).is_secure);
}

TEST(RequestId, IsTakenWhenItIsPlain) {
  EXPECT_TRUE(is_sane_request_id("aZ09._-"));
  EXPECT_FALSE(is_sane_request_id(""));
  EXPECT_FALSE(is_sane_request_id("a b"));
  EXPECT_FALSE(is_sane_request_id("a\"b"));
  EXPECT_FALSE(is_sane_request_id(std::string(65, 'a')));
}

TEST(ContentType, FollowsTheExtension) {
  EXPECT_EQ(content_type_of("a/b.min.JS"), "text/javascript; charset=utf-8");
  EXPECT_EQ(content_type_of("a.woff2"), "font/woff2");
  EXPECT_EQ(content_type_of("README"), "application/octet-stream");
  EXPECT_EQ(content_type_of("a.unknown"), "application/octet-stream");
}

}  // namespace
}  // namespace tenon::http
