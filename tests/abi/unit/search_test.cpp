#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

TEST(Search, AsksAndGivesWhatWasFound) {
  FakeHost host;
  host.search_result = R"({"items":[{"table":"cards","id":"1","title":"a"}],"more":true})";
  Json found;
  RunningPlugin running(host, Steps{.start = [&](Scripted& plugin) {
                          found = plugin.host().search().find(
                              plugin.database(), Actor::system(),
                              {.text = "a \"b c\"", .tables = {"cards", "notes"}, .limit = 7});
                        }});
  ASSERT_EQ(running.started, TENON_OK) << running.error.message;
  EXPECT_EQ(host.asked, (std::vector<std::string>{"a \"b c\"", "7", "1", "cards", "notes"}));
  EXPECT_EQ(found["items"][0]["title"], "a");
  EXPECT_EQ(found["more"], true);
}

TEST(Search, IsRefusedAsARequestWouldBe) {
  FakeHost host;
  RunningPlugin running(host, Steps{.start = [](Scripted& plugin) {
                          try {
                            plugin.host().search().find_text(plugin.database(), Actor::anonymous(),
                                                             {.text = "a", .tables = {"nothing"}});
                            FAIL() << "it was found";
                          } catch (const Error& error) {
                            EXPECT_EQ(error.status(), 404);
                            EXPECT_EQ(error.code(), "records.unknown_table");
                          }
                        }});
  EXPECT_EQ(running.started, TENON_OK) << running.error.message;
}

TEST(Search, NeedsAnOpenTransaction) {
  FakeHost host;
  RunningPlugin early(host, [](Scripted& plugin) {
    plugin.host().search().find_text(plugin.database(), Actor::system(), {.text = "a"});
  });
  EXPECT_LT(early.created, 0);
  RunningPlugin outside(host, Steps{.start = [](Scripted& plugin) {
                          plugin.database().transaction([&](Transaction& db) {
                            EXPECT_THROW(plugin.host().search().find_text(
                                             plugin.database(), Actor::system(), {.text = "a"}),
                                         Misuse);
                            plugin.host().search().find_text(db, Actor::system(), {.text = "a"});
                          });
                        }});
  EXPECT_EQ(outside.started, TENON_OK) << outside.error.message;
}

}  // namespace
}  // namespace tenon::test
