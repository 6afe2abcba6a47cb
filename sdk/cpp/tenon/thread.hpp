#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include <tenon/detail/link.hpp>

namespace tenon {

namespace detail {

/// The threads of a plugin. It ensures that no thread outlives the plugin: a running thread would
/// keep the library mapped.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join_all(); }

  void add(const std::shared_ptr<std::jthread>& thread) {
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [](const auto& other) { return other.expired(); });
    running_.push_back(thread);
  }

  void request_stop() noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : running_) {
      if (const auto thread = weak.lock()) thread->request_stop();
    }
  }

  void join_all() noexcept {
    request_stop();
    for (;;) {
      std::shared_ptr<std::jthread> thread;
      {
        const std::lock_guard lock(mutex_);
        if (running_.empty()) return;
        thread = running_.back().lock();
        running_.pop_back();
      }
      if (thread != nullptr && thread->joinable()) thread->join();
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<std::jthread>> running_;
};

}  // namespace detail

/// A thread of the plugin, made by Host::thread(). It is asked to stop when the plugin stops. It is
/// joined then or when the Thread is destroyed, whichever is first. Movable.
class Thread {
 public:
  Thread() = default;
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept {
    if (this != &other) {
      join();
      thread_ = std::move(other.thread_);
    }
    return *this;
  }
  ~Thread() { join(); }

  void request_stop() noexcept {
    if (thread_ != nullptr) thread_->request_stop();
  }

  /// Asks the thread to stop and waits until it ends. Must not be called on the thread itself.
  void join() noexcept {
    if (thread_ == nullptr) return;
    thread_->request_stop();
    if (thread_->joinable()) thread_->join();
    thread_.reset();
  }

  /// Internal to the SDK: runs `work(std::stop_token)`. An exception ends the thread and is logged.
  template <std::invocable<std::stop_token> F>
  Thread(detail::Link& link, detail::Threads& threads, std::string name, F work)
      : thread_(
            std::make_shared<std::jthread>([&link, name = std::move(name), work = std::move(work)](
                                               const std::stop_token& stop) mutable noexcept {
              // The kernel stores 15 characters.
              pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
              try {
                work(stop);
              } catch (const std::exception& error) {
                link.report(TENON_LOG_ERROR, "a thread of the plugin failed", error.what());
              } catch (...) {
                link.report(TENON_LOG_ERROR, "a thread of the plugin failed", {});
              }
            })) {
    threads.add(thread_);
  }

 private:
  std::shared_ptr<std::jthread> thread_;
};

}  // namespace tenon
