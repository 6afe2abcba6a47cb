// Handlers that sleep until a request wakes them, and large responses and bodies, as on a busy
// host. For tests of load, too.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include <tenon/plugin.hpp>

namespace {

constexpr std::size_t large = 128 * 1024;
constexpr std::size_t piece = 16 * 1024;

// Counts the received bytes and responds with their number.
class Sink {
 public:
  void data(std::string_view bytes) { size_ += bytes.size(); }
  tenon::Response end() { return tenon::Response::json({{"bytes", size_}}); }

 private:
  std::size_t size_ = 0;
};

class SleepsInHandlers : public tenon::Plugin {
 public:
  explicit SleepsInHandlers(tenon::Host& host) : Plugin(host) {
    using tenon::Request, tenon::Response, tenon::access::everyone;
    tenon::Http& http = host.http();
    http.get("/ok", everyone, [](const Request&) { return Response::text("ok"); });
    http.get("/inline", everyone, {.is_inline = true},
             [](const Request&) { return Response::text("inline"); });
    http.get("/large", everyone,
             [](const Request&) { return Response::text(std::string(large, 'x')); });
    http.get("/stream", everyone, [](const Request& r) {
      return Response::stream("text/plain",
                              [left = r.query<int>("pieces", 4)](tenon::Stream& out) mutable {
                                while (left > 0 && out.write(std::string(piece, 'x')))
                                  --left;
                                return left > 0;
                              });
    });
    http.post("/sink", everyone,
              {.body = tenon::Body::streamed, .body_limit = std::uint64_t{1} << 30},
              [](const Request& r) { return r.read_body(Sink{}); });
    http.get("/fail", everyone, [](const Request&) -> Response {
      throw tenon::Error(418, "zoo.teapot", "A teapot.");
    });
    // Sleeps until the next /wake when "on" is asked for; else returns at once, so that it measures
    // as quick.
    http.get("/sleep", everyone, [this](const Request& r) {
      if (r.query<bool>("on", false)) sleep();
      return Response::text("slept");
    });
    http.get("/sleeping", everyone, {.is_inline = true}, [this](const Request&) {
      const std::lock_guard lock(mutex_);
      return Response::json({{"sleeping", sleeping_}});
    });
    http.get("/wake", everyone, {.is_inline = true}, [this](const Request&) {
      wake();
      return Response::text("woken");
    });
  }

  void quiesce(std::chrono::milliseconds) override { wake(); }

 private:
  void sleep() {
    std::unique_lock lock(mutex_);
    ++sleeping_;
    changed_.wait(lock, [this, round = round_] { return round != round_; });
    --sleeping_;
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    ++round_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int sleeping_ = 0;
  int round_ = 0;
};

}  // namespace

TENON_PLUGIN(SleepsInHandlers)
