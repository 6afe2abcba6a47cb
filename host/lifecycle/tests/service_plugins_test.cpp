#include <atomic>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "lifecycle/lifecycle.hpp"
#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using namespace std::chrono_literals;
using test::PluginHost;

// "asker" can do without "teller", whose service it calls; both are relay.c.
void put(PluginHost& host, const std::string& library = "teller",
         const std::string& version = "1.0.0") {
  host.put("teller", library, version);
  host.put("asker", "asker", "1.0.0", R"(,"optional":{"teller":"^1 || ^2"})");
}

std::string ask(PluginHost& host, const std::string& method, const std::string& request) {
  return host.get("/api/asker/ask/teller.echo/" + method + "/" + request).body;
}

// The tests wait without an end for responses of both plugins.
void start(PluginHost& host) {
  host.start();
  if (const std::string reply = ask(host, "say", "x"); reply != "0 1.0.0 x")
    throw std::runtime_error("the plugins do not run: " + reply);
}

// Asks on a thread of its own; returns once the call is inside, where it stays until
// release_call().
std::thread wait_inside(PluginHost& host, std::string& reply) {
  EXPECT_EQ(::setenv("RELAY_GO", (host.folder() + "/go").c_str(), 1), 0);
  std::thread caller([&host, &reply] { reply = ask(host, "wait", "x"); });
  while (host.get("/api/teller/inside").body != "1")
    std::this_thread::yield();
  return caller;
}

void release_call(const PluginHost& host) {
  std::ofstream(host.folder() + "/go") << "go";
}

TEST(ServicePlugins, OffersAServiceWhileItsPluginIsActive) {
  PluginHost host;
  put(host);
  start(host);
  EXPECT_EQ(ask(host, "say", "hello"), "0 1.0.0 hello");
  EXPECT_EQ(ask(host, "sing", "hello"), "-11 relay.unknown_method");
  EXPECT_EQ(host.get("/api/teller/ask/asker.echo/say/x").body, "-10 services.not_declared");
  host.lifecycle().disable("teller");
  EXPECT_EQ(ask(host, "say", "hello"), "-16 services.provider_unavailable");
  host.lifecycle().enable("teller");
  EXPECT_EQ(ask(host, "say", "again"), "0 1.0.0 again");
  host.lifecycle().disable("asker");
  EXPECT_EQ(host.lifecycle().disable("teller").state, State::disabled);
  EXPECT_EQ(host.mapped(), 0U);
}

TEST(ServicePlugins, CallsTheUpgradedProviderNext) {
  PluginHost host;
  put(host);
  start(host);
  EXPECT_EQ(ask(host, "say", "hello"), "0 1.0.0 hello");
  host.lifecycle().disable("teller");
  put(host, "teller_upgraded", "2.0.0");
  host.lifecycle().enable("teller");
  EXPECT_EQ(ask(host, "say", "hello"), "0 2.0.0 hello");
}

TEST(ServicePlugins, WaitsForARunningCallWhenDisabled) {
  PluginHost::Options options;
  options.drain = 60s;
  PluginHost host(options);
  put(host);
  start(host);
  std::string reply;
  std::thread caller = wait_inside(host, reply);
  std::atomic<bool> is_disabled{false};
  std::thread disabling([&] {
    EXPECT_EQ(host.lifecycle().disable("teller").state, State::disabled);
    is_disabled = true;
  });
  while (ask(host, "say", "x") != "-16 services.provider_unavailable")
    std::this_thread::yield();
  EXPECT_FALSE(is_disabled);
  release_call(host);
  disabling.join();
  caller.join();
  EXPECT_EQ(reply, "0 1.0.0 x");
  EXPECT_EQ(host.lifecycle().resident("teller"), 0U);
  EXPECT_EQ(ask(host, "say", "x"), "-16 services.provider_unavailable");
}

TEST(ServicePlugins, GivesUpACallThatDoesNotReturn) {
  PluginHost::Options options;
  options.drain = 50ms;
  PluginHost host(options);
  put(host);
  start(host);
  std::string reply;
  std::thread caller = wait_inside(host, reply);
  host.lifecycle().disable("teller");
  EXPECT_EQ(ask(host, "say", "x"), "-16 services.provider_unavailable") << "other calls continue";
  release_call(host);
  caller.join();
  EXPECT_EQ(reply, "-16 services.cancelled");
  host.lifecycle().enable("teller");
  EXPECT_EQ(ask(host, "say", "x"), "0 1.0.0 x");
}

TEST(ServicePlugins, SurvivesRestartsUnderLoad) {
  PluginHost host;
  put(host);
  start(host);
  const std::size_t mapped = host.mapped();
  std::atomic<bool> is_done{false};
  std::atomic<int> replies{0};
  std::atomic<int> away{0};
  std::vector<std::string> wrong(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      while (!is_done) {
        const std::string reply = ask(host, "say", "x");
        if (reply == "0 1.0.0 x")
          ++replies;
        else if (reply == "-16 services.provider_unavailable")
          ++away;
        else
          wrong[i] = reply;
      }
    });
  }
  for (int cycle = 0; cycle < 15; ++cycle) {
    const int replies_before = replies;
    host.lifecycle().disable("teller");
    const int away_before = away;
    while (away == away_before)
      std::this_thread::yield();
    host.lifecycle().enable("teller");
    while (replies == replies_before)
      std::this_thread::yield();
  }
  is_done = true;
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<std::string>(3));
  EXPECT_EQ(host.mapped(), mapped);
}

}  // namespace
}  // namespace tenon::plugins
