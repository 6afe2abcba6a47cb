#include "observability/log.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "observability/log_line.hpp"
#include "observability/recorder.hpp"
#include "observability/trace.hpp"

namespace tenon::observability {

namespace {

using namespace std::chrono_literals;

constexpr auto log_batch_delay = 5ms;
constexpr auto farewell = 2s;
constexpr auto flush_timeout = 5s;
// POSIX writes so much to a pipe at once or not at all, and poll() says when that will not block.
constexpr std::size_t atomic_bytes = 4096;

bool writes_text(config::LogFormat format, int descriptor) {
  return format == config::LogFormat::text ||
         (format == config::LogFormat::automatic && ::isatty(descriptor) == 1);
}

bool is_regular_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

class Log::Implementation {
 public:
  explicit Implementation(const LogOptions& options)
      : descriptor_(options.descriptor),
        is_text_(writes_text(options.format, options.descriptor)),
        is_regular_file_(is_regular_file(options.descriptor)),
        has_access_lines_(options.access),
        queue_bytes_(options.queue_bytes),
        level_(options.level),
        thread_([this] { run(); }) {}

  ~Implementation() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      give_up_ = std::chrono::steady_clock::now() + farewell;
    }
    wake_.notify_one();
    thread_.join();
  }

  bool enabled(Level level) const noexcept {
    return level >= level_.load(std::memory_order_relaxed);
  }
  void set_level(Level level) noexcept { level_.store(level, std::memory_order_relaxed); }
  bool has_access_lines() const noexcept { return has_access_lines_; }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  void write(Level level, std::string_view message, std::span<const LogField> fields) noexcept {
    try {
      thread_local std::string text;
      text.clear();
      format(text, level, message, fields);
      enqueue(text, level >= Level::error);
      if (text.capacity() > 16 * 1024) std::string().swap(text);
    } catch (...) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  void flush() noexcept {
    std::unique_lock lock(mutex_);
    const std::uint64_t wanted = queued_;
    if (written_ >= wanted) return;
    urgent_ = true;
    wake_.notify_one();
    done_.wait_for(lock, flush_timeout, [&] { return written_ >= wanted; });
  }

 private:
  void format(std::string& out, Level level, std::string_view message,
              std::span<const LogField> fields) const {
    static constexpr Work nothing;
    const Work& work = current_work() == nullptr ? nothing : *current_work();
    // A field that names another plugin replaces the one of the scope.
    const bool has_plugin =
        std::ranges::any_of(fields, [](const LogField& field) { return field.name == "plugin"; });
    const LogLine line{.time_ms = base::unix_milliseconds(),
                       .level = level,
                       .message = message,
                       .request_id = work.request_id,
                       .plugin = has_plugin ? std::string_view() : work.plugin,
                       .fields = fields,
                       .trace_id = work.trace == nullptr ? std::string_view() : work.trace->id(),
                       .route = level >= Level::warning ? work.route : std::string_view()};
    if (is_text_)
      append_text_line(out, line);
    else
      append_json_line(out, line);
  }

  void enqueue(const std::string& line, bool urgent) {
    bool wakes = false;
    {
      const std::lock_guard lock(mutex_);
      if (pending_.size() + line.size() > queue_bytes_) {
        ++unreported_;
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      if (unreported_ != 0) report_dropped();
      pending_ += line;
      queued_ += line.size();
      if (urgent) urgent_ = true;
      wakes = is_waiting_ && (urgent || !is_batching_);
    }
    if (wakes) wake_.notify_one();
  }

  void report_dropped() {
    const LogField count("dropped", std::exchange(unreported_, 0));
    const std::size_t before = pending_.size();
    const LogLine line{.time_ms = base::unix_milliseconds(),
                       .level = Level::warning,
                       .message = "log lines were dropped, the queue was full",
                       .fields = {&count, 1}};
    if (is_text_)
      append_text_line(pending_, line);
    else
      append_json_line(pending_, line);
    queued_ += pending_.size() - before;
  }

  void run() noexcept {
    std::string batch;
    std::unique_lock lock(mutex_);
    while (true) {
      is_waiting_ = true;
      wake_.wait(lock, [&] { return stopping_ || !pending_.empty(); });
      if (!stopping_ && !urgent_) {
        // One write for many lines, and no wake-up for each of them.
        is_batching_ = true;
        wake_.wait_for(lock, log_batch_delay, [&] { return stopping_ || urgent_; });
        is_batching_ = false;
      }
      is_waiting_ = false;
      urgent_ = false;
      if (pending_.empty()) {
        if (unreported_ != 0) report_dropped();
        if (pending_.empty()) return;
      }
      batch.swap(pending_);
      lock.unlock();
      write_out(batch);
      const std::size_t size = batch.size();
      batch.clear();
      lock.lock();
      written_ += size;
      done_.notify_all();
    }
  }

  // Whole lines where they fit, so that another process on the same pipe does not tear them either.
  std::size_t next_piece(std::string_view left) const {
    if (is_regular_file_ || left.size() <= atomic_bytes) return left.size();
    const std::size_t end = left.rfind('\n', atomic_bytes - 1);
    return end == std::string_view::npos ? atomic_bytes : end + 1;
  }

  void write_out(std::string_view left) noexcept {
    while (!left.empty()) {
      if (!is_regular_file_ && !wait_writable()) return;
      const ssize_t count = ::write(descriptor_, left.data(), next_piece(left));
      if (count > 0)
        left.remove_prefix(static_cast<std::size_t>(count));
      else if (count < 0 && errno != EINTR && errno != EAGAIN)
        return;
    }
  }

  // False when the descriptor is broken, or the log ends and had no reader for too long.
  bool wait_writable() noexcept {
    while (true) {
      pollfd waiting{descriptor_, POLLOUT, 0};
      const int ready = ::poll(&waiting, 1, 100);
      if (ready > 0) return (waiting.revents & POLLOUT) != 0;
      if (ready < 0 && errno != EINTR) return false;
      const std::lock_guard lock(mutex_);
      if (stopping_ && std::chrono::steady_clock::now() > give_up_) return false;
    }
  }

  const int descriptor_;
  const bool is_text_;
  const bool is_regular_file_;
  const bool has_access_lines_;
  const std::size_t queue_bytes_;
  std::atomic<Level> level_;
  std::atomic<std::uint64_t> dropped_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::string pending_;
  std::uint64_t unreported_ = 0;
  std::uint64_t queued_ = 0;   // bytes
  std::uint64_t written_ = 0;  // bytes, given up ones too
  bool urgent_ = false;
  bool is_waiting_ = false;
  bool is_batching_ = false;
  bool stopping_ = false;
  std::chrono::steady_clock::time_point give_up_;
  std::thread thread_;
};

namespace {

// Lines about a plugin, by its own work or by their field.
void record(Level level, std::string_view message, std::span<const LogField> fields) noexcept {
  const Work* const work = current_work();
  std::string_view plugin = work == nullptr ? std::string_view() : work->plugin;
  for (const LogField& field : fields) {
    const auto* const text = std::get_if<std::string_view>(&field.value);
    if (plugin.empty() && text != nullptr && field.name == "plugin") plugin = *text;
  }
  if (!plugin.empty()) recorder().add_log(plugin, level, message, fields);
}

}  // namespace

Log::Log(LogOptions options) : implementation_(std::make_unique<Implementation>(options)) {}
Log::~Log() = default;
bool Log::enabled(Level level) const noexcept {
  return implementation_->enabled(level);
}
void Log::set_level(Level level) noexcept {
  implementation_->set_level(level);
}
bool Log::has_access_lines() const noexcept {
  return implementation_->has_access_lines();
}
void Log::flush() noexcept {
  implementation_->flush();
}
std::uint64_t Log::dropped() const noexcept {
  return implementation_->dropped();
}

void Log::write(Level level, std::string_view message, std::span<const LogField> fields) noexcept {
  if (!enabled(level)) return;
  implementation_->write(level, message, fields);
  if (level >= Level::warning && this == &log()) record(level, message, fields);
}

namespace {
std::atomic<Log*> process_log{nullptr};

Log& fallback_log() {
  // Never destroyed: threads may still log while the process ends.
  static Log* log = [] {
    static auto* made = new Log;
    std::atexit([] { made->flush(); });
    return made;
  }();
  return *log;
}
}  // namespace

Log& log() noexcept {
  Log* installed = process_log.load(std::memory_order_acquire);
  return installed != nullptr ? *installed : fallback_log();
}

void install_log(Log* installed) noexcept {
  process_log.store(installed, std::memory_order_release);
}

}  // namespace tenon::observability
