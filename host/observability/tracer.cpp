#include "observability/tracer.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/otlp.hpp"
#include "observability/recorder.hpp"
#include "observability/trace_sinks.hpp"

namespace tenon::observability {

namespace {

using namespace std::chrono_literals;

// Traces are written together; a reader of the file or the collector waits no longer than this for
// one.
constexpr auto trace_batch_delay = 200ms;
constexpr auto retry_delay = 1s;

constexpr int count_bits = 24;

bool is_chosen(double ratio) noexcept {
  if (ratio <= 0) return false;
  if (ratio >= 1) return true;
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::generate_canonical<double, 32>(generator) < ratio;
}

}  // namespace

class Tracer::Exporter {
 public:
  Exporter(const TraceOptions& options, Metrics& metrics)
      : options_(options),
        traced_(metrics.counter("tenon_trace_requests_total", "Requests that were traced.")),
        late_(dropped(metrics, "queue")),
        lost_(dropped(metrics, "failed")),
        limited_(dropped(metrics, "rate")) {
    if (!options.file.empty()) file_.emplace(options.file, options.file_bytes);
    if (!options.endpoint.empty()) endpoint_.emplace(options.endpoint);
    thread_ = std::thread([this] { run(); });
  }

  ~Exporter() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  void submit(std::unique_ptr<Trace> trace) noexcept {
    bool wakes = false;
    try {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= options_.queue) {
        late_.add();
        return;
      }
      waiting_.push_back(std::move(trace));
      wakes = waiting_.size() == 1;
    } catch (...) {
      late_.add();
    }
    if (wakes) wake_.notify_one();
  }

  void count_limited() noexcept { limited_.add(); }

 private:
  static Counter& dropped(Metrics& metrics, std::string_view reason) {
    return metrics.counter("tenon_trace_dropped_total",
                           "Traces that were not written: too many in a second (rate), too many "
                           "waiting (queue), or neither file nor endpoint took them (failed).",
                           {{"reason", reason}});
  }

  void run() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (!is_stopping_ && waiting_.size() < batch_traces)
        wake_.wait_for(lock, trace_batch_delay, [this] { return is_stopping_; });
      if (waiting_.empty()) return;
      std::vector<std::unique_ptr<Trace>> all;
      all.swap(waiting_);
      lock.unlock();
      for (std::size_t begin = 0; begin < all.size(); begin += batch_traces)
        write(std::span(all).subspan(begin, std::min(batch_traces, all.size() - begin)));
      all.clear();
      lock.lock();
    }
  }

  void write(std::span<const std::unique_ptr<Trace>> batch) noexcept {
    try {
      text_.clear();
      append_otlp(text_, batch, options_.version);
      const bool is_posted = !endpoint_ || post();
      text_ += '\n';
      const bool is_written = !file_ || file_->write(text_);
      if (file_ && !is_written) report(file_failed_, true, options_.file, "it cannot be written");
      if (is_posted && is_written)
        traced_.add(batch.size());
      else
        lost_.add(batch.size());
    } catch (...) {
      lost_.add(batch.size());
    }
  }

  bool post() {
    std::string why;
    TraceEndpoint::Result result = endpoint_->post(text_, why);
    if (result == TraceEndpoint::Result::unreachable && !endpoint_failed_) {
      std::unique_lock lock(mutex_);
      const bool has_time = !wake_.wait_for(lock, retry_delay, [this] { return is_stopping_; });
      lock.unlock();
      if (has_time) result = endpoint_->post(text_, why);
    }
    const bool has_failed = result != TraceEndpoint::Result::taken;
    report(endpoint_failed_, has_failed, options_.endpoint, why);
    return !has_failed;
  }

  // One line when it begins to fail and one when it works again.
  static void report(bool& was_failed, bool has_failed, const std::string& where,
                     std::string_view why) {
    if (std::exchange(was_failed, has_failed) == has_failed) return;
    if (has_failed)
      log_warning("traces cannot be written, they are dropped", {{"to", where}, {"reason", why}});
    else
      log_info("traces are written again", {{"to", where}});
  }

  const TraceOptions& options_;
  Counter& traced_;
  Counter& late_;
  Counter& lost_;
  Counter& limited_;
  std::optional<TraceFile> file_;
  std::optional<TraceEndpoint> endpoint_;
  std::string text_;
  bool file_failed_ = false;
  bool endpoint_failed_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Trace>> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;
};

Tracer::Tracer(TraceOptions options, Metrics& metrics)
    : options_(std::move(options)), exporter_(std::make_unique<Exporter>(options_, metrics)) {}

Tracer::Tracer() noexcept = default;

Tracer::~Tracer() = default;

std::unique_ptr<Trace> Tracer::begin(std::string_view traceparent) noexcept {
  try {
    const std::optional<TraceParent> parent =
        traceparent.empty() ? std::nullopt : parse_traceparent(traceparent);
    if (parent ? !parent->is_sampled : !is_chosen(options_.sample)) return nullptr;
    // Anybody may ask for a trace; this keeps them from costing more than a few.
    if (!is_within_rate()) {
      exporter_->count_limited();
      return nullptr;
    }
    return std::make_unique<Trace>(parent ? &*parent : nullptr);
  } catch (...) {
    return nullptr;
  }
}

bool Tracer::is_within_rate() noexcept {
  const auto now = static_cast<std::uint64_t>(base::monotonic_nanoseconds() / 1'000'000'000)
                   << count_bits;
  std::uint64_t seen = second_.load(std::memory_order_relaxed);
  for (;;) {
    const bool is_new = seen >> count_bits != now >> count_bits;
    const std::uint64_t next = is_new ? now + 1 : seen + 1;
    if (!is_new && (seen & ((1ULL << count_bits) - 1)) >= options_.rate) return false;
    if (second_.compare_exchange_weak(seen, next, std::memory_order_relaxed)) return true;
  }
}

void Tracer::submit(std::unique_ptr<Trace> trace) noexcept {
  recorder().add_request(*trace);
  if (exporter_) exporter_->submit(std::move(trace));
}

}  // namespace tenon::observability
