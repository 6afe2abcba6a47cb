#include "realtime/topic_filter.hpp"

#include <gtest/gtest.h>

namespace tenon::realtime {
namespace {

TEST(TopicFilter, IsATableAllTablesOrARecord) {
  TopicFilter interest = parse_interest("planner.cards");
  EXPECT_EQ(interest.plugin + "|" + interest.table + "|" + interest.record, "planner|cards|");
  interest = parse_interest("planner.*");
  EXPECT_EQ(interest.plugin + "|" + interest.table + "|" + interest.record, "planner||");
  interest = parse_interest("planner.cards/0190");
  EXPECT_EQ(interest.plugin + "|" + interest.table + "|" + interest.record, "planner|cards|0190");
  EXPECT_EQ(interest.topic, "planner.cards/0190");
}

TEST(TopicFilter, OfTheHostIsNone) {
  EXPECT_TRUE(is_record_topic("planner.cards"));
  for (const char* topic : {"core.plugins", "core.session", "*", "planner", ".x", ""})
    EXPECT_FALSE(is_record_topic(topic)) << topic;
}

TEST(StreamPositions, AreReadAsTheyAreWritten) {
  const StreamPositions positions{{"crm", {"a0", 4}}, {"planner", {"3f", 17}}};
  EXPECT_EQ(print_positions(positions), "crm:a0-4;planner:3f-17");
  EXPECT_EQ(parse_positions(print_positions(positions)), positions);
  EXPECT_EQ(print_positions({}), "");
}

TEST(StreamPositions, WhatIsNoneIsLeftOut) {
  for (const char* text : {"", "12", ";;", "planner", "planner:3f", "planner:3f-", "planner:3f-x",
                           "planner:3f-1x", "-1:planner", "planner:3f-99999999999999999999"})
    EXPECT_TRUE(parse_positions(text).empty()) << text;
  EXPECT_EQ(parse_positions("12;planner:3f-1;x").size(), 1U);
}

}  // namespace
}  // namespace tenon::realtime
