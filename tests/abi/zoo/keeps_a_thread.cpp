// A thread that does not hear that it should stop.
#include <chrono>
#include <stop_token>
#include <thread>

#include <tenon/plugin.hpp>

namespace {

class KeepsAThread : public tenon::Plugin {
 public:
  explicit KeepsAThread(tenon::Host& host) : Plugin(host) {
    host.http().get("/ok", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text("ok"); });
  }

  void start() override {
    thread_ = host().thread("deaf", [](const std::stop_token&) {
      for (;;)
        std::this_thread::sleep_for(std::chrono::hours(1));
    });
  }

 private:
  tenon::Thread thread_;
};

}  // namespace

TENON_PLUGIN(KeepsAThread)
