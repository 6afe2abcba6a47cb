#include "installer/upgrade_watch.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::plugins {
namespace {

constexpr std::int64_t watch_end = std::chrono::nanoseconds(UpgradeWatch::lasts).count();

TEST(UpgradeWatch, DetectsMoreFailuresFromFiftyRequests) {
  const auto fails_more = &UpgradeWatch::fails_more;
  EXPECT_TRUE(fails_more({100, 0}, {50, 5}));
  EXPECT_FALSE(fails_more({100, 0}, {50, 4}));
  EXPECT_FALSE(fails_more({100, 0}, {49, 49})) << "too few say nothing";
  EXPECT_FALSE(fails_more({0, 0}, {0, 0}));
  EXPECT_TRUE(fails_more({0, 0}, {50, 5})) << "the previous version had no requests";
  EXPECT_FALSE(fails_more({100, 50}, {100, 59})) << "that was so before";
  EXPECT_TRUE(fails_more({100, 50}, {100, 60}));
}

class UpgradeWatchTest : public testing::Test {
 protected:
  void upgrade(const std::string& from, const std::string& to, std::int64_t now) {
    const ResponseCounts before = watch_.take_over("notes");
    watch_.begin({"notes", from, to, 7, before}, now);
  }

  std::map<std::string, ResponseCounts> counts_;
  std::vector<std::string> reported_;
  UpgradeWatch watch_{[this](const std::string& plugin) { return counts_[plugin]; },
                      [this](const WatchedUpgrade& upgrade, const ResponseCounts& since) {
                        reported_.push_back(upgrade.plugin + " " + upgrade.from + " " +
                                            std::to_string(upgrade.before.faults) + "/" +
                                            std::to_string(upgrade.before.requests) + " " +
                                            upgrade.to + " " + std::to_string(since.faults) + "/" +
                                            std::to_string(since.requests));
                      },
                      std::chrono::milliseconds(0)};
};

TEST_F(UpgradeWatchTest, ReportsAFailingUpgradeOnce) {
  counts_["notes"] = {1'000, 2};
  counts_["tasks"] = {1'000, 1'000};
  upgrade("1", "2", 0);
  watch_.look(1);
  EXPECT_TRUE(reported_.empty());
  counts_["notes"] = {1'060, 32};
  watch_.look(2);
  watch_.look(3);
  EXPECT_EQ(reported_, std::vector<std::string>{"notes 1 2/1000 2 30/60"});
}

TEST_F(UpgradeWatchTest, CountsEachVersionSeparately) {
  counts_["notes"] = {100, 100};
  upgrade("1", "2", 0);
  counts_["notes"] = {200, 100};
  upgrade("2", "3", 1);
  counts_["notes"] = {300, 120};
  watch_.look(2);
  EXPECT_EQ(reported_, std::vector<std::string>{"notes 2 0/100 3 20/100"});
}

TEST_F(UpgradeWatchTest, EndsAfterItsTimeOrWithAnotherChange) {
  upgrade("1", "2", 0);
  watch_.look(watch_end);
  counts_["notes"] = {100, 100};
  watch_.look(watch_end + 1);
  EXPECT_TRUE(reported_.empty());
  upgrade("2", "3", 0);
  watch_.take_over("notes");  // it was rolled back
  counts_["notes"] = {200, 200};
  watch_.look(1);
  EXPECT_TRUE(reported_.empty());
}

TEST_F(UpgradeWatchTest, ChecksOnceMoreAtTheEnd) {
  upgrade("1", "2", 0);
  counts_["notes"] = {100, 100};
  watch_.look(watch_end + 1);
  EXPECT_EQ(reported_.size(), 1U);
}

}  // namespace
}  // namespace tenon::plugins
