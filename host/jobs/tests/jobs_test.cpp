#include "jobs/jobs.hpp"

#include <future>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "events/bus.hpp"
#include "jobs/tests/host_file.hpp"
#include "observability/metrics.hpp"

namespace tenon::jobs {
namespace {

using namespace std::chrono_literals;

class Handlers final : public Runner {
 public:
  using Handler = std::function<Outcome(Attempt&)>;
  Handlers(std::string plugin, Handler handler)
      : plugin_(std::move(plugin)), handler_(std::move(handler)) {}
  const std::string& plugin() const noexcept override { return plugin_; }
  std::vector<std::string> kinds() const override { return {"work"}; }
  Outcome run(Attempt& run) noexcept override { return handler_(run); }

 private:
  std::string plugin_;
  Handler handler_;
};

class JobsTest : public data::test::EachEngine {
 protected:
  std::string add(const std::string& plugin = "notes") {
    NewJob job{.plugin = plugin, .kind = "work"};
    job.backoff_ms = 1;
    job.backoff_cap_ms = 1;
    return jobs_.enqueue(job).id;
  }
  void attach(Handlers::Handler handler, const std::string& plugin = "notes") {
    jobs_.attach(std::make_shared<Handlers>(plugin, std::move(handler)), {});
  }
  // The job once it is in a state.
  Job wait(const std::string& id, State state) {
    for (int i = 0; i < 2000; ++i) {
      const auto job = jobs_.store().find(id);
      if (job && job->state == state) return *job;
      std::this_thread::sleep_for(5ms);
    }
    ADD_FAILURE() << "never " << to_string(state);
    return *jobs_.store().find(id);
  }

  test::HostFile file_;
  events::Bus bus_;
  observability::Metrics metrics_;
  std::mutex mutex_;
  std::vector<std::string> events_;
  std::unique_ptr<events::Subscription> subscription_ =
      bus_.subscribe({"core.jobs"}, [this](const std::shared_ptr<const events::Event>& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event->data);
      });
  Jobs jobs_{file_.database(), bus_, metrics_};
};

TEST_P(JobsTest, RunsAJobOnceItsPluginIsAttached) {
  const std::string id = add();
  attach([](Attempt& run) {
    run.set_progress({2, 4, "half"});
    return Outcome{};
  });
  const Job job = wait(id, State::done);
  EXPECT_EQ(job.progress.text, "half");
  EXPECT_EQ(job.attempts, 1);
  wait(add(), State::done);
  jobs_.stop();
  const std::lock_guard lock(mutex_);
  ASSERT_GE(events_.size(), 4);
  EXPECT_NE(events_[0].find(R"("state":"running")"), std::string::npos) << events_[0];
  EXPECT_NE(events_[1].find(R"("state":"done","attempts":1,"progress":{"done":2)"),
            std::string::npos)
      << events_[1];
  const std::string text = metrics_.prometheus();
  EXPECT_NE(text.find(R"(tenon_jobs_kept{plugin="notes",state="done"} 2)"), std::string::npos);
  EXPECT_NE(text.find(R"(tenon_jobs_runs_total{plugin="notes",outcome="done"} 2)"),
            std::string::npos)
      << text;
}

TEST_P(JobsTest, RetriesAFailedAttempt) {
  std::atomic<int> runs{0};
  const std::string id = add();
  attach([&](Attempt& run) {
    EXPECT_EQ(run.job.attempts, ++runs);
    return runs < 3 ? Outcome{Outcome::Kind::retry, "not yet"} : Outcome{};
  });
  EXPECT_EQ(wait(id, State::done).attempts, 3);
}

TEST_P(JobsTest, NotifiesARunningJobOfItsCancel) {
  std::promise<void> running;
  const std::string id = add();
  attach([&](Attempt& run) {
    running.set_value();
    while (!run.should_stop())
      std::this_thread::sleep_for(1ms);
    return Outcome{Outcome::Kind::retry, "cancelled"};
  });
  running.get_future().wait();
  EXPECT_EQ(jobs_.cancel(id).state, State::running);
  wait(id, State::cancelled);
}

TEST_P(JobsTest, LeavesThreadsForOtherPlugins) {
  std::atomic<int> busy{0};
  std::atomic<int> max{0};
  std::atomic<bool> is_open{false};
  for (int i = 0; i < 4; ++i)
    add("greedy");
  attach(
      [&](Attempt&) {
        max = std::max<int>(max, ++busy);
        while (!is_open)
          std::this_thread::sleep_for(1ms);
        --busy;
        return Outcome{};
      },
      "greedy");
  attach([](Attempt&) { return Outcome{}; }, "modest");
  wait(add("modest"), State::done);
  is_open = true;
  for (const Job& job : jobs_.store().list({.plugin = "greedy"}, 9, {}).items)
    wait(job.id, State::done);
  EXPECT_EQ(max, Jobs::share_of(2));
}

TEST_P(JobsTest, ReturnsAJobOfADetachedPlugin) {
  std::promise<void> running;
  const std::string id = add();
  attach([&](Attempt& run) {
    running.set_value();
    while (!run.should_stop())
      std::this_thread::sleep_for(1ms);
    return Outcome{Outcome::Kind::retry, "stopped"};
  });
  running.get_future().wait();
  jobs_.detach("notes");
  EXPECT_TRUE(jobs_.wait_idle("notes", std::chrono::steady_clock::now() + 10s));
  EXPECT_EQ(wait(id, State::waiting).attempts, 0);
  attach([](Attempt&) { return Outcome{}; });
  wait(id, State::done);
}

TEST_P(JobsTest, GivesUpAStuckHandlerAndRunsOthers) {
  auto is_open = std::make_shared<std::atomic<bool>>(false);
  auto has_ended = std::make_shared<std::promise<void>>();
  std::promise<void> running;
  const std::string id = add();
  attach([&running, is_open, has_ended](Attempt&) {
    running.set_value();
    while (!*is_open)
      std::this_thread::sleep_for(1ms);
    has_ended->set_value();
    return Outcome{};
  });
  running.get_future().wait();
  jobs_.detach("notes");
  EXPECT_FALSE(jobs_.wait_idle("notes", std::chrono::steady_clock::now() + 10ms));
  jobs_.give_up("notes");
  // Both threads are there.
  attach([](Attempt&) { return Outcome{}; }, "a");
  attach([](Attempt&) { return Outcome{}; }, "b");
  wait(add("a"), State::done);
  wait(add("b"), State::done);
  EXPECT_EQ(jobs_.store().find(id)->state, State::running) << "until its lease ends";
  jobs_.stop();
  *is_open = true;
  has_ended->get_future().wait();
  EXPECT_EQ(jobs_.store().find(id)->state, State::running) << "what it returned counts no more";
}

TEST_P(JobsTest, RunsJobsOfALostHostAgain) {
  const std::string id = add();
  Store(file_.database()).claim(id, "a host that died", base::unix_milliseconds(), 1);
  attach([](Attempt&) { return Outcome{}; });
  const Job job = wait(id, State::done);
  EXPECT_EQ(job.attempts, 2);
}

TEST_P(JobsTest, FiresASchedule) {
  file_.database().exec(
      "INSERT INTO jobs_schedules VALUES('notes', 'yearly', '@yearly', 'UTC', 'work', 'null', 1)");
  std::vector<ActiveSchedule> schedules;
  schedules.emplace_back("notes", Schedule{"yearly", "@yearly", "UTC", "work"});
  std::promise<std::string> fired;
  jobs_.attach(std::make_shared<Handlers>("notes",
                                          [&](Attempt& run) {
                                            fired.set_value(run.job.schedule);
                                            return Outcome{};
                                          }),
               std::move(schedules));
  auto name = fired.get_future();
  ASSERT_EQ(name.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(name.get(), "yearly");
}

TENON_ON_BOTH_ENGINES(JobsTest);

}  // namespace
}  // namespace tenon::jobs
