#include <chrono>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

using namespace std::chrono_literals;

Json rooms(const ServiceRequest& request) {
  if (request.method() == "find") {
    return {{"caller", request.caller()},        {"version", request.caller_version()},
            {"service", request.service()},      {"revision", request.revision()},
            {"left", request.remaining() / 1ms}, {"asked", request.json()}};
  }
  if (request.method() == "full") throw Error(409, "test.full", "All rooms are taken.");
  if (request.method() == "throw") throw std::runtime_error("the secret inside");
  throw request.unknown_method();
}

// Calls a service of the plugin's own from start. Returns the error that the call ends with.
template <class F>
Error failure_of(FakeHost& host, F call) {
  Error failure(500, "none", "It did not fail.");
  RunningPlugin running(
      host,
      Steps{.create = [](Scripted& plugin) { plugin.host().services().offer("rooms", 3, &rooms); },
            .start =
                [&](Scripted& plugin) {
                  try {
                    call(plugin.host().services());
                  } catch (const Error& error) {
                    failure = error;
                  }
                }});
  EXPECT_EQ(running.started, TENON_OK) << running.error.message;
  return failure;
}

TEST(Services, ReturnJsonBytesOrNothing) {
  FakeHost host;
  Json found;
  std::string bytes = "x";
  std::string nothing = "x";
  RunningPlugin running(
      host, Steps{.create =
                      [](Scripted& plugin) {
                        Services& services = plugin.host().services();
                        services.offer("rooms", 3, &rooms);
                        services.offer("bytes", 1, [](const ServiceRequest& request) {
                          return std::string(request.bytes()) + '\0' + "b";
                        });
                        services.offer("nothing", 1, [](const ServiceRequest&) {});
                      },
                  .start =
                      [&](Scripted& plugin) {
                        Services& services = plugin.host().services();
                        found = services.call("test.rooms", 2, "find", {{"seats", 4}}, 250ms);
                        bytes = services.call_bytes("test.bytes", 1, "any", "a");
                        nothing = services.call_bytes("test.nothing", 1, "any", {});
                      }});
  ASSERT_EQ(running.started, TENON_OK) << running.error.message;
  EXPECT_EQ(found, (Json{{"caller", "test"},
                         {"version", "1.0.0"},
                         {"service", "rooms"},
                         {"revision", 2},
                         {"left", 250},
                         {"asked", {{"seats", 4}}}}));
  EXPECT_EQ(bytes, std::string("a\0b", 3));
  EXPECT_EQ(nothing, "");
}

TEST(Services, PassErrorOfProviderToCaller) {
  FakeHost host;
  const Error full = failure_of(host, [](Services& all) { all.call("test.rooms", 1, "full", {}); });
  EXPECT_EQ(full.status(), 409);
  EXPECT_EQ(full.code(), "test.full");
  EXPECT_EQ(full.message(), "All rooms are taken.");
  EXPECT_TRUE(full.is(TENON_E_CONSTRAINT));
  const Error unknown =
      failure_of(host, [](Services& all) { all.call("test.rooms", 1, "lose", {}); });
  EXPECT_EQ(unknown.code(), "services.unknown_method");
  EXPECT_TRUE(unknown.is(TENON_E_NOT_FOUND));
  const Error no_json =
      failure_of(host, [](Services& all) { all.call_bytes("test.rooms", 1, "find", "{"); });
  EXPECT_EQ(no_json.code(), "request.json");
  EXPECT_TRUE(no_json.is(TENON_E_INVALID));
}

TEST(Services, LogOtherExceptionsOfProvider) {
  FakeHost host;
  const Error failure =
      failure_of(host, [](Services& all) { all.call("test.rooms", 1, "throw", {}); });
  EXPECT_TRUE(failure.is(TENON_E_INTERNAL));
  EXPECT_EQ(failure.message().find("secret"), std::string::npos);
  EXPECT_TRUE(host.logged("the secret inside"));
}

TEST(Services, ReportUnavailableProvider) {
  FakeHost host;
  host.away = TENON_E_UNAVAILABLE;
  const Error failure =
      failure_of(host, [](Services& all) { all.call("other.rooms", 1, "find", {}); });
  EXPECT_EQ(failure.status(), 503);
  EXPECT_TRUE(failure.is(TENON_E_UNAVAILABLE));
}

TEST(Services, NeedAStartedPluginAndAHost) {
  FakeHost host;
  RunningPlugin early(
      host, [](Scripted& plugin) { plugin.host().services().call("test.rooms", 1, "find", {}); });
  EXPECT_LT(early.created, 0);
  FakeHost older;
  older.limit(TENON_SERVICES_ID, 0);
  RunningPlugin without(
      older, [](Scripted& plugin) { plugin.host().services().offer("rooms", 1, &rooms); });
  EXPECT_LT(without.created, 0);
  EXPECT_NE(std::string(without.error.message).find("tenon.services/1"), std::string::npos);
}

}  // namespace
}  // namespace tenon::test
