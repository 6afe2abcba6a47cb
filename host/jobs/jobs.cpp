#include "jobs/jobs.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "events/bus.hpp"
#include "jobs/clock_watch.hpp"
#include "jobs/job_event.hpp"
#include "jobs/schema.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"

namespace tenon::jobs {

namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds progress_interval{1'000};  // between two reports of progress
constexpr milliseconds trouble_pause{1'000};      // after the database refused
constexpr std::size_t trim_after = 100;           // finished jobs

data::Database& prepared(data::Database& database) {
  prepare_tables(database);
  return database;
}

}  // namespace

class Jobs::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(data::Database& database, events::Bus& bus, observability::Metrics& metrics, Options options)
      : store(prepared(database)),
        schedules_(database),
        bus_(bus),
        metrics_(metrics),
        options_(std::move(options)),
        instance_(base::new_id()) {
    if (!options_.clock) options_.clock = [] { return base::unix_milliseconds(); };
  }

  std::int64_t now() const { return options_.clock(); }

  void publish(const Job& job, const Progress& progress) {
    bus_.publish(std::string(jobs_topic), event_of(job, progress));
  }

  void wake() {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
    scheduler_wakes_.notify_one();
  }

  void attach(std::shared_ptr<Runner> runner, std::vector<ActiveSchedule> schedules) {
    schedules_.declare(runner->plugin(), schedules, now());
    auto entry = std::make_shared<PluginEntry>();
    entry->kinds = runner->kinds();
    entry->schedules = std::move(schedules);
    entry->runner = std::move(runner);
    if (entry->kinds.empty() && entry->schedules.empty()) return;
    const std::lock_guard lock(mutex_);
    if (is_stopping_) return;
    plugins_.insert_or_assign(entry->runner->plugin(), entry);
    if (!scheduler_.joinable()) {
      scheduler_ = std::thread([this] { run_scheduler(); });
      for (std::size_t i = 0; i < options_.threads; ++i)
        add_thread();
    }
    fresh_.push_back(std::move(entry));
    scheduler_wakes_.notify_one();
  }

  void detach(std::string_view plugin) {
    std::unique_lock lock(mutex_);
    if (const auto found = plugins_.find(plugin); found != plugins_.end()) {
      // The scheduler may be at work with it.
      found->second->is_attached = false;
      std::erase(fresh_, found->second);
      plugins_.erase(found);
    }
    for (const auto& run : running_) {
      if (run->job.plugin == plugin) run->is_stopped = true;
    }
  }

  bool wait_idle(std::string_view plugin, Steady::time_point until) {
    std::unique_lock lock(mutex_);
    return idle_.wait_until(lock, until, [&] { return running_of(plugin) == 0; });
  }

  void give_up(std::string_view plugin) {
    const std::lock_guard lock(mutex_);
    for (const auto& run : running_) {
      if (run->job.plugin != plugin) continue;
      run->is_given_up = true;
      // One that no thread has taken yet is merely forgotten.
      if (std::erase_if(tasks_, [&](const Task& task) { return task.run == run; }) != 0) continue;
      --threads_;
      if (!is_stopping_) add_thread();
    }
    std::erase_if(running_, [](const auto& run) { return run->is_given_up.load(); });
    is_woken_ = true;
    scheduler_wakes_.notify_one();
    idle_.notify_all();
  }

  void mark_cancelled(std::string_view id) {
    const std::lock_guard lock(mutex_);
    for (const auto& run : running_) {
      if (run->job.id == id) run->is_cancelled = true;
    }
  }

  void stop(milliseconds timeout) {
    std::vector<std::string> plugins;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(is_stopping_, true)) return;
      for (const auto& run : running_) {
        run->is_stopped = true;
        plugins.push_back(run->job.plugin);
      }
      for (auto& [plugin, entry] : plugins_)
        entry->is_attached = false;
      plugins_.clear();
      fresh_.clear();
      scheduler_wakes_.notify_all();
      work_.notify_all();
    }
    const auto until = Steady::now() + timeout;
    for (const std::string& plugin : plugins) {
      if (!wait_idle(plugin, until)) give_up(plugin);
    }
    if (scheduler_.joinable()) scheduler_.join();
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return threads_ == 0; });
  }

  void write_metrics(observability::MetricsSink& sink) {
    store.count([&](std::string_view plugin, std::string_view state, std::int64_t count) {
      sink.gauge("tenon_jobs_kept", "Jobs in the queue, and finished ones that are kept.",
                 {{"plugin", plugin}, {"state", state}}, static_cast<double>(count));
    });
    const std::lock_guard lock(mutex_);
    sink.gauge("tenon_jobs_threads_busy", "Threads that run a job.", {},
               static_cast<double>(running_.size()));
  }

  Store store;

 private:
  // A plugin that is entry. Its schedules are the scheduler's.
  struct PluginEntry {
    std::shared_ptr<Runner> runner;
    std::vector<std::string> kinds;
    std::vector<ActiveSchedule> schedules;
    std::atomic<bool> is_attached{true};
  };
  struct Task {
    std::shared_ptr<Attempt> run;
    std::shared_ptr<Runner> runner;
  };

  std::size_t running_of(std::string_view plugin) const {
    return static_cast<std::size_t>(
        std::count_if(running_.begin(), running_.end(),
                      [&](const auto& run) { return run->job.plugin == plugin; }));
  }

  // With the lock. The thread counts until it ends or is given up.
  void add_thread() {
    ++threads_;
    std::thread([core = shared_from_this()] { core->work(); }).detach();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      work_.wait(lock, [&] { return is_stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) break;
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      const bool is_kept = run(task);
      task = {};
      lock.lock();
      if (!is_kept) return;
    }
    --threads_;
    idle_.notify_all();
  }

  // False when the attempt was given up: another thread has replaced this one, and everything that
  // it uses may be gone.
  bool run(Task& task) {
    Attempt& run = *task.run;
    publish(run.job, {});
    const std::int64_t began = base::monotonic_nanoseconds();
    const Outcome outcome = task.runner->run(run);
    {
      const std::lock_guard lock(mutex_);
      if (run.is_given_up) return false;
      // From here on it is not given up any more.
      std::erase(running_, task.run);
      ending_.push_back(task.run);
    }
    end(run, outcome, began);
    const std::lock_guard lock(mutex_);
    std::erase(ending_, task.run);
    ++finished_;
    is_woken_ = true;
    scheduler_wakes_.notify_one();
    idle_.notify_all();
    return true;
  }

  void end(Attempt& run, const Outcome& outcome, std::int64_t began) {
    try {
      const auto ended =
          store.finish(run.job, outcome, run.progress(), run.is_stopped, now(), chance());
      if (!ended) {
        observability::log_warning("a job was taken by another runner before it ended",
                                   {{"plugin", run.job.plugin}, {"job", run.job.id}});
        return;
      }
      count(*ended, began);
      publish(*ended, ended->progress);
      if (ended->state == State::failed) {
        observability::log_error("a job failed", {{"plugin", ended->plugin},
                                                  {"kind", ended->kind},
                                                  {"job", ended->id},
                                                  {"attempts", ended->attempts},
                                                  {"reason", ended->error}});
      }
    } catch (const std::exception& failure) {
      // It runs again when its lease ends.
      observability::log_error(
          "the end of a job was not kept",
          {{"plugin", run.job.plugin}, {"job", run.job.id}, {"reason", failure.what()}});
    }
  }

  void count(const Job& ended, std::int64_t began) {
    const std::string_view outcome =
        ended.state == State::waiting ? std::string_view("retried") : to_string(ended.state);
    metrics_
        .counter("tenon_jobs_runs_total", "Attempts of jobs, by what became of the job.",
                 {{"plugin", ended.plugin}, {"outcome", outcome}})
        .add();
    metrics_
        .histogram("tenon_jobs_duration_seconds", "How long attempts of jobs ran.",
                   {{"plugin", ended.plugin}})
        .observe(static_cast<double>(base::monotonic_nanoseconds() - began) / 1e9);
  }

  static double chance() {
    thread_local std::minstd_rand random{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(random);
  }

  // The scheduler: fires schedules, frees lost jobs, hands out due jobs, keeps
  // leases.
  void run_scheduler() {
    std::unique_lock lock(mutex_);
    Steady::time_point next{};  // time to look at all
    while (!is_stopping_) {
      const bool is_all = std::exchange(is_woken_, false) || Steady::now() >= next;
      // A start attaches one plugin after the other, and each would have all before it looked at.
      std::vector<std::shared_ptr<PluginEntry>> plugins = std::exchange(fresh_, {});
      if (is_all) {
        plugins.clear();
        for (const auto& [plugin, entry] : plugins_)
          plugins.push_back(entry);
      }
      lock.unlock();
      milliseconds pause = trouble_pause;
      try {
        const bool went_back = is_all && clock_watch_.went_back(now());
        if (is_all) set_free();
        pause = look(std::move(plugins), went_back);
        if (is_all) trim();
      } catch (const std::exception& failure) {
        observability::log_error("the job queue cannot work", {{"reason", failure.what()}});
      }
      lock.lock();
      const Steady::time_point end = Steady::now() + pause;
      next = is_all ? end : std::min(next, end);
      scheduler_wakes_.wait_until(lock, next,
                                  [&] { return is_stopping_ || is_woken_ || !fresh_.empty(); });
    }
  }

  void set_free() {
    beat();
    const auto is_held = [&](std::string_view id) {
      const std::lock_guard lock(mutex_);
      const auto is_it = [&](const auto& run) { return run->job.id == id; };
      return std::any_of(running_.begin(), running_.end(), is_it) ||
             std::any_of(ending_.begin(), ending_.end(), is_it);
    };
    for (const Job& job : store.release_expired(now(), is_held)) {
      observability::log_warning("the runner of a job was lost",
                                 {{"plugin", job.plugin}, {"job", job.id}});
      publish(job, job.progress);
    }
  }

  milliseconds look(std::vector<std::shared_ptr<PluginEntry>> plugins, bool went_back) {
    const std::int64_t at = now();
    milliseconds pause = options_.lease / 3;
    {
      const std::lock_guard lock(mutex_);
      if (!running_.empty()) pause = std::min(pause, progress_interval);
    }
    const auto due_in = [&](std::int64_t time) {
      pause = std::min(pause, milliseconds(std::max<std::int64_t>(time - at, 1)));
    };
    for (const auto& entry : plugins) {
      for (ActiveSchedule& schedule : entry->schedules) {
        if (went_back) schedules_.set_back(schedule, at);
        schedules_.fire(schedule, at);
        due_in(schedule.next_ms);
      }
    }
    // One job for each plugin, again and again, each time beginning with another plugin.
    if (!plugins.empty())
      std::rotate(plugins.begin(),
                  plugins.begin() + static_cast<std::ptrdiff_t>(++rotation_ % plugins.size()),
                  plugins.end());
    while (!plugins.empty()) {
      std::erase_if(plugins, [&](const auto& entry) { return !begin_one(*entry, at, due_in); });
    }
    return pause;
  }

  // False when there is nothing to begin for this plugin now.
  template <typename DueIn>
  bool begin_one(PluginEntry& entry, std::int64_t at, const DueIn& due_in) {
    {
      const std::lock_guard lock(mutex_);
      const std::string& plugin = entry.runner->plugin();
      if (!entry.is_attached || running_.size() + ending_.size() >= options_.threads ||
          running_of(plugin) >= share_of(options_.threads))
        return false;
    }
    std::optional<Store::Due> first;
    for (const std::string& kind : entry.kinds) {
      auto due = store.first_due(entry.runner->plugin(), kind);
      if (due && (!first || due->run_at_ms < first->run_at_ms)) first = std::move(due);
    }
    if (!first) return false;
    if (first->run_at_ms > at) {
      due_in(first->run_at_ms);
      return false;
    }
    auto job = store.claim(first->id, instance_, at, at + options_.lease.count());
    if (!job) return true;
    auto run = std::make_shared<Attempt>(*std::move(job));
    const std::lock_guard lock(mutex_);
    // Detached meanwhile: the handler's gate may be closed, which gives the job back.
    if (!entry.is_attached) run->is_stopped = true;
    running_.push_back(run);
    tasks_.push_back({std::move(run), entry.runner});
    work_.notify_one();
    return true;
  }

  void beat() {
    std::vector<std::shared_ptr<Attempt>> runs;
    const auto at = Steady::now();
    const bool is_due = at - last_beat_ >= options_.lease / 3;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& run : running_) {
        if (is_due || run->has_news) runs.push_back(run);
      }
    }
    if (is_due) last_beat_ = at;
    for (const auto& run : runs) {
      const bool has_news = run->has_news.exchange(false);
      const Progress progress = run->progress();
      const Store::Beat beat = store.beat(run->job, progress, now() + options_.lease.count());
      // Taken by another one while this host slept: what it does now is done twice already.
      if (!beat.is_held || beat.is_cancel_asked) run->is_cancelled = true;
      if (has_news) publish(run->job, progress);
    }
  }

  void trim() {
    {
      const std::lock_guard lock(mutex_);
      if (has_trimmed_ && finished_ < trim_after) return;
      finished_ = 0;
    }
    has_trimmed_ = true;
    store.trim(now());
  }

  ScheduleStore schedules_;
  events::Bus& bus_;
  observability::Metrics& metrics_;
  Options options_;
  const std::string instance_;  // of the host, as runner

  std::mutex mutex_;
  std::condition_variable scheduler_wakes_, work_, idle_;
  std::map<std::string, std::shared_ptr<PluginEntry>, std::less<>> plugins_;
  std::vector<std::shared_ptr<PluginEntry>> fresh_;  // attached, not looked at yet
  std::vector<std::shared_ptr<Attempt>> running_;    // handed out; the handler has not returned
  std::vector<std::shared_ptr<Attempt>> ending_;     // it has, and that is being written
  std::deque<Task> tasks_;
  std::size_t threads_ = 0;
  std::size_t finished_ = 0;  // since the last trim
  bool is_woken_ = false;
  bool is_stopping_ = false;
  std::thread scheduler_;
  // Used by the scheduler thread alone.
  bool has_trimmed_ = false;
  std::size_t rotation_ = 0;
  Steady::time_point last_beat_{};
  ClockWatch clock_watch_{store, options_.lease};
};

Jobs::Jobs(data::Database& database, events::Bus& bus, observability::Metrics& metrics,
           Options options)
    : core_(std::make_shared<Core>(database, bus, metrics, std::move(options))) {
  metrics.add_collector([weak = std::weak_ptr<Core>(core_)](observability::MetricsSink& sink) {
    const auto core = weak.lock();
    if (!core) return;
    try {
      core->write_metrics(sink);
    } catch (const base::Error& error) {
      observability::log_warning("the jobs were not counted", {{"reason", error.message()}});
    }
  });
}

Jobs::~Jobs() {
  stop();
}

Enqueued Jobs::enqueue(const NewJob& job) {
  check(job);
  Enqueued made = core_->store.enqueue(job, core_->now());
  core_->wake();
  return made;
}

Job Jobs::cancel(std::string_view id, std::string_view plugin) {
  Job job = core_->store.cancel(id, plugin, core_->now());
  core_->mark_cancelled(job.id);
  core_->publish(job, job.progress);
  return job;
}

Job Jobs::retry(std::string_view id) {
  Job job = core_->store.retry(id, core_->now());
  core_->publish(job, job.progress);
  core_->wake();
  return job;
}

void Jobs::fail_for_good(std::string_view id, std::string_view error) {
  if (const auto job = core_->store.fail_for_good(id, error, core_->now()))
    core_->publish(*job, job->progress);
}

const Store& Jobs::store() const noexcept {
  return core_->store;
}

void Jobs::attach(std::shared_ptr<Runner> runner, std::vector<ActiveSchedule> schedules) {
  core_->attach(std::move(runner), std::move(schedules));
}
void Jobs::detach(std::string_view plugin) {
  core_->detach(plugin);
}
bool Jobs::wait_idle(std::string_view plugin, std::chrono::steady_clock::time_point until) {
  return core_->wait_idle(plugin, until);
}
void Jobs::give_up(std::string_view plugin) {
  core_->give_up(plugin);
}
void Jobs::forget(std::string_view plugin) {
  core_->store.forget(plugin);
}
void Jobs::stop(std::chrono::milliseconds timeout) {
  core_->stop(timeout);
}

}  // namespace tenon::jobs
