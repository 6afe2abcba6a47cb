#include "config/values.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "config/nearest.hpp"

namespace tenon::config {

using namespace std::chrono_literals;

TEST(Values, SizesHaveUnitsAndBounds) {
  EXPECT_EQ(read_size("65536", 0, 1 << 20), 65'536U);
  EXPECT_EQ(read_size("64KiB", 0, 1 << 20), 65'536U);
  EXPECT_EQ(read_size("1MiB", 0, 1 << 20), 1U << 20);
  for (const char* text : {"", "KiB", "64kb", "64 KiB", "-1", "1.5MiB", "2MiB",
                           "99999999999999999999", "18446744073709551615GiB"}) {
    EXPECT_THROW(read_size(text, 0, 1 << 20), std::invalid_argument) << text;
  }
  EXPECT_THROW(read_size("1", 2, 3), std::invalid_argument);
}

TEST(Values, RegistriesAreUrlsOrAbsoluteFolders) {
  for (const char* text : {"https://plugins.example/tenon/", "http://[::1]:80", "/srv/registry"})
    EXPECT_EQ(read_registry_location(text), text);
  for (const char* text : {"", "ftp://host/", "registry", "./registry", "HTTPS://host", "/a\nb"})
    EXPECT_THROW(read_registry_location(text), std::invalid_argument) << text;
  EXPECT_NO_THROW(read_registry_location(std::string(2000, '/')));
  EXPECT_THROW(read_registry_location(std::string(2001, '/')), std::invalid_argument);
}

TEST(Values, DurationsNeedTheirUnit) {
  EXPECT_EQ(read_duration("500ms", 1ms, 24h), 500ms);
  EXPECT_EQ(read_duration("12h", 1ms, 24h), 12h);
  EXPECT_EQ(read_duration("1d", 1ms, 24h), 24h);
  for (const char* text : {"", "30", "s", "2d", "0s", "1w", "10 s"}) {
    EXPECT_THROW(read_duration(text, 1ms, 24h), std::invalid_argument) << text;
  }
}

TEST(Values, EndpointsAreHostAndPort) {
  EXPECT_EQ(read_endpoint("127.0.0.1:0").port, 0);
  EXPECT_EQ(read_endpoint("[::1]:8080").host, "::1");
  EXPECT_EQ(read_endpoint("localhost:80").host, "localhost");
  for (const char* text : {"", "8080", ":8080", "host", "host:", "host:70000", "::1:80", "[::1]",
                           "[x]:1", "http://a:1", "a b:1", "h:-1"}) {
    EXPECT_THROW(read_endpoint(text), std::invalid_argument) << text;
  }
}

TEST(Values, NetworksAreAddressesOrBlocks) {
  for (const char* text : {"10.0.0.0/8", "127.0.0.1", "::1", "fd00::/8", "0.0.0.0/0"})
    EXPECT_EQ(read_network(text), text);
  for (const char* text :
       {"", "10.0.0.0/33", "fd00::/129", "proxy", "10.0.0.0/", "10.0.0/8", "/8"}) {
    EXPECT_THROW(read_network(text), std::invalid_argument) << text;
  }
  EXPECT_THROW(read_network(std::string_view("::1\0x", 5)), std::invalid_argument);
}

TEST(Values, RatiosAreFromNoneToAll) {
  EXPECT_EQ(read_ratio("0"), 0);
  EXPECT_EQ(read_ratio("0.25"), 0.25);
  EXPECT_EQ(read_ratio("1"), 1);
  for (const char* text : {"", "-0.1", "1.01", "10%", "nan", "inf", "0x1", "1e-3", " 0", "0,5"})
    EXPECT_THROW(read_ratio(text), std::invalid_argument) << text;
}

TEST(Values, UrlsArePlainHttpWithoutSecrets) {
  for (const char* text :
       {"http://127.0.0.1:4318/v1/traces", "http://[::1]:4318/", "http://collector"})
    EXPECT_EQ(read_http_url(text), text);
  for (const char* text :
       {"", "https://a/", "a/b", "http://", "http:///x", "http://user:pw@a/", "http://a:0/",
        "http://a:99999/", "http://a b/", "http://a/\r\nX: y", "http://a/#x", "ftp://a"}) {
    EXPECT_THROW(read_http_url(text), std::invalid_argument) << text;
  }
}

TEST(Values, ListsIgnoreSpaceAndEmptyParts) {
  EXPECT_EQ(split_list(" a, b,,c ,"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(split_list(" , ").empty());
}

TEST(Values, AreShownWithTheLargestUnit) {
  EXPECT_EQ(show_size(65'536), "64KiB");
  EXPECT_EQ(show_size(1025), "1025");
  EXPECT_EQ(show_size(0), "0");
  EXPECT_EQ(show_duration(90s), "90s");
  EXPECT_EQ(show_duration(24h), "1d");
}

TEST(Nearest, FindsWhatWasMeantOrNothing) {
  const std::vector<std::string> known{"listen", "log.level", "http.head"};
  EXPECT_EQ(nearest("listne", known), "listen");
  EXPECT_EQ(nearest("log.levle", known), "log.level");
  EXPECT_EQ(nearest("htp.head", known), "http.head");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), known), "");
}

}  // namespace tenon::config
