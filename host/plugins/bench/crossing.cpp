// What a request into a plugin costs over the same answer given by the host itself: nanoseconds a
// call, one thread and several. Needs no server: exchanges are stand-ins that keep the answer.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "data/database.hpp"
#include "events/bus.hpp"
#include "http/worker_pool.hpp"
#include "identity/identity.hpp"
#include "observability/metrics.hpp"
#include "plugins/lifecycle/lifecycle.hpp"
#include "plugins/tests/plugin_folder.hpp"
#include "routing/context.hpp"
#include "routing/router.hpp"

namespace {

namespace data = tenon::data;
namespace events = tenon::events;
namespace http = tenon::http;
namespace identity = tenon::identity;
namespace observability = tenon::observability;
namespace plugins = tenon::plugins;
namespace routing = tenon::routing;
using Clock = std::chrono::steady_clock;

class KeptExchange final : public http::Exchange {
 public:
  explicit KeptExchange(const routing::RouteSet& set) : set_(set) {
    static constexpr http::Field fields[] = {{"host", "127.0.0.1:8080"},
                                             {"user-agent", "wrk"},
                                             {"accept", "*/*"},
                                             {"cookie", "tenon_session=abcdefghijklmnopqrstuvwxyz"},
                                             {"sec-fetch-site", "same-origin"},
                                             {"accept-encoding", "gzip"}};
    request_.method = http::Method::get;
    request_.path = "/api/crossing/answer";
    request_.fields = fields;
    request_.request_id = "0192f3c1-0000-7000-8000-000000000000";
    request_.peer = "127.0.0.1";
    context_.route = set.routes().data();
  }
  void prepare() {
    draft_.clear();
    set_.gate().enter();
    context_.lease = routing::Lease(&set_.gate());
  }

  const http::Request& request() const noexcept override { return request_; }
  http::Attachment* attachment() const noexcept override { return &context_; }
  http::Response& draft() noexcept override { return draft_; }
  bool answer(http::Response&& response) override {
    if (&response != &draft_) response_ = std::move(response);
    return true;
  }
  bool begin(http::Response, std::uint64_t) override { return false; }
  http::WriteResult write(std::string_view) override { return http::WriteResult::closed; }
  bool end() override { return false; }
  void abort() override {}
  void on_writable(std::function<void()>) override {}
  std::shared_ptr<http::EventStream> begin_events() override { return nullptr; }
  void read_body(std::unique_ptr<http::BodySink>) override {}
  bool closed() const noexcept override { return false; }

 private:
  void add_ref() noexcept override {}
  void release() noexcept override {}

  const routing::RouteSet& set_;
  http::Request request_;
  mutable routing::CallContext context_;
  http::Response response_;
  http::Response draft_;
};

class Direct final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override {
    http::Response response;
    response.status = 200;
    response.content_type = "text/plain";
    response.body = std::string(1024, 'x');
    exchange->answer(std::move(response));
    routing::context(*exchange).lease.reset();
  }
};

double measure(const routing::RouteSet& set, http::Handler& handler, int threads) {
  constexpr int rounds = 400'000;
  std::vector<std::thread> all;
  std::vector<double> times(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      KeptExchange exchange(set);
      const http::ExchangePtr pointer(&exchange);
      const auto run = [&](int count) {
        for (int i = 0; i < count; ++i) {
          exchange.prepare();
          handler.handle(pointer);
        }
      };
      run(rounds / 10);
      const auto start = Clock::now();
      run(rounds);
      times[static_cast<std::size_t>(t)] =
          std::chrono::duration<double, std::nano>(Clock::now() - start).count() / rounds;
    });
  }
  double sum = 0;
  for (int t = 0; t < threads; ++t) {
    all[static_cast<std::size_t>(t)].join();
    sum += times[static_cast<std::size_t>(t)];
  }
  return sum / threads;
}

}  // namespace

int main() {
  const plugins::test::TemporaryFolder folder;
  plugins::test::put_plugin(folder.path() + "/plugins", "crossing",
                            plugins::test::manifest_text("crossing"), "crossing");
  data::DatabaseOptions database_options;
  database_options.path = folder.path() + "/tenon.db";
  database_options.confinement = data::Confinement::host();
  data::Database database(database_options);
  events::Bus bus;
  observability::Metrics metrics;
  identity::Identity identity(database, bus, metrics,
                              {.sessions = {}, .passwords = {}, .clock = {}, .maintain = false});
  http::WorkerPool workers({});
  routing::Router router(metrics);
  plugins::LifecycleOptions options;
  options.data = folder.path();
  options.folders = {folder.path() + "/plugins"};
  plugins::Lifecycle lifecycle(
      {database, identity.users(), identity.permissions(), bus, metrics, workers, router}, options);
  lifecycle.start();
  const routing::Section* section = router.current().find("/api/crossing/answer");
  if (!section || !section->routes) {
    std::fprintf(stderr, "the plugin is not active\n");
    return 1;
  }
  const std::shared_ptr<const routing::RouteSet> set = section->routes;
  Direct direct;
  for (const int threads : {1, 2}) {
    double best_direct = 1e9;
    double best_crossing = 1e9;
    for (int round = 0; round < 7; ++round) {
      best_direct = std::min(best_direct, measure(*set, direct, threads));
      best_crossing = std::min(best_crossing, measure(*set, *set->routes()[0].handler, threads));
    }
    std::printf("%d thread%s: host's own handler %.1f ns, plugin %.1f ns, crossing %.1f ns\n",
                threads, threads > 1 ? "s" : "", best_direct, best_crossing,
                best_crossing - best_direct);
  }
  lifecycle.stop();
  workers.stop();
  return 0;
}
