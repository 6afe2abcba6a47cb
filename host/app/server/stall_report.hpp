#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tenon::observability {
struct Work;
}

namespace tenon::app {

/// Logs where an inline handler blocks its I/O thread. Each route is reported at most once: its
/// requests run on workers from then on. Thread-safe.
class StallReporter {
 public:
  using LibraryOf = std::function<std::string(const std::string& plugin)>;

  explicit StallReporter(LibraryOf library_of) : library_of_(std::move(library_of)) {}
  /// Waits for the reports.
  ~StallReporter();
  StallReporter(const StallReporter&) = delete;
  StallReporter& operator=(const StallReporter&) = delete;

  /// Reports the stack of the thread that does this work, on a thread of its own. Never throws.
  void report(const observability::Work& work) noexcept;

 private:
  const LibraryOf library_of_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace tenon::app
