// A front with fixed answers, for measuring: /inline and /worker answer 1 KB, /events stays open,
// /files/ serves a directory. Arguments: port, I/O threads, directory. Prints its port; ends with
// stdin.

#include <cstdio>
#include <memory>
#include <string>

#include "http/application.hpp"
#include "http/front.hpp"
#include "http/static_files.hpp"
#include "http/worker_pool.hpp"

namespace tenon::http {
namespace {

class FixedAnswer final : public Handler {
 public:
  void handle(const ExchangePtr& exchange) override {
    Response response;
    response.prepared = head_;
    response.body = body_;
    exchange->answer(std::move(response));
  }

 private:
  SharedBody body_ = std::make_shared<const std::string>(1024, 'x');
  SharedBody head_ = std::make_shared<const std::string>("Content-Type: text/plain\r\n");
};

class Events final : public Handler {
 public:
  void handle(const ExchangePtr& exchange) override { exchange->begin_events(); }
};

class BenchApplication final : public Application {
 public:
  explicit BenchApplication(WorkerShare& share) : share_(share) {}

  Plan plan(const Request& request) override {
    Plan plan;
    plan.handler = &answer_;
    if (request.path == "/worker") {
      plan.share = &share_;
      plan.time = &time_;
    } else if (request.path == "/events")
      plan.handler = &events_;
    else if (files && request.path.starts_with("/files/"))
      plan.handler = files.get();
    else if (request.path != "/inline")
      plan.answer = empty_response(404);
    return plan;
  }
  void finished(const AccessRecord&) noexcept override {}

  std::unique_ptr<Handler> files;

 private:
  WorkerShare& share_;
  FixedAnswer answer_;
  HandlerTime time_;
  Events events_;
};

}  // namespace

int serve(int count, char** arguments) {
  WorkerPool workers({});
  const auto share = workers.make_share("bench");
  BenchApplication application(*share);
  FrontOptions options;
  options.port = 0;
  if (count > 1) options.port = static_cast<std::uint16_t>(std::stoi(arguments[1]));
  if (count > 2) options.io_threads = static_cast<std::size_t>(std::stoi(arguments[2]));
  if (count > 3) application.files = make_static_handler(StaticTree::load(arguments[3]), "/files/");
  Front front(std::move(options), application, workers);
  front.start();
  std::printf("%d\n", front.port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  front.stop(std::chrono::seconds(1));
  return 0;
}

}  // namespace tenon::http

int main(int count, char** arguments) {
  return tenon::http::serve(count, arguments);
}
