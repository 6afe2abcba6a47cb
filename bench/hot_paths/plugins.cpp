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

// An exchange without a front, which keeps its answer.
class KeptExchange final : public LoneExchange {
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

  void pass_to(http::Handler& handler) {
    draft_.clear();
    is_answered_ = false;
    set_.gate().enter();
    context_.lease = routing::Lease(&set_.gate());
    handler.handle(http::ExchangePtr(this));
    if (!is_answered_) throw std::runtime_error("the answer is no 200");
  }

  bool answer(http::Response&& response) override {
    is_answered_ = response.status == 200;
    if (&response != &draft_) response_ = std::move(response);
    return true;
  }

 private:
  const routing::RouteSet& set_;
  http::Response response_;
  bool is_answered_ = false;
};

// The same answer as the plugin's, given by the host itself.
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
class PluginScene {
 public:
  PluginScene() : lifecycle_(rooms_of(rooms_), options(rooms_.folder.path())) {
    lifecycle_.start();
    const routing::Section* section = rooms_.router.current().find("/api/crossing/answer");
    if (section == nullptr || !section->routes)
      throw std::runtime_error("the plugin crossing is not active; it should be in " BENCH_PLUGINS);
    set_ = section->routes;
  }
  ~PluginScene() {
    set_.reset();
    lifecycle_.stop();
  }
  PluginScene(const PluginScene&) = delete;
  PluginScene& operator=(const PluginScene&) = delete;

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
    // Of the plugins built for the bench this one alone.
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

Maker calls(http::Handler& (*handler_of)(PluginScene&)) {
  const auto scene = std::make_shared<PluginScene>();
  return [scene, handler_of] {
    const auto exchange = std::make_shared<KeptExchange>(scene->set());
    return [scene, exchange, handler = &handler_of(*scene)] { exchange->pass_to(*handler); };
  };
}

}  // namespace

std::vector<Path> plugin_paths() {
  return {
      {"host_call", "an answer of 1 KB by a handler of the host", 4000,
       [] { return calls([](PluginScene& scene) -> http::Handler& { return scene.direct(); }); }},
      {"plugin_call", "the same answer by a plugin", 4000,
       [] { return calls([](PluginScene& scene) -> http::Handler& { return scene.plugin(); }); }},
  };
}

}  // namespace tenon::bench
