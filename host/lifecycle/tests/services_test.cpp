#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bridge/abi_error.hpp"
#include "bridge/frame.hpp"
#include "bridge/services/services_interface.hpp"
#include "bridge/spans.hpp"
#include "lifecycle/tests/bridges.hpp"
#include "packages/tests/plugin_set.hpp"

namespace tenon::plugins {
namespace {

using namespace std::chrono_literals;
using test::Bridges;
using test::call;
using test::Called;
using test::make_manifest;
using test::offer;
using test::respond;
using test::Serve;
using Request = tenon_services_request;

class Services : public testing::Test {
 protected:
  Services() {
    bridges_.directory().describe_with([](std::string_view) { return "is disabled"; });
    shop_ = start("shop", {.required = {{"mail", "^1"}}, .optional = {{"rooms", "^2"}}});
  }

  std::shared_ptr<Bridge> start(const std::string& id, const test::Others& others = {},
                                const std::string& version = "1.0.0",
                                std::uint64_t generation = 1) {
    auto bridge = bridges_.make(make_manifest(id, version, others), generation);
    bridge->move_to(Phase::active);
    return bridge;
  }
  // With a service "post" in revision 2.
  std::shared_ptr<Bridge> start_mail(Serve serve, std::uint64_t generation = 1) {
    auto mail = bridges_.make(make_manifest("mail", "1.2.0"), generation);
    EXPECT_EQ(offer(*mail, "post", 2, std::move(serve)), TENON_OK);
    mail->move_to(Phase::active);
    mail->services_interface().publish();
    return mail;
  }
  Called ask(const test::ServiceCall& asked) { return call(*shop_, asked); }

  Bridges bridges_;
  std::shared_ptr<Bridge> shop_;
};

tenon_code say_all(const tenon_host* host, const Request& request, tenon_error*) {
  std::string text;
  for (const tenon_span part :
       {request.caller, request.caller_version, request.service, request.method, request.request})
    text += std::string(view(part)) + "|";
  return respond(host, request, text + std::to_string(request.revision));
}

TEST_F(Services, PassesTheCallerToTheProvider) {
  const auto mail = start_mail(&say_all);
  const Called called = ask({"mail.post", "send.All", "a\nb", 2});
  EXPECT_EQ(called.code, TENON_OK);
  EXPECT_EQ(called.response, "shop|1.0.0|post|send.All|a\nb|2");
  EXPECT_EQ(call(*mail, {"mail.post"}).response, "mail|1.2.0|post|say||1") << "its own";
}

TEST_F(Services, ExplainsWhyACallIsRefused) {
  const auto mail = start_mail(&say_all);
  const auto rooms = start("rooms");
  const auto other = start("other");
  for (const auto& bridge : {rooms, other})
    bridge->services_interface().publish();
  const struct {
    test::ServiceCall asked;
    tenon_code code;
    const char* name;
    const char* part;
  } cases[] = {
      {{"post"}, TENON_E_INVALID, "plugins.invalid_argument", "<plugin>.<name>"},
      {{"mail."}, TENON_E_INVALID, "plugins.invalid_argument", "<plugin>.<name>"},
      {{"mail.Post"}, TENON_E_INVALID, "plugins.invalid_argument", "<plugin>.<name>"},
      {{"mail.post", ""}, TENON_E_INVALID, "plugins.invalid_argument", "method"},
      {{"mail.post", "a b"}, TENON_E_INVALID, "plugins.invalid_argument", "method"},
      {{"mail.post", "say", "", 0}, TENON_E_INVALID, "plugins.invalid_argument", "revision"},
      {{"mail.post", "say", "", 1, 60'001}, TENON_E_INVALID, "plugins.invalid_argument", "60,000"},
      {{"other.any"}, TENON_E_DENIED, "services.not_declared", "neither requires nor optional"},
      {{"mail.parcel"}, TENON_E_NOT_FOUND, "services.unknown", "no service \"parcel\""},
      {{"mail.post", "say", "", 3}, TENON_E_UNSUPPORTED, "services.revision", "revision 2, and 3"},
      {{"rooms.any"}, TENON_E_UNAVAILABLE, "services.provider_version", "version 1.0.0"},
  };
  for (const auto& test : cases) {
    const Called called = ask(test.asked);
    EXPECT_EQ(called.code, test.code) << test.asked.service << " " << called.message;
    EXPECT_EQ(called.name, test.name) << test.asked.service;
    EXPECT_NE(called.message.find(test.part), std::string::npos) << called.message;
    EXPECT_EQ(called.response, "");
  }
  rooms->services_interface().unpublish();
  const Called away = ask({"rooms.any"});
  EXPECT_EQ(away.code, TENON_E_UNAVAILABLE);
  EXPECT_EQ(away.status, 503U);
  EXPECT_EQ(away.name, "services.provider_unavailable");
  EXPECT_EQ(away.message, "The plugin \"rooms\" is disabled.");
}

TEST_F(Services, PassesTheProvidersErrorToTheCaller) {
  const auto mail = start_mail([](const tenon_host*, const Request& request, tenon_error* error) {
    const std::string_view method = view(request.method);
    if (method == "full") return fail(error, TENON_E_CONSTRAINT, 409, "mail.full", "It is full.");
    if (method == "no_words") return tenon_code{TENON_E_BUSY};
    if (method == "nonsense") return tenon_code{77};
    if (method == "throw") throw std::runtime_error("the secret inside");
    return tenon_code{TENON_OK};
  });
  const Called full = ask({"mail.post", "full"});
  EXPECT_EQ(full.code, TENON_E_CONSTRAINT);
  EXPECT_EQ(full.status, 409U);
  EXPECT_EQ(full.name, "mail.full");
  EXPECT_EQ(full.message, "It is full.");
  EXPECT_EQ(ask({"mail.post", "no_words"}).code, TENON_E_BUSY);
  for (const char* method : {"nonsense", "throw"}) {
    const Called failed = ask({"mail.post", method});
    EXPECT_EQ(failed.code, TENON_E_INTERNAL) << method;
    EXPECT_EQ(failed.name, "services.failed");
    EXPECT_EQ(failed.message.find("secret"), std::string::npos);
  }
  EXPECT_EQ(ask({"mail.post", "forgets"}).name, "services.no_answer");
}

TEST_F(Services, TakesOneResponseWithinTheCall) {
  tenon_handle kept = 0;
  std::vector<tenon_code> codes;
  const auto mail = start_mail([&](const tenon_host* host, const Request& request, tenon_error*) {
    kept = request.handle;
    codes.push_back(respond(host, request, "first"));
    codes.push_back(respond(host, request, "second"));
    return tenon_code{TENON_OK};
  });
  EXPECT_EQ(ask({"mail.post"}).response, "first");
  Request over{};
  over.handle = kept;
  codes.push_back(respond(&mail->host(), over, "third"));
  codes.push_back(respond(&shop_->host(), over, "of another"));
  EXPECT_EQ(codes,
            (std::vector<tenon_code>{TENON_OK, TENON_E_STATE, TENON_E_HANDLE, TENON_E_HANDLE}));
}

TEST_F(Services, AcceptsAResponseFromAnotherThread) {
  const auto mail = start_mail([](const tenon_host* host, const Request& request, tenon_error*) {
    tenon_code code = TENON_E_INTERNAL;
    std::thread([&] { code = respond(host, request, "from elsewhere"); }).join();
    return code;
  });
  EXPECT_EQ(ask({"mail.post"}).response, "from elsewhere");
}

TEST_F(Services, BoundsRequestsAndResponses) {
  tenon_code too_large = TENON_OK;
  const auto mail = start_mail([&](const tenon_host* host, const Request& request, tenon_error*) {
    const std::string whole(view(request.request));
    too_large = respond(host, request, whole + "x");
    return respond(host, request, whole);
  });
  const std::string largest(ServicesInterface::max_bytes, 'a');
  EXPECT_EQ(ask({"mail.post", "say", largest}).response.size(), largest.size());
  EXPECT_EQ(too_large, TENON_E_TOO_LARGE);
  const Called beyond = ask({"mail.post", "say", largest + "a"});
  EXPECT_EQ(beyond.code, TENON_E_TOO_LARGE);
  EXPECT_EQ(beyond.name, "services.too_large");
}

TEST_F(Services, LimitsOffersToCreateAndStart) {
  auto mail = bridges_.make(make_manifest("mail"));
  int dropped = 0;
  // Copied into each offer: the last one to be destroyed counts.
  const std::shared_ptr<void> witness(nullptr, [&dropped](void*) { ++dropped; });
  const auto put = [&](std::string_view name, std::uint32_t revision) {
    return offer(*mail, name, revision, [witness](const tenon_host*, const Request&, tenon_error*) {
      return tenon_code{TENON_OK};
    });
  };
  const long before = witness.use_count();
  for (const char* name : {"", "Post", "a.b", "1234567890123456789012345678901234567890123456789"})
    EXPECT_EQ(put(name, 1), TENON_E_INVALID) << name;
  EXPECT_EQ(put("post", 0), TENON_E_INVALID);
  EXPECT_EQ(put("post", 10'000), TENON_E_INVALID);
  EXPECT_EQ(witness.use_count(), before) << "a refused handler is dropped";
  EXPECT_EQ(put("post", 9'999), TENON_OK);
  EXPECT_EQ(put("post", 1), TENON_E_INVALID) << "twice";
  for (int i = 1; i < 32; ++i)
    EXPECT_EQ(put("s" + std::to_string(i), 1), TENON_OK);
  EXPECT_EQ(put("more", 1), TENON_E_TOO_LARGE);
  tenon_code elsewhere = TENON_OK;
  std::thread([&] { elsewhere = put("elsewhere", 1); }).join();
  EXPECT_EQ(elsewhere, TENON_E_STATE);
  EXPECT_EQ(call(*mail, {"mail.post"}).code, TENON_E_STATE) << "in create";
  mail->move_to(Phase::active);
  EXPECT_EQ(put("late", 1), TENON_E_STATE);
  EXPECT_EQ(witness.use_count(), before + 32);
  mail->services_interface().drop_handlers();
  EXPECT_EQ(witness.use_count(), before);
  mail->move_to(Phase::stopping);
  EXPECT_EQ(call(*mail, {"mail.post"}).code, TENON_E_STATE) << "in stop";
}

TEST_F(Services, RefusesDeepCallCircles) {
  const auto ping = bridges_.make(make_manifest("ping", "1.0.0", {.optional = {{"pong", "*"}}}));
  const auto pong = bridges_.make(make_manifest("pong", "1.0.0", {.optional = {{"ping", "*"}}}));
  int entered = 0;
  Called innermost;
  const auto bounce = [&](Bridge& from, std::string_view to) {
    return [&entered, &innermost, &from, to](const tenon_host* host, const Request& request,
                                             tenon_error* error) {
      ++entered;
      const Called next = call(from, {to, "bounce"});
      if (innermost.name.empty()) innermost = next;
      if (next.code < 0)
        return fail(error, next.code, static_cast<int>(next.status), next.name, next.message);
      return respond(host, request, next.response);
    };
  };
  EXPECT_EQ(offer(*ping, "ball", 1, bounce(*ping, "pong.ball")), TENON_OK);
  EXPECT_EQ(offer(*pong, "ball", 1, bounce(*pong, "ping.ball")), TENON_OK);
  for (const auto& bridge : {ping, pong}) {
    bridge->move_to(Phase::active);
    bridge->services_interface().publish();
  }
  const Called called = call(*ping, {"pong.ball", "bounce"});
  EXPECT_EQ(entered, ServicesInterface::max_depth);
  EXPECT_EQ(called.code, TENON_E_STATE);
  EXPECT_EQ(called.name, "services.too_deep");
  EXPECT_NE(called.message.find("ping.ball → pong.ball → ping.ball"), std::string::npos)
      << called.message;
  entered = 0;
  EXPECT_EQ(call(*ping, {"pong.ball", "bounce"}).name, "services.too_deep") << "and again";
  EXPECT_EQ(entered, ServicesInterface::max_depth);
}

TEST_F(Services, PassesTheDeadlineToInnerCalls) {
  std::vector<std::uint32_t> left;
  std::shared_ptr<Bridge> mail;
  mail = start_mail([&](const tenon_host* host, const Request& request, tenon_error* error) {
    left.push_back(request.remaining_ms);
    if (view(request.method) == "outer") {
      const Called inner = call(*mail, {"mail.post", "inner", {}, 1, 60'000});
      return inner.code < 0 ? fail(error, inner.code, 503, inner.name, inner.message)
                            : respond(host, request, inner.response);
    }
    if (view(request.method) == "late") std::this_thread::sleep_for(30ms);
    return respond(host, request, "done");
  });
  EXPECT_EQ(ask({"mail.post", "outer", {}, 1, 20'000}).response, "done");
  ASSERT_EQ(left.size(), 2U);
  EXPECT_LE(left[1], left[0]);
  EXPECT_LE(left[0], 20'000U);
  ask({"mail.post", "inner"});
  EXPECT_LE(left[2], 10'000U);
  const Called late = ask({"mail.post", "late", {}, 1, 1});
  EXPECT_EQ(late.code, TENON_E_TIMEOUT);
  EXPECT_EQ(late.name, "services.timeout");
  EXPECT_EQ(late.response, "");
}

TEST_F(Services, RefusesACallThatMustNotWait) {
  const auto mail = start_mail([](const tenon_host* host, const Request& request, tenon_error*) {
    return respond(host, request, Frame::may_block() ? "may wait" : "may not");
  });
  const PluginName shop("shop");
  const Frame frame(shop, Operation::route, {}, false);
  EXPECT_EQ(ask({"mail.post"}).code, TENON_E_STATE);
  {
    const Frame worker(shop, Operation::route, {}, true);
    EXPECT_EQ(ask({"mail.post"}).response, "may wait");
  }
  EXPECT_FALSE(Frame::may_block());
}

TEST_F(Services, LimitsConcurrentCallsOfAProvider) {
  constexpr int max_calls = static_cast<int>(ServicesInterface::max_calls);
  std::latch inside(max_calls);
  std::latch go(1);
  const auto mail = start_mail([&](const tenon_host* host, const Request& request, tenon_error*) {
    inside.count_down();
    go.wait();
    return respond(host, request, "done");
  });
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < max_calls; ++i) {
    threads.emplace_back([&] {
      if (ask({"mail.post", "say", {}, 1, 60'000}).response == "done") ++done;
    });
  }
  inside.wait();
  EXPECT_EQ(mail->services_interface().in_flight(), max_calls);
  const Called one_more = ask({"mail.post"});
  EXPECT_EQ(one_more.code, TENON_E_BUSY);
  EXPECT_EQ(one_more.name, "services.busy");
  go.count_down();
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(done, max_calls);
}

TEST_F(Services, RefusesAResponseToACancelledCall) {
  std::shared_ptr<Bridge> mail;
  tenon_code refused = TENON_OK;
  mail = start_mail([&](const tenon_host* host, const Request& request, tenon_error*) {
    mail->services_interface().unpublish();
    EXPECT_FALSE(mail->services_interface().wait_idle(1ms)) << "this one is inside";
    mail->services_interface().give_up();
    refused = respond(host, request, "too late");
    return tenon_code{TENON_OK};
  });
  const Called called = ask({"mail.post"});
  EXPECT_EQ(refused, TENON_E_HANDLE);
  EXPECT_EQ(called.code, TENON_E_UNAVAILABLE);
  EXPECT_EQ(called.name, "services.cancelled");
  EXPECT_TRUE(mail->services_interface().wait_idle(0ms));
  EXPECT_EQ(ask({"mail.post"}).name, "services.provider_unavailable");
}

TEST_F(Services, LosesNoCallDuringAnUpgrade) {
  const auto serve = [](const tenon_host* host, const Request& request, tenon_error*) {
    return respond(host, request, std::to_string(host->generation));
  };
  std::shared_ptr<Bridge> mail = start_mail(serve, 1);
  std::atomic<bool> is_done{false};
  std::atomic<int> lost{0};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      std::uint64_t newest = 0;
      while (!is_done) {
        const Called called = ask({"mail.post"});
        const std::uint64_t generation = called.code < 0 ? 0 : std::stoull(called.response);
        if (generation < newest) ++lost;
        newest = generation;
        ++done;
      }
    });
  }
  for (std::uint64_t generation = 2; generation <= 50; ++generation) {
    const std::shared_ptr<Bridge> next = start_mail(serve, generation);
    // The old one goes after the new one is there, and is quiet when its calls have returned.
    mail->services_interface().unpublish();
    EXPECT_TRUE(mail->services_interface().wait_idle(10s));
    mail->services_interface().drop_handlers();
    mail = next;
    const int before = done;
    while (done < before + 3)
      std::this_thread::yield();
  }
  is_done = true;
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(ask({"mail.post"}).response, "50");
}

}  // namespace
}  // namespace tenon::plugins
