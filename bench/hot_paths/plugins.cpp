#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "exchange.hpp"
#include "lifecycle/lifecycle.hpp"
#include "path.hpp"
#include "rooms.hpp"
#include "routing/context.hpp"

namespace tenon::bench {

namespace {

namespace fs = std::filesystem;

// An exchange without an HTTP server; it remembers whether it got its response.
class ReusedExchange final : public LoneExchange {
 public:
  explicit ReusedExchange(const routing::RouteSet& set) : set_(set) {
    static constexpr http::Field fields[] = {{"host", "127.0.0.1:8080"},
                                             {"user-agent", "wrk"},
                                             {"accept", "*/*"},
                                             {"cookie", "tenon_session=abcdefghijklmnopqrstuvwxyz"},
                                             {"sec-fetch-site", "same-origin"},
                                             {"accept-encoding", "gzip"}};
    request_.method = http::Method::get;
    request_.path = "/api/crossing/response";
    request_.fields = fields;
    request_.request_id = "0192f3c1-0000-7000-8000-000000000000";
    request_.peer = "127.0.0.1";
    context_.route = set.routes().data();
  }

  void pass_to(http::Handler& handler) {
    draft_.clear();
    has_response_ = false;
    set_.gate().enter();
    context_.lease = routing::Lease(&set_.gate());
    handler.handle(http::ExchangePtr(this));
    if (!has_response_) throw std::runtime_error("the response is no 200");
  }

  bool respond(http::Response&& response) override {
    has_response_ = response.status == 200;
    if (&response != &draft_) response_ = std::move(response);
    return true;
  }

 private:
  const routing::RouteSet& set_;
  http::Response response_;
  bool has_response_ = false;
};

// Returns the same response as the plugin, from the host itself.
class Direct final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override {
    http::Response& response = exchange->draft();
    response.content_type = "text/plain";
    response.set_body(body_);
    exchange->respond(std::move(response));
    routing::context(*exchange).lease.reset();
  }

 private:
  const std::string body_ = std::string(1024, 'x');
};

// The plugin crossing, active.
class PluginSetup {
 public:
  PluginSetup() : lifecycle_(rooms_of(rooms_), options(rooms_.folder.path())) {
    lifecycle_.start();
    const routing::Section* section = rooms_.router.current().find("/api/crossing/response");
    if (section == nullptr || !section->routes)
      throw std::runtime_error("the plugin crossing is not active; it should be in " BENCH_PLUGINS);
    set_ = section->routes;
  }
  ~PluginSetup() {
    set_.reset();
    lifecycle_.stop();
  }
  PluginSetup(const PluginSetup&) = delete;
  PluginSetup& operator=(const PluginSetup&) = delete;

  const routing::RouteSet& set() const { return *set_; }
  http::Handler& plugin() const { return *set_->routes()[0].handler; }
  http::Handler& direct() { return direct_; }

 private:
  static plugins::LifecycleRooms rooms_of(Rooms& rooms) {
    return {rooms.database,
            rooms.identity.users(),
            rooms.identity.permissions(),
            rooms.bus,
            rooms.metrics,
            rooms.workers,
            rooms.router,
            rooms.blobs,
            rooms.uploads,
            rooms.jobs,
            rooms.live};
  }
  static plugins::LifecycleOptions options(const std::string& folder) {
    // Only this plugin of those built for the bench.
    fs::create_directories(folder + "/plugins");
    fs::copy(BENCH_PLUGINS "/crossing", folder + "/plugins/crossing", fs::copy_options::recursive);
    plugins::LifecycleOptions options;
    options.data = folder;
    options.folders = {folder + "/plugins"};
    return options;
  }

  Rooms rooms_;
  Direct direct_;
  plugins::Lifecycle lifecycle_;
  std::shared_ptr<const routing::RouteSet> set_;
};

Maker calls(http::Handler& (*handler_of)(PluginSetup&)) {
  const auto setup = std::make_shared<PluginSetup>();
  return [setup, handler_of] {
    const auto exchange = std::make_shared<ReusedExchange>(setup->set());
    return [setup, exchange, handler = &handler_of(*setup)] { exchange->pass_to(*handler); };
  };
}

}  // namespace

std::vector<Path> plugin_paths() {
  return {
      {"host_call", "a response of 1 KB by a handler of the host", 4000,
       [] { return calls([](PluginSetup& setup) -> http::Handler& { return setup.direct(); }); }},
      {"plugin_call", "the same response by a plugin", 4000,
       [] { return calls([](PluginSetup& setup) -> http::Handler& { return setup.plugin(); }); }},
  };
}

}  // namespace tenon::bench
