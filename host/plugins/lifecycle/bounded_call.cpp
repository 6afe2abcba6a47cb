#include "plugins/lifecycle/bounded_call.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace tenon::plugins {

bool run_bounded(const std::function<void()>& work, std::chrono::milliseconds patience) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false;
  };
  const auto shared = std::make_shared<Shared>();
  std::thread thread;
  try {
    thread = std::thread([shared, work] {
      work();
      const std::lock_guard lock(shared->mutex);
      shared->is_done = true;
      shared->done.notify_one();
    });
  } catch (const std::system_error&) {
    work();
    return true;
  }
  std::unique_lock lock(shared->mutex);
  const bool is_done = shared->done.wait_for(lock, patience, [&shared] { return shared->is_done; });
  lock.unlock();
  if (is_done)
    thread.join();
  else
    thread.detach();
  return is_done;
}

}  // namespace tenon::plugins
