#include "jobs/cron.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "jobs/time_zone.hpp"

namespace tenon::jobs {
namespace {

// 2026-01-01T00:00:00Z, a Thursday.
constexpr std::int64_t new_year = 1'767'225'600;

std::string next(const char* cron, std::int64_t after, const char* zone = "UTC") {
  const std::int64_t found = Cron::parse(cron).next(after, TimeZone::find(zone));
  return base::rfc3339(found * 1000).substr(0, 16);
}

std::string refusal(const char* text) {
  try {
    Cron::parse(text);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "jobs.cron_invalid");
    return error.message();
  }
  return {};
}

TEST(Cron, ReadsNamesRangesListsAndSteps) {
  EXPECT_EQ(next("* * * * *", new_year), "2026-01-01T00:01");
  EXPECT_EQ(next("*/15 * * * *", new_year + 1), "2026-01-01T00:15");
  EXPECT_EQ(next("5,10-20/5 3 * * *", new_year), "2026-01-01T03:05");
  EXPECT_EQ(next("0 12 * FEB,mar *", new_year), "2026-02-01T12:00");
  EXPECT_EQ(next("30 6 * * mon-fri", new_year + 2 * 86'400), "2026-01-05T06:30");
  EXPECT_EQ(next("0 0 * * sat-sun", new_year + 3 * 86'400), "2026-01-10T00:00");
  EXPECT_EQ(next("0 0 * * 7", new_year), "2026-01-04T00:00");
  EXPECT_EQ(next("  0\t0  29 2 * ", new_year), "2028-02-29T00:00");
}

TEST(Cron, MatchesEitherOfTwoDayFields) {
  EXPECT_EQ(next("0 0 20 * mon", new_year), "2026-01-05T00:00");
  EXPECT_EQ(next("0 0 2 * mon", new_year), "2026-01-02T00:00");
  EXPECT_EQ(next("0 0 */2 * mon", new_year), "2026-01-05T00:00");
}

TEST(Cron, ReplacesShortNamesByFields) {
  EXPECT_EQ(next("@hourly", new_year), "2026-01-01T01:00");
  EXPECT_EQ(next("@daily", new_year), "2026-01-02T00:00");
  EXPECT_EQ(next("@midnight", new_year), "2026-01-02T00:00");
  EXPECT_EQ(next("@weekly", new_year), "2026-01-04T00:00");
  EXPECT_EQ(next("@monthly", new_year), "2026-02-01T00:00");
  EXPECT_EQ(next("@yearly", new_year), "2027-01-01T00:00");
  EXPECT_EQ(next("@annually", new_year), "2027-01-01T00:00");
}

TEST(Cron, NamesTheInvalidField) {
  EXPECT_NE(refusal("60 * * * *").find("\"60\" is no minute"), std::string::npos);
  EXPECT_NE(refusal("* 24 * * *").find("hour"), std::string::npos);
  EXPECT_NE(refusal("* * 0 * *").find("day"), std::string::npos);
  EXPECT_NE(refusal("* * * foo *").find("month"), std::string::npos);
  EXPECT_NE(refusal("* * * * 8").find("weekday"), std::string::npos);
  EXPECT_NE(refusal("0 0 30 feb *").find("such a day"), std::string::npos);
  for (const char* text : {"", "* * * *", "* * * * * *", "@never", "5-1 * * * *", "*/0 * * * *",
                           "5/2 * * * *", "1,,2 * * * *", "-1 * * * *", "+1 * * * *",
                           "1-2-3 * * * *", "* * * * fri-mon", "0x1 * * * *", "*/ * * * *"})
    EXPECT_FALSE(refusal(text).empty()) << text;
  EXPECT_FALSE(refusal(std::string(Cron::max_bytes + 1, ' ').c_str()).empty());
}

TEST(Cron, RunsAtTheEndOfAGap) {
  const std::int64_t eve = 1'774'652'400;  // 2026-03-28T00:00 in Berlin; the 29th has no 02:30
  EXPECT_EQ(next("30 2 * * *", eve, "Europe/Berlin"), "2026-03-28T01:30");
  EXPECT_EQ(next("30 2 * * *", eve + 86'400, "Europe/Berlin"), "2026-03-29T01:00");
  EXPECT_EQ(next("30 2 * * *", 1'774'746'000, "Europe/Berlin"), "2026-03-30T00:30");
  EXPECT_EQ(next("0,30 2,3 * * *", eve + 86'400, "Europe/Berlin"), "2026-03-29T01:00");
  EXPECT_EQ(next("0,30 2,3 * * *", 1'774'746'000, "Europe/Berlin"), "2026-03-29T01:30");
}

TEST(Cron, RunsARepeatedTimeOnce) {
  const std::int64_t day = 1'792'879'200;  // 2026-10-25T00:00 in Berlin
  EXPECT_EQ(next("30 2 * * *", day, "Europe/Berlin"), "2026-10-25T00:30");
  EXPECT_EQ(next("30 2 * * *", day + 9'000, "Europe/Berlin"), "2026-10-26T01:30");
  EXPECT_EQ(next("0 * * * *", day + 7'200, "Europe/Berlin"), "2026-10-25T02:00");
}

TEST(TimeZone, RefusesUnknownZones) {
  for (const char* name : {"Mars/Olympus", "../UTC", "/etc/passwd", "Europe"}) {
    try {
      TimeZone::find(name);
      ADD_FAILURE() << name;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), "jobs.time_zone_unknown");
    }
  }
  EXPECT_EQ(next("0 0 * * *", new_year, ""), "2026-01-02T00:00");
  EXPECT_EQ(next("0 0 * * *", new_year, "Asia/Kolkata"), "2026-01-01T18:30");
}

// Every local minute from a scan, in a zone with both changes.
TEST(Cron, AgreesWithAScanOfMinutes) {
  for (const char* zone_name :
       {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}) {
    const TimeZone zone = TimeZone::find(zone_name);
    for (const char* text : {"7 */6 * * *", "30 2 * * *", "59 23 31 * *", "15 1 * 3,10,11 sun"}) {
      const Cron cron = Cron::parse(text);
      std::int64_t expected = cron.next(new_year, zone);
      for (std::int64_t at = new_year + 60; at < new_year + 366 * 86'400; at += 60) {
        const LocalMinute local = zone.local(at);
        if (at < expected) {
          EXPECT_FALSE(cron.matches(local) && zone.instant(local) == at) << zone_name << text << at;
          continue;
        }
        // Due at its minute, or at the end of a gap that has it.
        EXPECT_TRUE(cron.matches(local) || zone.local(at - 60) != zone.local(at - 120)) << at;
        expected = cron.next(at, zone);
        ASSERT_GT(expected, at);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::jobs
