#include "jobs/store.hpp"

#include <gtest/gtest.h>

#include "jobs/schedule_store.hpp"
#include "jobs/tests/host_file.hpp"

namespace tenon::jobs {
namespace {

using test::code_of;
using test::minute;
using test::start;

class StoreTest : public data::test::EachEngine {
 protected:
  NewJob job(const std::string& key = {}) {
    NewJob made{.plugin = "notes", .kind = "index"};
    made.payload = R"({"n":1})";
    made.key = key;
    return made;
  }
  std::string add(const std::string& key = {}) { return store_.enqueue(job(key), start).id; }
  Job claim(const std::string& id, std::int64_t at = start) {
    return *store_.claim(id, "host-1", at, at + minute);
  }

  test::HostFile file_;
  Store store_{file_.database()};
};

TEST_P(StoreTest, StoresAJobAndClaimsItOnce) {
  const std::string id = add();
  const Job kept = *store_.find(id);
  EXPECT_EQ(kept.state, State::waiting);
  EXPECT_EQ(kept.payload, R"({"n":1})");
  EXPECT_EQ(store_.first_due("notes", "index")->id, id);
  EXPECT_EQ(store_.first_due("notes", "other"), std::nullopt);
  EXPECT_FALSE(store_.claim(id, "early", start - 1, start)) << "not due yet";
  const Job claimed = claim(id);
  EXPECT_EQ(claimed.attempts, 1);
  EXPECT_EQ(claimed.runner, "host-1");
  EXPECT_FALSE(store_.claim(id, "host-2", start, start + minute)) << "one runner at a time";
}

TEST_P(StoreTest, KeepsAKeyUniqueWhileItsJobWaits) {
  const std::string first = add("k");
  EXPECT_EQ(add("k"), first);
  const Job running = claim(first);
  const std::string second = add("k");
  EXPECT_NE(second, first);
  // The first one waits again like the second, which has the key.
  store_.finish(running, {Outcome::Kind::retry, "no"}, {}, false, start, 0);
  EXPECT_EQ(store_.find(first)->state, State::waiting);
  EXPECT_EQ(add("k"), second);
  store_.cancel(second, {}, start);
  EXPECT_NE(add("k"), first);
}

TEST_P(StoreTest, WaitsLongerForEachRetry) {
  NewJob wanted = job();
  wanted.max_attempts = 3;
  wanted.backoff_ms = 1000;
  wanted.backoff_cap_ms = 1500;
  const std::string id = store_.enqueue(wanted, start).id;
  const Job first = *store_.finish(claim(id), {Outcome::Kind::retry, "one"}, {}, false, start, 1);
  EXPECT_EQ(first.run_at_ms, start + 1000);
  EXPECT_EQ(first.error, "one");
  const Job second = *store_.finish(claim(id, start + 1000), {Outcome::Kind::retry, "two"}, {},
                                    false, start + 1000, 0);
  EXPECT_EQ(second.run_at_ms, start + 1000 + 750) << "half of the cap, without luck";
  const Job third = *store_.finish(claim(id, start + minute), {Outcome::Kind::retry, "three"},
                                   {3, 4, "x"}, false, start + minute, 0);
  EXPECT_EQ(third.state, State::failed);
  EXPECT_EQ(third.progress.done, 3);
  EXPECT_EQ(third.finished_ms, start + minute);
  EXPECT_EQ(code_of([&] { store_.cancel(id, {}, start); }), "jobs.finished");
  const Job again = store_.retry(id, start + minute);
  EXPECT_EQ(again.state, State::waiting);
  EXPECT_EQ(again.attempts, 0);
  EXPECT_EQ(code_of([&] { store_.retry(id, start); }), "jobs.not_retryable");
}

TEST_P(StoreTest, DoesNotCountAttemptsOfStoppedPlugins) {
  const std::string id = add();
  const Job again = *store_.finish(claim(id), {Outcome::Kind::retry, ""}, {}, true, start + 5, 1);
  EXPECT_EQ(again.attempts, 0);
  EXPECT_EQ(again.run_at_ms, start + 5);
}

TEST_P(StoreTest, DoesNotRetryAPermanentFailure) {
  const std::string id = add();
  const Job failed = *store_.finish(claim(id), {Outcome::Kind::fail, "bad"}, {}, false, start, 0);
  EXPECT_EQ(failed.state, State::failed);
  EXPECT_EQ(failed.attempts, 1);
}

TEST_P(StoreTest, ReleasesAJobAfterItsLease) {
  const std::string id = add();
  const Job lost = claim(id);
  const auto none = [](std::string_view) { return false; };
  EXPECT_TRUE(store_.release_expired(start + minute, none).empty());
  EXPECT_TRUE(store_.beat(lost, {1, 2, "half"}, start + 2 * minute).is_held);
  EXPECT_TRUE(store_.release_expired(start + minute + 1, none).empty()) << "a heartbeat came";
  EXPECT_TRUE(
      store_.release_expired(start + 3 * minute, [&](auto held) { return held == id; }).empty());
  const auto released = store_.release_expired(start + 3 * minute, none);
  ASSERT_EQ(released.size(), 1);
  EXPECT_EQ(released[0].state, State::waiting);
  const Job second = *store_.claim(id, "host-2", start + 3 * minute, start + 4 * minute);
  EXPECT_FALSE(store_.beat(lost, {}, start + 9 * minute).is_held);
  EXPECT_FALSE(store_.finish(lost, {}, {}, false, start, 0)) << "it is another one's by now";
  EXPECT_EQ(store_.finish(second, {}, {}, false, start, 0)->state, State::done);
}

TEST_P(StoreTest, FailsAJobThatKillsItsRunners) {
  NewJob wanted = job();
  wanted.max_attempts = 1;
  const std::string id = store_.enqueue(wanted, start).id;
  claim(id);
  store_.release_expired(start + 2 * minute, [](std::string_view) { return false; });
  EXPECT_EQ(store_.find(id)->state, State::failed);
}

TEST_P(StoreTest, CancelsWaitingAndRunningJobs) {
  const std::string waiting = add();
  EXPECT_EQ(code_of([&] { store_.cancel(waiting, "other", start); }), "jobs.unknown");
  EXPECT_EQ(store_.cancel(waiting, "notes", start).state, State::cancelled);
  const Job running = claim(add());
  EXPECT_EQ(store_.cancel(running.id, {}, start).state, State::running);
  EXPECT_TRUE(store_.beat(running, {}, start).is_cancel_asked);
  EXPECT_EQ(store_.finish(running, {Outcome::Kind::retry, ""}, {}, false, start, 0)->state,
            State::cancelled);
}

TEST_P(StoreTest, FiltersAndPagesLists) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(add());
  claim(ids[2]);
  Page page = store_.list({}, 2, {});
  EXPECT_EQ(page.items[0].id, ids[4]);
  EXPECT_EQ(page.next, ids[3]);
  page = store_.list({}, 10, page.next);
  EXPECT_EQ(page.items.size(), 3);
  EXPECT_EQ(page.next, "");
  EXPECT_EQ(store_.list({.state = State::running}, 9, {}).items.at(0).id, ids[2]);
  EXPECT_EQ(store_.list({.plugin = "notes"}, 9, {}).items.size(), 5);
  EXPECT_TRUE(store_.list({.plugin = "other", .state = State::waiting}, 9, {}).items.empty());
}

TEST_P(StoreTest, TrimsFinishedJobsByAgeAndNumber) {
  for (std::size_t i = 0; i < max_finished + 20; ++i)
    store_.cancel(add(), {}, start);
  const std::string newest = store_.list({}, 1, {}).items.at(0).id;
  store_.trim(start);
  std::int64_t kept = 0;
  store_.count([&](auto, auto, std::int64_t count) { kept = count; });
  EXPECT_EQ(kept, max_finished);
  EXPECT_TRUE(store_.find(newest));
  store_.trim(start + retained_ms + 1);
  EXPECT_FALSE(store_.find(newest));
}

TEST_P(StoreTest, BoundsWaitingJobsOfAPlugin) {
  file_.database().exec(
      "INSERT INTO jobs_jobs WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
      "i + 1 < ?1) SELECT 'job-' || i, 'notes', 'index', '{}', 'waiting', 0, 1, 1, 1, 1, NULL, "
      "NULL, '', 0, 0, 0, '', '', 1, 0, 0, '', 0 FROM n",
      {max_waiting});
  add();
  EXPECT_EQ(code_of([&] { add(); }), "jobs.too_many");
  NewJob other = job();
  other.plugin = "other";
  EXPECT_TRUE(store_.enqueue(other, start).is_new);
}

TEST(NewJobs, AreChecked) {
  const auto with = [](auto&& change) {
    NewJob job{.plugin = "p", .kind = "k"};
    change(job);
    return code_of([&] { check(job); });
  };
  EXPECT_EQ(with([](NewJob&) {}), "none");
  EXPECT_EQ(with([](NewJob& job) { job.kind = "A b"; }), "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.payload = "{"; }), "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.payload = "1,2"; }), "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.payload = ""; }), "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.payload = std::string(max_payload_bytes + 1, ' '); }),
            "jobs.too_large");
  EXPECT_EQ(with([](NewJob& job) { job.key = std::string(max_key_bytes + 1, 'k'); }),
            "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.max_attempts = max_attempts + 1; }), "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.backoff_ms = 0; }), "jobs.invalid");
  EXPECT_EQ(with([](NewJob& job) { job.backoff_cap_ms = max_backoff_ms + 1; }), "jobs.invalid");
}

TEST_P(StoreTest, RunsAMissedScheduleOnce) {
  ScheduleStore schedules(file_.database());
  const auto declared = [](bool runs_missed) {
    std::vector<ActiveSchedule> one;
    one.emplace_back("notes", Schedule{"nightly", "0 3 * * *", "UTC", "clean", "{}", runs_missed});
    return one;
  };
  constexpr std::int64_t day = 24 * 60 * minute;
  auto active = declared(true);
  schedules.declare("notes", active, start);
  EXPECT_EQ(active[0].next_ms, start + 180 * minute);
  const auto writes = file_.database().statistics().writes;
  active = declared(true);
  schedules.declare("notes", active, start);
  EXPECT_EQ(file_.database().statistics().writes, writes) << "nothing changed";
  EXPECT_FALSE(schedules.fire(active[0], start)) << "not due";
  // The host was down for three runs.
  active = declared(true);
  schedules.declare("notes", active, start + 3 * day);
  auto of_another_host = active[0];
  const auto made = schedules.fire(active[0], start + 3 * day);
  ASSERT_TRUE(made && made->is_new);
  EXPECT_EQ(store_.find(made->id)->schedule, "nightly");
  EXPECT_FALSE(schedules.fire(active[0], start + 3 * day));
  EXPECT_FALSE(schedules.fire(of_another_host, start + 3 * day)) << "one host alone fires";
  EXPECT_EQ(active[0].next_ms, start + 3 * day + 180 * minute);
  // The next one finds the first still waiting.
  EXPECT_FALSE(schedules.fire(active[0], start + 4 * day)->is_new);

  active = declared(false);
  schedules.declare("notes", active, start + 9 * day);
  EXPECT_FALSE(schedules.fire(active[0], start + 9 * day)) << "missed runs are left out";
  active.clear();
  schedules.declare("notes", active, start);
  EXPECT_FALSE(file_.database().query("SELECT 1 FROM jobs_schedules").next());
}

TENON_ON_BOTH_ENGINES(StoreTest);

}  // namespace
}  // namespace tenon::jobs
