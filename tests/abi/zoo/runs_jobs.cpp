// No fault: jobs as a plugin should run them, for the tests of jobs; and, on request, handlers as
// no plugin should have them.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <tenon/plugin.hpp>

namespace {

using tenon::JobRun;
using tenon::Request;
using tenon::Response;

std::string name_of(tenon::JobState state) {
  switch (state) {
    case tenon::JobState::waiting:
      return "waiting";
    case tenon::JobState::running:
      return "running";
    case tenon::JobState::done:
      return "done";
    case tenon::JobState::failed:
      return "failed";
    case tenon::JobState::cancelled:
      return "cancelled";
  }
  return "?";
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

tenon::Json facts(const tenon::Job& job) {
  return {{"id", job.id},     {"kind", job.kind},   {"state", name_of(job.state)},
          {"done", job.done}, {"total", job.total}, {"attempts", job.attempts},
          {"text", job.text}, {"error", job.error}};
}

class RunsJobs : public tenon::Plugin {
 public:
  explicit RunsJobs(tenon::Host& host) : Plugin(host) {
    tenon::Jobs& jobs = host.jobs();
    jobs.on("count", [this](const JobRun& run) {
      const int steps = run.payload<int>();
      for (int step = 1; step <= steps; ++step)
        run.progress(step, steps, "step " + std::to_string(step));
      ++counted_;
    });
    jobs.on("throws", [](const JobRun& run) {
      throw std::runtime_error("thrown in attempt " + std::to_string(run.attempt()));
    });
    jobs.on("throws-once", [](const JobRun& run) {
      if (run.attempt() == 1) throw 17;
    });
    jobs.on("fails", [](const JobRun&) { throw tenon::JobFailed("hopeless"); });
    jobs.on("waits", [](const JobRun& run) {
      for (;;) {
        run.stop_if_asked();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    // Never asks whether it should stop; quiesce lets it go.
    jobs.on("deaf", [this](const JobRun&) { wait_for(is_quiescing_); });
    // Not even that does.
    jobs.on("stuck", [this](const JobRun&) { wait_for(is_free_); });
    // Ordered for tomorrow; tried again a day later when it is run before.
    jobs.on("tomorrow", [](const JobRun&) { throw std::runtime_error("not today"); });
    jobs.on("ticks", [this](const JobRun&) { ++ticks_; });
    jobs.schedule({.name = "minutely", .cron = "* * * * *", .kind = "ticks"});

    using tenon::access::everyone;
    tenon::Http& http = host.http();
    http.post("/jobs/{kind}", everyone, {.body = tenon::Body::whole},
              [this](const Request& request) {
                const std::string key = request.query("key", "");
                const std::chrono::milliseconds delay = request.param("kind") == "tomorrow"
                                                            ? std::chrono::hours(24)
                                                            : std::chrono::milliseconds(0);
                const tenon::JobReceipt made = host_jobs().enqueue_text(
                    request.param("kind"), request.body(),
                    {.key = key,
                     .run_at_ms = delay.count() == 0 ? 0 : now_ms() + delay.count(),
                     .max_attempts = request.query<std::uint32_t>("attempts", 0),
                     .backoff = delay.count() == 0 ? std::chrono::milliseconds(1) : delay});
                return Response::json({{"id", made.id}, {"is_new", made.is_new}}, 201);
              });
    http.get("/jobs/{id}", everyone, [this](const Request& request) {
      const auto job = host_jobs().find(request.param("id"));
      if (!job) throw tenon::Error(404, "runs-jobs.none", "There is no such job.");
      return Response::json(facts(*job));
    });
    http.del("/jobs/{id}", everyone, [this](const Request& request) {
      return Response::json(facts(host_jobs().cancel(request.param("id"))));
    });
    http.get("/counted", everyone, [this](const Request&) {
      return Response::json({{"counted", counted_.load()}, {"ticks", ticks_.load()}});
    });
    http.get("/free", everyone, [this](const Request&) {
      release(is_free_);
      return Response::text("freed");
    });
  }

  void quiesce(std::chrono::milliseconds) override { release(is_quiescing_); }

 private:
  tenon::Jobs& host_jobs() { return host().jobs(); }
  void wait_for(const bool& flag) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return flag; });
  }
  void release(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_all();
  }

  std::atomic<int> counted_{0};
  std::atomic<int> ticks_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_quiescing_ = false;
  bool is_free_ = false;
};

}  // namespace

TENON_PLUGIN(RunsJobs)
