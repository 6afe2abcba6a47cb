#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace tenon::http {

/// A part of the worker pool that one owner (a plugin, the console) may fill: at most `running`
/// tasks at once and `waiting` in the queue, so that an owner whose handlers all sleep leaves the
/// others their workers.
class WorkerShare;

/// A task with its own memory. The caller keeps it alive until run() began; it may be submitted
/// again from then on.
class WorkerJob {
 public:
  virtual void run() noexcept = 0;

 protected:
  virtual ~WorkerJob() = default;

 private:
  friend class WorkerPool;
  friend class WorkerShare;
  WorkerJob* next_job_ = nullptr;
};

/// Threads that may block (database, plugins). Started on demand up to `threads`; a share that runs
/// nothing may start one beyond that, so that no number of sleeping owners shuts out another.
class WorkerPool {
 public:
  struct Options {
    std::size_t threads = 64;
    std::size_t queue = 1024;       ///< tasks waiting, all shares
    std::size_t share_queue = 256;  ///< tasks waiting of one share
  };
  explicit WorkerPool(Options options);
  ~WorkerPool();  ///< stop()

  /// `running` 0 means three quarters of the threads. The share lives until the last owner drops
  /// it; tasks in it are finished first.
  std::shared_ptr<WorkerShare> make_share(std::string name, std::size_t running = 0);

  /// False when the queue or the share is full; the task is then not run. Thread-safe.
  bool submit(WorkerShare& share, std::function<void()> task);
  bool submit(WorkerShare& share, WorkerJob& job);

  /// Submits the continuation of admitted work, without regard to the bounds of the queue. False
  /// only after stop().
  bool resume(WorkerShare& share, WorkerJob& job);

  struct Statistics {
    std::size_t threads = 0;
    std::size_t running = 0;    ///< tasks
    std::size_t waiting = 0;    ///< tasks
    std::uint64_t refused = 0;  ///< tasks, since the start, because the queue or a share was full
  };
  Statistics statistics() const;

  /// Takes a thread that will end by itself: stop() joins it.
  void adopt(std::thread thread);

  /// Finishes what was submitted, then joins. Submitting fails from the first moment on.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::http
