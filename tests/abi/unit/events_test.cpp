#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

using Names = std::vector<std::string>;

TEST(Events, ArePublishedToTheirAudience) {
  FakeHost host;
  RunningPlugin running(
      host,
      Steps{.create =
                [](Scripted& plugin) {
                  plugin.host().events().declare("ticks");
                  plugin.host().events().declare("inside", "test.use");
                },
            .start =
                [](Scripted& plugin) {
                  Events& events = plugin.host().events();
                  events.publish("ticks", {{"a", 1}});
                  events.publish_text("inside", "[1]", Audience::user("ada"));
                  events.publish("ticks", 7, Audience::groups({"g"}).and_users({"bob", "eve"}));
                  events.publish("ticks", nullptr, Audience::users({}));
                  events.publish("ticks", "all", Audience::everyone().and_users({"ada"}));
                }});
  ASSERT_EQ(running.started, TENON_OK) << running.error.message;
  EXPECT_EQ(host.topics,
            (std::map<std::string, std::string>{{"ticks", ""}, {"inside", "test.use"}}));
  ASSERT_EQ(host.published.size(), 5U);
  EXPECT_EQ(host.published[0].data, R"({"a":1})");
  EXPECT_TRUE(host.published[0].is_for_all);
  EXPECT_EQ(host.published[0].transaction, TENON_DB_AUTOCOMMIT);
  EXPECT_FALSE(host.published[1].is_for_all);
  EXPECT_EQ(host.published[1].users, Names{"ada"});
  EXPECT_EQ(host.published[2].users, (Names{"bob", "eve"}));
  EXPECT_EQ(host.published[2].groups, Names{"g"});
  // An empty list of users means no user, not all users.
  EXPECT_FALSE(host.published[3].is_for_all);
  EXPECT_TRUE(host.published[3].users.empty());
  EXPECT_TRUE(host.published[4].is_for_all);
  EXPECT_TRUE(host.published[4].users.empty());
}

TEST(Events, CarryTheirTransaction) {
  FakeHost host;
  RunningPlugin running(
      host, Steps{.create = [](Scripted& plugin) { plugin.host().events().declare("ticks"); },
                  .start =
                      [](Scripted& plugin) {
                        plugin.database().transaction([&](Transaction& db) {
                          plugin.host().events().publish(db, "ticks", {{"a", 1}});
                        });
                      }});
  ASSERT_EQ(running.started, TENON_OK) << running.error.message;
  ASSERT_EQ(host.published.size(), 1U);
  EXPECT_NE(host.published[0].transaction, TENON_DB_AUTOCOMMIT);
}

TEST(Events, AreRejectedWithMessage) {
  FakeHost host;
  RunningPlugin running(
      host, Steps{.start = [](Scripted& plugin) { plugin.host().events().publish("ticks", 1); }});
  EXPECT_LT(running.started, 0);
  EXPECT_STREQ(running.error.name, "events.undeclared_topic");
}

TEST(Events, AreRejectedInCreateAndByOlderHosts) {
  FakeHost host;
  RunningPlugin early(host, [](Scripted& plugin) {
    plugin.host().events().declare("ticks");
    plugin.host().events().publish("ticks", 1);
  });
  EXPECT_LT(early.created, 0);
  EXPECT_TRUE(host.published.empty());
  FakeHost older;
  older.limit(TENON_EVENTS_ID, 0);
  RunningPlugin lacking(older, [](Scripted& plugin) { plugin.host().events().declare("ticks"); });
  EXPECT_LT(lacking.created, 0);
  EXPECT_STREQ(lacking.error.name, "host.unsupported");
}

}  // namespace
}  // namespace tenon::test
