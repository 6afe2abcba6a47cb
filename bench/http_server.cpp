// The HTTP server alone: an inline route of the host that returns 1 KB, with routing and metrics,
// without a plugin. Prints "ready" when it serves; the first signal ends it. Usage:
// tenon-bench-http-server PORT

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "hot_paths/rooms.hpp"
#include "http/loop/server.hpp"
#include "observability/log.hpp"
#include "routing/dispatcher.hpp"
#include "routing/route.hpp"

namespace tenon::bench {

namespace {

class FixedResponse final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override {
    http::Response& response = exchange->draft();
    response.content_type = "text/plain";
    response.body = body_;
    exchange->respond(std::move(response));
  }

 private:
  static constexpr std::size_t response_size = 1024;
  const http::SharedBody body_ = std::make_shared<const std::string>(response_size, 'x');
};

http::ServerOptions options(const char* port) {
  http::ServerOptions options;
  options.port = static_cast<std::uint16_t>(std::atoi(port));
  options.io_threads = 1;
  return options;
}

void serve(const char* port, const sigset_t& ends) {
  Rooms rooms;
  FixedResponse handler;
  routing::Dispatcher dispatcher(rooms.router, rooms.identity.authenticator(),
                                 rooms.identity.permissions(), rooms.metrics);
  routing::Route route;
  route.pattern = "/api/bench/fixed";
  route.access = routing::Access::everyone;
  route.handler = &handler;
  rooms.router.publish(
      std::make_shared<routing::RouteSet>("bench", "/api/bench", std::vector{route}));
  http::Server server(options(port), dispatcher, rooms.workers);
  server.start();
  std::puts("ready");
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  server.stop(std::chrono::seconds(1));
}

}  // namespace

}  // namespace tenon::bench

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: tenon-bench-http-server PORT\n", stderr);
    return 2;
  }
  // For sigwait(), in the threads to come as well.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  // No access log, as in the other servers.
  tenon::observability::log().set_level(tenon::observability::Level::warning);
  tenon::bench::serve(arguments[1], ends);
}
