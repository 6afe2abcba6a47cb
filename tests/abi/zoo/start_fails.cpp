// Fails in start, with a thread running and a watcher registered.
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <thread>

#include <tenon/plugin.hpp>

namespace {

class StartFails : public tenon::Plugin {
 public:
  explicit StartFails(tenon::Host& host) : Plugin(host) {
    host.settings().watch([](std::string_view, std::string_view) {});
    host.http().get("/ok", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text("ok"); });
  }

  void start() override {
    thread_ = host().thread("busy", [](const std::stop_token& stop) {
      while (!stop.stop_requested())
        std::this_thread::yield();
    });
    database().exec("SELECT no_such_column FROM nowhere");
  }

 private:
  tenon::Thread thread_;
};

}  // namespace

TENON_PLUGIN(StartFails)
