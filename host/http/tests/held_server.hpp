#pragma once

#include <memory>
#include <string>
#include <utility>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {

/// Takes a streamed body and responds like TestServer::echo.
class EchoSink final : public BodySink {
 public:
  explicit EchoSink(ExchangePtr exchange) : exchange_(std::move(exchange)) {}
  void on_data(std::string_view bytes) override { body_ += bytes; }
  void on_end() override {
    Response response;
    response.body = std::string(exchange_->request().path) + ":" + body_;
    exchange_->respond(std::move(response));
  }
  void on_abort(int) override {}

 private:
  const ExchangePtr exchange_;
  std::string body_;
};

/// A server whose routes can be held: /a, /b and /inline take no body; /whole, /json and /streamed
/// take one of each mode; all respond with it.
struct HeldServer {
  explicit HeldServer(const std::function<void(ServerOptions&)>& adjust = {},
                      WorkerPool::Options pool = {.threads = 8})
      : server(adjust, pool) {
    Route body;
    body.body = BodyMode::whole;
    server.echo("/a").echo("/b").echo("/whole", body);
    body.body = BodyMode::json;
    server.echo("/json", body);
    body.body = BodyMode::streamed;
    body.run = [](const ExchangePtr& exchange) {
      exchange->read_body(std::make_unique<EchoSink>(exchange));
    };
    server.route("/streamed", body);
    Route is_inline;
    is_inline.is_inline = true;
    server.echo("/inline", is_inline);
  }

  /// From now on requests of the path wait.
  void hold(const std::string& path) { server.hold(path, held); }
  /// Restores the path and resumes the requests that wait.
  void release(const std::string& path) {
    server.hold(path, nullptr);
    held->release();
  }
  bool waits(std::size_t count = 1) const {
    return eventually([&] { return held->statistics().waiting == count; });
  }

  std::shared_ptr<Hold> held = std::make_shared<Hold>();
  TestServer server;
};

/// Would be a request if the body that contains it were not read as a body.
inline const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

}  // namespace tenon::http::test
