#include "identity/allowed_hosts.hpp"

#include <string>
#include <vector>

#include "identity/proxy_notice.hpp"
#include "identity/tests/fixture.hpp"

namespace tenon::identity {

using namespace std::chrono_literals;

using AllowedHostsTest = IdentityFixture;
using ProxyNoticeTest = IdentityFixture;

TEST(HostName, IsTheNameWithoutPortInLowerCase) {
  EXPECT_EQ(host_name("app.example.com"), "app.example.com");
  EXPECT_EQ(host_name("App.Example.COM:8443"), "app.example.com");
  EXPECT_EQ(host_name("app.example.com."), "app.example.com");
  EXPECT_EQ(host_name("tenon_backend"), "tenon_backend");
  for (const char* other : {"", ".", "a..b", ".a", "127.0.0.1", "127.0.0.1:80", "1.2.3.4.", "[::1]",
                            "[::1]:80", "a b", "a/b", "a~b", "http://a", "a:b", "*"}) {
    EXPECT_EQ(host_name(other), "") << other;
  }
  EXPECT_EQ(host_name(std::string(64, 'a') + ".b"), "");
  EXPECT_EQ(host_name(std::string(63, 'a') + ".b"), std::string(63, 'a') + ".b");
}

TEST_P(AllowedHostsTest, AllowsAllNamesWithoutAnEntry) {
  EXPECT_FALSE(identity_->hosts().is_enforced());
  EXPECT_TRUE(identity_->hosts().allows("evil.example"));
  EXPECT_FALSE(identity_->hosts().is_known("evil.example"));
}

TEST_P(AllowedHostsTest, AllowsEntriesAddressesAndLocalhost) {
  AllowedHosts& hosts = identity_->hosts();
  EXPECT_TRUE(hosts.add("App.example.com:443"));
  EXPECT_FALSE(hosts.add("app.example.com"));
  for (const char* good :
       {"app.example.com", "APP.example.com:8080", "app.example.com.", "localhost", "localhost:80",
        "LOCALHOST", "127.0.0.1:80", "10.1.2.3", "[::1]:80", "[2001:db8::1]", ""})
    EXPECT_TRUE(hosts.allows(good)) << good;
  for (const char* bad : {"evil.example", "example.com", "app.example.com.evil.example",
                          "127.0.0.1.evil.example", "localhost.evil.example", "a~b", "1.2.3.4x"})
    EXPECT_FALSE(hosts.allows(bad)) << bad;
  EXPECT_TRUE(hosts.remove("app.example.com"));
  EXPECT_FALSE(hosts.remove("app.example.com"));
  EXPECT_TRUE(hosts.allows("evil.example"));
  EXPECT_EQ(refusal([&] { hosts.add("10.0.0.1"); }), "identity.bad_host");
}

TEST_P(AllowedHostsTest, StoresNamesOnly) {
  AllowedHosts& hosts = identity_->hosts();
  for (const char* other : {"localhost:8080", "127.0.0.1:8080", "[::1]:80", ""})
    EXPECT_EQ(hosts.learn(other), "") << other;
  EXPECT_FALSE(hosts.is_enforced());
  EXPECT_EQ(hosts.learn("app.example.com:8080"), "app.example.com");
  reopen();
  EXPECT_TRUE(identity_->hosts().is_enforced()) << "it is stored";
  EXPECT_EQ(identity_->hosts().stored().size(), 1U);
}

TEST_P(AllowedHostsTest, ReadsNamesOfAnotherServer) {
  AllowedHosts other(*database_, [] { return 0; }, {});
  EXPECT_TRUE(identity_->hosts().add("app.example.com"));
  EXPECT_TRUE(other.allows("evil.example"));
  other.reload();
  EXPECT_FALSE(other.allows("evil.example"));
  other.remove("app.example.com");
  EXPECT_FALSE(identity_->hosts().allows("evil.example"));
  identity_->maintain();
  EXPECT_TRUE(identity_->hosts().allows("evil.example"));
}

TEST_P(AllowedHostsTest, AddsConfiguredNamesToStoredOnes) {
  AllowedHosts hosts(*database_, [] { return 0; }, {"one.example"});
  EXPECT_TRUE(hosts.allows("one.example:80"));
  EXPECT_FALSE(hosts.allows("two.example"));
  EXPECT_EQ(hosts.learn("two.example"), "") << "the admin has said which";
  hosts.add("two.example");
  EXPECT_TRUE(hosts.allows("one.example"));
  EXPECT_TRUE(hosts.allows("two.example"));
  const AllowedHosts any(*database_, [] { return 0; }, {"one.example", "*"});
  EXPECT_FALSE(any.is_enforced());
  EXPECT_TRUE(any.is_known("evil.example"));
}

TEST_P(AllowedHostsTest, BoundsStoredNames) {
  AllowedHosts& hosts = identity_->hosts();
  for (std::size_t i = 0; i < AllowedHosts::max_stored; ++i)
    hosts.add("host" + std::to_string(i));
  EXPECT_EQ(refusal([&] { hosts.add("another"); }), "identity.too_many_hosts");
  EXPECT_FALSE(hosts.add("host7")) << "it is there already";
}

TEST_P(ProxyNoticeTest, StoresTheLastOneAndRenewsItHourly) {
  const auto stored = [this] {
    data::Rows rows = database_->query("SELECT peer, seen_ms FROM identity_proxy_notice");
    return rows.next() ? std::string(rows.text(0)) + "@" + std::to_string(rows.integer(1))
                       : std::string();
  };
  int woken = 0;
  std::int64_t now = 10'000'000;
  ProxyNotice notice(
      *database_, [&now] { return now; }, [&woken] { ++woken; });
  notice.store();
  EXPECT_EQ(stored(), "");
  notice.note("127.0.0.1");
  notice.note("172.18.0.2");
  EXPECT_EQ(woken, 1);
  EXPECT_FALSE(notice.is_due());
  notice.store();
  EXPECT_EQ(stored(), "127.0.0.1@10000000");
  now += std::chrono::milliseconds(ProxyNotice::renewal).count() - 1;
  notice.store();
  EXPECT_FALSE(notice.is_due());
  ++now;
  notice.store();
  EXPECT_TRUE(notice.is_due());
  notice.note("172.18.0.2");
  notice.store();
  EXPECT_EQ(stored(), "172.18.0.2@" + std::to_string(now));
}

TENON_ON_BOTH_ENGINES(AllowedHostsTest);
TENON_ON_BOTH_ENGINES(ProxyNoticeTest);

}  // namespace tenon::identity
