// The calls that an attachment gets around the code that runs for its exchange.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "http/connection/application.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "raw_client.hpp"

namespace tenon::http::test {
namespace {

// Records the events in order, and whether all of them were on one thread.
class Diary {
 public:
  void note(const char* what) {
    const std::lock_guard lock(mutex_);
    text_ += std::string(what) + ";";
    if (std::string_view(what) == "entered") thread_ = std::this_thread::get_id();
    if (std::string_view(what) != "started" && std::string_view(what) != "gone" &&
        thread_ != std::this_thread::get_id())
      text_ += "elsewhere;";
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
  std::thread::id thread_;
};

class Writing final : public Attachment {
 public:
  explicit Writing(Diary& diary) : diary_(diary) {}
  ~Writing() override { diary_.note("gone"); }
  void entered() noexcept override { diary_.note("entered"); }
  void exited() noexcept override { diary_.note("exited"); }
  void started() noexcept override { diary_.note("started"); }

 private:
  Diary& diary_;
};

class Writer final : public Application, public Handler {
 public:
  Plan plan(const Request& request) override {
    Plan plan;
    auto attachment = std::make_unique<Writing>(diary);
    attachment->wants_start = request.path != "/unasked";
    if (request.path == "/refused") plan.response = std::make_unique<Response>(empty_response(404));
    plan.attachment = std::move(attachment);
    plan.handler = this;
    plan.share = share.get();
    return plan;
  }
  void finished(const AccessRecord&) noexcept override {}
  void handle(const ExchangePtr& exchange) override {
    diary.note("handler");
    if (exchange->request().path == "/throws") throw std::runtime_error("x");
    exchange->respond(empty_response(204));
    // The response may be with the client by now, and still this is the exchange's work.
    diary.note("after");
  }

  Diary diary;
  std::shared_ptr<WorkerShare> share;
};

std::string calls_of(const std::string& path) {
  Writer application;
  WorkerPool workers({.threads = 2});
  application.share = workers.make_share("test");
  ServerOptions options;
  options.port = 0;
  options.io_threads = 1;
  {
    Server server(options, application, workers);
    server.start();
    RawClient client(server.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(client.read_reply().is_complete);
    workers.stop();
    server.stop(std::chrono::seconds(5));
  }
  return application.diary.text();
}

}  // namespace

TEST(Attachment, IsNotifiedOnTheThreadOfItsHandler) {
  EXPECT_EQ(calls_of("/"), "started;entered;handler;after;exited;gone;");
}

TEST(Attachment, IsNotifiedWhenItsHandlerThrows) {
  EXPECT_EQ(calls_of("/throws"), "started;entered;handler;exited;gone;");
}

TEST(Attachment, GetsTheStartOnlyIfItWants) {
  EXPECT_EQ(calls_of("/unasked"), "entered;handler;after;exited;gone;");
}

TEST(Attachment, IsNotNotifiedWithoutAHandler) {
  EXPECT_EQ(calls_of("/refused"), "gone;");
}

}  // namespace tenon::http::test
