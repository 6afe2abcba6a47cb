#include "jobs/clock_watch.hpp"

#include <gtest/gtest.h>

#include "jobs/schedule_store.hpp"
#include "jobs/tests/host_file.hpp"

namespace tenon::jobs {
namespace {

using test::minute;
using test::start;

constexpr std::int64_t day_ms = 24 * 60 * minute;
constexpr std::int64_t ahead = start + 2 * day_ms;

class ClockWatchTest : public data::test::EachEngine {
 protected:
  std::string add(std::int64_t at, std::int64_t run_at = 0) {
    NewJob made{.plugin = "notes", .kind = "index"};
    made.payload = "null";
    made.run_at_ms = run_at;
    made.backoff_ms = minute;
    made.backoff_cap_ms = minute;
    return store_.enqueue(made, at).id;
  }
  std::int64_t due(const std::string& id) { return store_.find(id)->run_at_ms; }
  bool looks(std::int64_t at) { return watch_.went_back(at); }

  test::HostFile file_;
  Store store_{file_.database()};
  ClockWatch watch_{store_, std::chrono::milliseconds(minute)};
};

TEST_P(ClockWatchTest, LeavesCorrectTimesAlone) {
  const std::string now = add(start);
  const std::string later = add(start, ahead);
  const std::string running = add(start);
  store_.claim(running, "host-1", start, start + minute);
  EXPECT_FALSE(looks(start));
  EXPECT_FALSE(looks(ahead)) << "forward is none of its business";
  EXPECT_FALSE(looks(ahead - ClockWatch::tolerated.count()));
  EXPECT_EQ(due(now), start);
  EXPECT_EQ(due(later), ahead);
  EXPECT_EQ(store_.find(running)->lease_until_ms, start + minute);
}

TEST_P(ClockWatchTest, KeepsDueJobsDueAndDelays) {
  EXPECT_FALSE(looks(ahead));
  const std::string now = add(ahead);
  const std::string in_an_hour = add(ahead, ahead + 60 * minute);
  const std::string planned = add(start, start + 10 * day_ms);
  const std::string tried = add(start);
  store_.finish(*store_.claim(tried, "host-1", ahead, ahead + minute), {Outcome::Kind::retry, "no"},
                {}, false, ahead, 1);
  EXPECT_EQ(due(tried), ahead + minute);
  const std::string running = add(start);
  store_.claim(running, "host-1", ahead, ahead + minute);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(looks(start), i == 0) << "once";
    EXPECT_EQ(due(now), start);
    EXPECT_EQ(due(in_an_hour), start + 60 * minute);
    EXPECT_EQ(due(planned), start + 10 * day_ms);
    EXPECT_EQ(due(tried), start + minute);
    EXPECT_EQ(store_.find(running)->lease_until_ms, start + minute);
  }
}

TEST_P(ClockWatchTest, FindsTimesOfAnEarlierProcess) {
  const std::string waiting = add(ahead);
  const std::string tried = add(start);
  store_.finish(*store_.claim(tried, "host-1", start, start + minute), {Outcome::Kind::retry, "no"},
                {}, false, ahead, 1);
  EXPECT_FALSE(looks(start)) << "schedules are reckoned at a start";
  EXPECT_EQ(due(waiting), start);
  EXPECT_EQ(due(tried), start) << "no pause is that long";
}

TEST_P(ClockWatchTest, MovesSchedulesToTheNewTime) {
  ScheduleStore schedules(file_.database());
  std::vector<ActiveSchedule> declared;
  Schedule hourly;
  hourly.name = "hourly";
  hourly.cron = "0 * * * *";
  hourly.kind = "index";
  declared.emplace_back("notes", hourly);
  schedules.declare("notes", declared, ahead);
  EXPECT_EQ(declared[0].next_ms, ahead + 60 * minute);
  schedules.set_back(declared[0], start);
  EXPECT_EQ(declared[0].next_ms, start + 60 * minute);
  EXPECT_TRUE(schedules.fire(declared[0], start + 60 * minute));
  schedules.set_back(declared[0], start + 60 * minute);
  EXPECT_EQ(declared[0].next_ms, start + 120 * minute) << "not back, not again";
}

TENON_ON_BOTH_ENGINES(ClockWatchTest);

}  // namespace
}  // namespace tenon::jobs
