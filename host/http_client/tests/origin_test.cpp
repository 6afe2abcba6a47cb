#include <stdexcept>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "http_client/limits.hpp"
#include "http_client/origin_pattern.hpp"
#include "http_client/public_address.hpp"
#include "http_client/url.hpp"

namespace tenon::http_client {
namespace {

TEST(OriginPattern, MatchesSchemeHostAndPort) {
  struct Case {
    const char* pattern;
    const char* url;
    bool matches;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"https://api.example.com", "https://api.example.com/v1?x=y", true},
           {"https://api.example.com", "https://API.example.com.:443/", true},
           {"https://api.example.com", "http://api.example.com/", false},
           {"https://api.example.com", "https://api.example.com:8443/", false},
           {"https://api.example.com", "https://api.example.com.evil.example/", false},
           {"https://api.example.com", "https://evil.example/?https://api.example.com", false},
           {"https://*.example.com", "https://a.b.example.com", true},
           {"https://*.example.com", "https://example.com", false},
           {"https://*.example.com", "https://evilexample.com", false},
           {"http://localhost:8080", "http://localhost:8080", true},
           {"http://localhost:8080", "http://localhost", false},
           {"http://[::1]:81", "http://[0:0::1]:81/", true},
           {"https://*", "https://anything.example", true},
           {"https://*", "https://anything.example:444", false},
           {"https://*:*", "https://anything.example:444", true},
           {"https://*:*", "http://anything.example:444", false},
       }) {
    EXPECT_EQ(OriginPattern(one.pattern).matches(parse_url(one.url)), one.matches)
        << one.pattern << " " << one.url;
  }
}

TEST(OriginPattern, RefusesOtherForms) {
  for (const char* text : {"",
                           "example.com",
                           "ftp://example.com",
                           "https://",
                           "https://example.com/",
                           "https://example.com/path",
                           "https://*.com",
                           "https://*example.com",
                           "https://a.*.example",
                           "https://user@example.com",
                           "https://Example.com",
                           "https://example.com:0",
                           "https://example.com:65536",
                           "https://example.com:",
                           "https://[::1",
                           "https://[x]",
                           "https://example..com",
                           "https://example.com?x",
                           "HTTPS://example.com",
                           "https://**"})
    EXPECT_THROW(OriginPattern{text}, std::invalid_argument) << text;
}

TEST(Url, KeepsTheTargetAsItWasWritten) {
  const Url url = parse_url("https://Example.com:8443/a%2Fb/../c?d=%20e#part");
  EXPECT_EQ(url.text(), "https://example.com:8443/a%2Fb/../c?d=%20e");
  EXPECT_EQ(parse_url("http://example.com").target, "/");
  EXPECT_EQ(parse_url("http://example.com?q").target, "/?q");
  EXPECT_EQ(parse_url("http://[2001:DB8::1]/").authority(), "[2001:db8::1]");
}

TEST(Url, RefusesWhatIsNoUrl) {
  for (const std::string& text :
       {std::string("example.com"), std::string("file:///etc/passwd"), std::string("https://"),
        std::string("https://user:word@example.com/"), std::string("https://example.com/a b"),
        std::string("https://example.com\\@evil.example/"), std::string("http://exa mple/"),
        std::string("https://example.com/\r\nHost: x"), std::string("http://[::1"),
        std::string("http:/example.com"), std::string("http://ex%61mple.com/"),
        "http://example.com/" + std::string(Limits::url, 'x')}) {
    EXPECT_THROW(parse_url(text), base::Error) << text;
  }
}

TEST(Url, ResolvesLocations) {
  const Url from = parse_url("https://example.com:8443/a/b?c");
  for (const auto& [location, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/x%2Fy", "https://example.com:8443/x%2Fy"},
           {"//other.example/x", "https://other.example/x"},
           {"http://other.example", "http://other.example/"},
           {"c?next=http://other.example/",
            "https://example.com:8443/a/c?next=http://other.example/"},
           {"../d", "https://example.com:8443/d"}})
    EXPECT_EQ(resolve(from, location).text(), text);
  for (const char* location : {"", "file:///etc/passwd", "javascript:alert(1)"})
    EXPECT_THROW(resolve(from, location), base::Error) << location;
}

TEST(PublicAddress, RefusesSpecialNetworks) {
  for (const char* text : {"8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8",
                           "64:ff9b::808:808"})
    EXPECT_TRUE(is_public(Poco::Net::IPAddress(text))) << text;
  for (const char* text : {"0.0.0.0",
                           "10.1.2.3",
                           "100.64.0.1",
                           "127.0.0.1",
                           "127.9.9.9",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.192",
                           "192.168.1.1",
                           "198.18.0.1",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "fe80::1",
                           "fc00::1",
                           "fd00:ec2::254",
                           "ff02::1",
                           "::ffff:127.0.0.1",
                           "::ffff:169.254.169.254",
                           "::127.0.0.1",
                           "64:ff9b::7f00:1",
                           "64:ff9b::a9fe:a9fe",
                           "2002:7f00:1::",
                           "2001:0:7f00:1::",
                           "2001:db8::1",
                           "fec0::1"})
    EXPECT_FALSE(is_public(Poco::Net::IPAddress(text))) << text;
}

TEST(ReachableAddresses, AddsTheNetworksOfTheAdmin) {
  const ReachableAddresses reachable({"10.0.0.0/8", "::1"});
  for (const char* text : {"10.1.2.3", "::ffff:10.1.2.3", "::1", "8.8.8.8"})
    EXPECT_TRUE(reachable.contains(Poco::Net::IPAddress(text))) << text;
  for (const char* text : {"127.0.0.1", "192.168.0.1", "::2"})
    EXPECT_FALSE(reachable.contains(Poco::Net::IPAddress(text))) << text;
}

}  // namespace
}  // namespace tenon::http_client
