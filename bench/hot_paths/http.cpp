#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/loop/server.hpp"
#include "http/static_files/static_files.hpp"
#include "path.hpp"
#include "rooms.hpp"
#include "routing/dispatcher.hpp"
#include "routing/route.hpp"

namespace tenon::bench {

namespace {

constexpr std::size_t response_size = 1024;
constexpr std::chrono::microseconds warm_up_pause{2000};

class FixedResponse final : public http::Handler {
 public:
  void handle(const http::ExchangePtr& exchange) override {
    http::Response response;
    response.content_type = "text/plain";
    response.body = body_;
    exchange->respond(std::move(response));
  }

 private:
  const http::SharedBody body_ = std::make_shared<const std::string>(response_size, 'x');
};

// A server in this program and a client that asks it and waits.
class Conversation {
 public:
  Conversation(const std::string& path, bool runs_quick_handlers)
      : dispatcher_(rooms_.router, rooms_.identity.authenticator(), rooms_.identity.permissions(),
                    rooms_.metrics),
        share_(rooms_.workers.make_share("bench")),
        http_server_(options(runs_quick_handlers), dispatcher_, rooms_.workers),
        request_("GET " + path +
                 " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n") {
    rooms_.router.publish(std::make_shared<routing::RouteSet>(
        "bench", "/api/bench",
        std::vector{route("inline", nullptr), route("worker", share_.get())}));
    http_server_.start();
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(http_server_.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect to the HTTP server");
  }
  ~Conversation() {
    ::close(socket_);
    http_server_.stop(std::chrono::seconds(1));
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void ask() {
    if (::send(socket_, request_.data(), request_.size(), 0) !=
        static_cast<ssize_t>(request_.size()))
      throw std::runtime_error("the request was not sent");
    std::size_t size = 0;
    for (;;) {
      const ssize_t got = ::recv(socket_, buffer_ + size, sizeof buffer_ - size, 0);
      if (got <= 0) throw std::runtime_error("no response");
      size += static_cast<std::size_t>(got);
      const std::string_view text(buffer_, size);
      const std::size_t end = text.find("\r\n\r\n");
      if (end == std::string_view::npos || size < end + 4 + response_size) continue;
      if (!text.starts_with("HTTP/1.1 200 ")) throw std::runtime_error("the response is no 200");
      return;
    }
  }

 private:
  static http::ServerOptions options(bool runs_quick_handlers) {
    http::ServerOptions options;
    options.port = 0;
    options.io_threads = 1;
    options.runs_quick_handlers = runs_quick_handlers;
    return options;
  }
  routing::Route route(const std::string& name, http::WorkerShare* share) {
    routing::Route route;
    route.pattern = "/api/bench/" + name;
    route.access = routing::Access::everyone;
    route.handler = &handler_;
    route.share = share;
    return route;
  }

  Rooms rooms_;
  FixedResponse handler_;
  routing::Dispatcher dispatcher_;
  std::shared_ptr<http::WorkerShare> share_;
  http::Server http_server_;
  const std::string request_;
  int socket_ = -1;
  char buffer_[4096];
};

Maker conversation(const std::string& path, bool runs_quick_handlers) {
  const auto talk = std::make_shared<Conversation>(path, runs_quick_handlers);
  return one_thread([talk] { talk->ask(); });
}

Maker route_match() {
  struct Setup {
    observability::Metrics metrics;
    routing::Router router{metrics};
    FixedResponse handler;
  };
  const auto setup = std::make_shared<Setup>();
  for (int plugin = 0; plugin < 20; ++plugin) {
    const std::string prefix = "/api/plugin" + std::to_string(plugin);
    std::vector<routing::Route> routes;
    for (const char* end :
         {"/notes", "/notes/{id}", "/notes/{id}/links", "/notes/{id}/history/{version}", "/tags",
          "/tags/{id}", "/search", "/export/{path...}"}) {
      routing::Route route;
      route.pattern = prefix + end;
      route.handler = &setup->handler;
      routes.push_back(std::move(route));
    }
    setup->router.publish(std::make_shared<routing::RouteSet>("plugin", prefix, std::move(routes)));
  }
  // In turn: where a single text happens to lie changes the count of the C library's loops.
  std::vector<std::string> paths;
  for (int plugin = 0; plugin < 20; ++plugin)
    paths.push_back("/api/plugin" + std::to_string(plugin) + "/notes/0192f3c1-7a00/history/12");
  return one_thread([setup, paths, at = std::size_t{0}]() mutable {
    const std::string& path = paths[at++ % paths.size()];
    const routing::Section* section = setup->router.current().find(path);
    const auto match = section->routes->match(http::Method::get, path);
    if (match.route == nullptr || match.parameters.count != 2)
      throw std::runtime_error("the route was not found");
    keep(match);
  });
}

Maker static_file() {
  const auto folder = std::make_shared<Folder>();
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) {
    names.push_back("chunk-" + std::to_string(i) + ".js");
    std::ofstream(folder->path() + "/" + names.back()) << std::string(4096, 'x');
  }
  std::shared_ptr<const http::StaticTree> tree =
      http::StaticTree::load(folder->path(), {.is_immutable = true, .fields = {}});
  return one_thread([folder, tree, names, at = std::size_t{0}]() mutable {
    static constexpr http::Field fields[] = {{"host", "127.0.0.1"},
                                             {"accept", "*/*"},
                                             {"accept-encoding", "gzip, deflate, br"},
                                             {"if-none-match", "\"0123456789abcdef\""}};
    http::Request request;
    request.method = http::Method::get;
    request.fields = fields;
    const http::Response response = tree->respond(request, names[at++ % names.size()]);
    if (response.status != 200) throw std::runtime_error("the file was not served");
    keep(response);
  });
}

}  // namespace

std::vector<Path> http_paths() {
  return {
      {"route_match", "find one of 160 routes of 20 plugins", 4000, route_match},
      {"http_inline", "a request through the HTTP server, handled on the I/O thread", 1000,
       [] { return conversation("/api/bench/inline", true); }, warm_up_pause},
      {"http_quick", "a request through the HTTP server to a handler with a share that is quick",
       1000, [] { return conversation("/api/bench/worker", true); }, warm_up_pause},
      {"http_worker", "a request through the HTTP server to a worker and back", 1000,
       [] { return conversation("/api/bench/worker", false); }, warm_up_pause},
      {"static_file", "respond with a file of 4 KB", 2000, static_file},
  };
}

}  // namespace tenon::bench
