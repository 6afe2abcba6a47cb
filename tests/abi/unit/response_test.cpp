#include <thread>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

class ResponseTest : public testing::Test {
 protected:
  template <class F>
  void serve(F handle) {
    plugin.emplace(host, [&](Scripted& self) {
      self.host().http().get("/x", access::everyone, std::move(handle));
    });
    ASSERT_EQ(plugin->created, TENON_OK) << plugin->error.message;
    ASSERT_EQ(plugin->started, TENON_OK) << plugin->error.message;
  }

  FakeHost host;
  std::optional<RunningPlugin> plugin;
};

TEST_F(ResponseTest, Sends204IfHandlerReturnsNothing) {
  serve([](const Request&) {});
  const RecordedResponse response = host.get("/x");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.returned, TENON_OK);
}

TEST_F(ResponseTest, SendsThrownErrorAsProblem) {
  serve([](const Request&) -> Response {
    throw Error(409, "test.conflict", "Another user saved first.",
                {{"title", "taken", "This title is taken."}})
        .with(R"({"yours":"a"})");
  });
  const RecordedResponse response = host.get("/x");
  EXPECT_EQ(response.returned, TENON_OK);
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.code, "test.conflict");
  EXPECT_EQ(response.extra, R"({"yours":"a"})");
  EXPECT_EQ(response.problem_fields, std::vector<std::string>{"title"});
  EXPECT_FALSE(host.logged("failed")) << "an expected failure is no line in the log";
}

TEST_F(ResponseTest, SendsHeadersOfProblem) {
  serve([](const Request&) -> Response {
    throw Error(503, "test.busy", "Busy.").header("Retry-After", "5");
  });
  const std::vector<std::pair<std::string, std::string>> expected{{"Retry-After", "5"}};
  EXPECT_EQ(host.get("/x").headers, expected);
  plugin.reset();
  serve([](const Request&) {
    return Response::problem({503, "test.busy", "Busy."}).header("Retry-After", "5");
  });
  EXPECT_EQ(host.get("/x").headers, expected);
}

TEST_F(ResponseTest, LeavesOtherExceptionsToHost) {
  serve([](const Request&) -> Response { throw std::runtime_error("secret detail"); });
  const RecordedResponse response = host.get("/x");
  EXPECT_EQ(response.returned, TENON_E_INTERNAL);
  EXPECT_EQ(response.status, 0);
  EXPECT_TRUE(host.logged("secret detail"));
}

TEST_F(ResponseTest, CatchesThrownValuesOfAnyType) {
  serve([](const Request&) -> Response { throw 42; });
  EXPECT_EQ(host.get("/x").returned, TENON_E_INTERNAL);
}

TEST_F(ResponseTest, LogsMessageOfHostWithoutSendingIt) {
  serve([this](const Request&) -> Response {
    plugin->raw();
    throw Error::from_host(TENON_E_SQL, [] {
      tenon_error error = detail::empty_error();
      detail::describe(&error, TENON_E_SQL, 500, "data.sql", "no such column: salary");
      return error;
    }());
  });
  const RecordedResponse response = host.get("/x");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body.find("salary"), std::string::npos);
  EXPECT_TRUE(host.logged("salary"));
}

TEST_F(ResponseTest, FailsIfHostRejectsHeader) {
  serve([](const Request&) { return Response::text("x").header("Set-Cookie", "a=b"); });
  EXPECT_EQ(host.get("/x").returned, TENON_E_INTERNAL);
  EXPECT_TRUE(host.logged("rejected the response"));
}

TEST_F(ResponseTest, RespondsLaterFromAnotherThread) {
  Deferred waiting;
  serve([&](const Request& r) {
    waiting = r.defer();
    return Response::deferred();
  });
  const tenon_handle request = host.start({.pattern = "/x"});
  EXPECT_EQ(host.response(request).returned, TENON_PENDING);
  EXPECT_EQ(host.response(request).status, 0);
  EXPECT_TRUE(waiting.is_wanted());
  std::thread([&] { waiting.respond(Response::json({{"done", true}})); }).join();
  EXPECT_EQ(host.response(request).body, R"({"done":true})");
  EXPECT_FALSE(waiting);
  EXPECT_THROW(waiting.respond(Response::empty()), Misuse);
}

TEST_F(ResponseTest, Sends500IfDeferredIsDropped) {
  serve([](const Request& r) {
    static_cast<void>(r.defer());
    return Response::deferred();
  });
  const RecordedResponse response = host.get("/x");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.code, "plugin.unanswered");
  EXPECT_TRUE(host.logged("got no response"));
}

TEST_F(ResponseTest, SendsErrorThrownByDeferredWork) {
  serve([](const Request& r) {
    Deferred deferred = r.defer();
    deferred.respond_with([]() -> Response { throw Error(422, "test.bad", "Bad."); });
    return Response::deferred();
  });
  EXPECT_EQ(host.get("/x").code, "test.bad");
  plugin.reset();
  serve([](const Request& r) {
    Deferred deferred = r.defer();
    deferred.respond_with([]() -> Response { throw std::runtime_error("inner"); });
    return Response::deferred();
  });
  EXPECT_EQ(host.get("/x").status, 500);
}

TEST_F(ResponseTest, KeepsFirstOfTwoResponses) {
  serve([](const Request& r) {
    Deferred deferred = r.defer();
    deferred.respond(Response::text("first"));
    return Response::text("second");
  });
  const RecordedResponse response = host.get("/x");
  EXPECT_EQ(response.body, "first");
  EXPECT_EQ(response.returned, TENON_OK);
  EXPECT_TRUE(host.logged("two responses to one request"));
}

TEST_F(ResponseTest, PrefersHandlersResponseToPendingDeferred) {
  Deferred waiting;
  serve([&](const Request& r) {
    waiting = r.defer();
    return Response::text("now");
  });
  EXPECT_EQ(host.get("/x").body, "now");
  EXPECT_THROW(waiting.respond(Response::text("later")), Misuse);
}

TEST_F(ResponseTest, FailsIfResponseIsDeferredWithoutDeferred) {
  serve([](const Request&) { return Response::deferred(); });
  EXPECT_EQ(host.get("/x").returned, TENON_E_INTERNAL);
}

TEST_F(ResponseTest, RespondsOnceIfHandlerFailsAfterDeferring) {
  Deferred waiting;
  serve([&](const Request& r) -> Response {
    waiting = r.defer();
    throw std::runtime_error("x");
  });
  EXPECT_EQ(host.get("/x").returned, TENON_E_INTERNAL);
  EXPECT_THROW(waiting.respond(Response::empty()), Misuse);
}

TEST_F(ResponseTest, FailsIfHostRejectsResponseAfterDeferring) {
  Deferred waiting;
  serve([&](const Request& r) {
    waiting = r.defer();
    return Response::text("x").status(99);
  });
  EXPECT_EQ(host.get("/x").returned, TENON_E_INTERNAL);
  EXPECT_THROW(waiting.respond(Response::empty()), Misuse);
}

TEST_F(ResponseTest, IgnoresResponseToDisconnectedClient) {
  Deferred waiting;
  serve([&](const Request& r) {
    waiting = r.defer();
    return Response::deferred();
  });
  const tenon_handle request = host.start({.pattern = "/x"});
  host.hang_up(request);
  EXPECT_FALSE(waiting.is_wanted());
  EXPECT_NO_THROW(waiting.respond(Response::text("late")));
}

TEST_F(ResponseTest, RejectsResponseAfterStop) {
  auto waiting = std::make_shared<Deferred>();
  serve([waiting](const Request& r) {
    *waiting = r.defer();
    return Response::deferred();
  });
  host.start({.pattern = "/x"});
  plugin->quiesce();
  tenon_plugin* raw = plugin->raw();
  raw->stop(raw);
  EXPECT_TRUE(host.logged("stops with pending requests"));
  EXPECT_THROW(waiting->respond(Response::empty()), Misuse);
}

TEST_F(ResponseTest, RejectsBlockingCallInInlineRoute) {
  plugin.emplace(host, [](Scripted& self) {
    self.host().http().get(
        "/x", access::everyone, {.is_inline = true, .summary = "x"}, [&self](const Request&) {
          return Response::json(self.database().first<int>("SELECT 1").value_or(0));
        });
  });
  EXPECT_EQ(host.route(0).flags, TENON_HTTP_INLINE);
  EXPECT_EQ(host.get("/x").returned, TENON_E_INTERNAL);
  EXPECT_TRUE(host.logged("must not block"));
}

}  // namespace
}  // namespace tenon::test
