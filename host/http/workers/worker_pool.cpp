#include "http/workers/worker_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tenon::http {

/// All members are guarded by the pool's mutex.
class WorkerShare : public std::enable_shared_from_this<WorkerShare> {
 public:
  WorkerShare(std::string share_name, std::size_t max_running)
      : name(std::move(share_name)), limit(max_running) {}

  void push(WorkerJob& job) noexcept {
    job.next_job_ = nullptr;
    if (last_ == nullptr)
      first_ = &job;
    else
      last_->next_job_ = &job;
    last_ = &job;
    ++waiting;
  }

  WorkerJob& pop() noexcept {
    WorkerJob& job = *first_;
    first_ = job.next_job_;
    if (first_ == nullptr) last_ = nullptr;
    --waiting;
    return job;
  }

  const std::string name;
  const std::size_t limit;
  std::size_t running = 0;
  std::size_t waiting = 0;
  bool is_queued = false;  // is among the pool's runnable shares

 private:
  WorkerJob* first_ = nullptr;
  WorkerJob* last_ = nullptr;
};

namespace {

class FunctionJob final : public WorkerJob {
 public:
  explicit FunctionJob(std::function<void()> task) : task_(std::move(task)) {}
  void run() noexcept override {
    const std::unique_ptr<FunctionJob> self(this);
    task_();
  }

 private:
  std::function<void()> task_;
};

}  // namespace

class WorkerPool::Implementation {
 public:
  explicit Implementation(Options options) : options_(options) {}

  std::size_t threads() const noexcept { return options_.threads; }

  bool submit(WorkerShare& share, WorkerJob& job, bool is_bounded) {
    std::unique_lock lock(mutex_);
    if (is_stopping_) return false;
    if (is_bounded && (waiting_ >= options_.queue || share.waiting >= options_.share_queue)) {
      ++refused_;
      return false;
    }
    share.push(job);
    ++waiting_;
    queue(share);
    wake_one(lock);
    return true;
  }

  Statistics statistics() const {
    const std::unique_lock lock(mutex_);
    return {threads_.size(), running_, waiting_, refused_};
  }

  void adopt(std::thread thread) {
    const std::unique_lock lock(mutex_);
    adopted_.push_back(std::move(thread));
  }

  void stop() {
    std::vector<std::thread> threads;
    std::vector<std::thread> adopted;
    {
      const std::unique_lock lock(mutex_);
      is_stopping_ = true;
      threads.swap(threads_);
      adopted.swap(adopted_);
      wake_.notify_all();
    }
    for (std::thread& thread : threads)
      thread.join();
    for (std::thread& thread : adopted)
      thread.join();
  }

 private:
  bool may_run(const WorkerShare& share) const noexcept {
    return share.waiting > 0 && share.running < share.limit &&
           (running_ < options_.threads || share.running == 0);
  }

  void queue(WorkerShare& share) {
    if (share.is_queued || share.waiting == 0 || share.running >= share.limit) return;
    share.is_queued = true;
    runnable_.push_back(share.shared_from_this());
  }

  // The next share in turn that may run something; null when none may.
  std::shared_ptr<WorkerShare> take_share() {
    for (std::size_t i = 0; i < runnable_.size(); ++i) {
      if (!may_run(*runnable_[i])) continue;
      std::shared_ptr<WorkerShare> share = std::move(runnable_[i]);
      runnable_.erase(runnable_.begin() + static_cast<std::ptrdiff_t>(i));
      share->is_queued = false;
      return share;
    }
    return nullptr;
  }

  void wake_one(std::unique_lock<std::mutex>& lock) {
    if (is_waking_) return;
    if (idle_ > 0) {
      is_waking_ = true;
      lock.unlock();
      wake_.notify_one();
      return;
    }
    if (is_stopping_) return;
    const bool has_space = threads_.size() < options_.threads ||
                           std::any_of(runnable_.begin(), runnable_.end(),
                                       [](const auto& share) { return share->running == 0; });
    if (!has_space) return;
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The existing workers continue; without any, nothing can ever run.
      if (threads_.empty()) throw;
      return;
    }
    is_waking_ = true;
    lock.unlock();
  }

  void work() {
    std::unique_lock lock(mutex_);
    bool was_woken = true;
    for (;;) {
      std::shared_ptr<WorkerShare> share = take_share();
      if (was_woken) is_waking_ = false;
      was_woken = false;
      if (!share) {
        if (is_stopping_ && waiting_ == 0) {
          wake_.notify_all();
          return;
        }
        ++idle_;
        wake_.wait(lock);
        --idle_;
        was_woken = true;
        continue;
      }
      WorkerJob& job = share->pop();
      --waiting_;
      ++share->running;
      ++running_;
      queue(*share);
      // Each worker that finds more to do than it can wakes the next, so that a burst costs its
      // submitter one wake-up.
      if (!runnable_.empty()) wake_one(lock);
      if (lock.owns_lock()) lock.unlock();
      job.run();
      lock.lock();
      --running_;
      --share->running;
      queue(*share);
    }
  }

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
  std::vector<std::thread> adopted_;
  std::vector<std::shared_ptr<WorkerShare>> runnable_;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
  std::size_t idle_ = 0;
  std::uint64_t refused_ = 0;
  bool is_waking_ = false;  // a worker is on its way and has not yet looked for work
  bool is_stopping_ = false;
};

WorkerPool::WorkerPool(Options options)
    : implementation_(std::make_unique<Implementation>(options)) {}

WorkerPool::~WorkerPool() {
  stop();
}

std::shared_ptr<WorkerShare> WorkerPool::make_share(std::string name, std::size_t running) {
  const std::size_t threads = implementation_->threads();
  return std::make_shared<WorkerShare>(
      std::move(name), running > 0 ? running : std::max<std::size_t>(1, threads * 3 / 4));
}

bool WorkerPool::submit(WorkerShare& share, std::function<void()> task) {
  auto job = std::make_unique<FunctionJob>(std::move(task));
  if (!implementation_->submit(share, *job, true)) return false;
  static_cast<void>(job.release());
  return true;
}

bool WorkerPool::submit(WorkerShare& share, WorkerJob& job) {
  return implementation_->submit(share, job, true);
}

bool WorkerPool::resume(WorkerShare& share, WorkerJob& job) {
  return implementation_->submit(share, job, false);
}

WorkerPool::Statistics WorkerPool::statistics() const {
  return implementation_->statistics();
}

void WorkerPool::adopt(std::thread thread) {
  implementation_->adopt(std::move(thread));
}

void WorkerPool::stop() {
  implementation_->stop();
}

}  // namespace tenon::http
