#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins::test {
namespace {

using std::chrono::milliseconds;

// Returns the state that the admin reads once it is `expected`, or the state after 60 s.
std::string state_after_a_while(PluginHost& host, const std::string& expected) {
  for (int i = 0; i < 6'000 && host.state("broken") != expected; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  return host.state("broken");
}

TEST(Health, RefusesToActivateAnUnhealthyPlugin) {
  PluginHost host;
  host.put("broken", "unhealthy");
  host.put_probe();
  host.start();
  EXPECT_EQ(host.state("broken"), "failed:plugins.unhealthy");
  EXPECT_NE(host.status("broken").reason->message.find("It has no water (broken.ill)"),
            std::string::npos);
  EXPECT_EQ(host.mapped(), 1U);
  // One without a health check is not asked.
  EXPECT_EQ(host.state("probe"), "active");
}

TEST(Health, AbandonsAPluginWhoseCheckHangs) {
  PluginHost host({.health_timeout = milliseconds(100)});
  host.put("broken", "health_hangs");
  host.start();
  EXPECT_EQ(host.state("broken"), "failed:plugins.health_timeout");
  EXPECT_NE(host.status("broken").reason->message.find("100 ms"), std::string::npos);
  EXPECT_EQ(host.mapped(), 1U);
}

TEST(Health, AbandonsALaterHangingPluginWhenDisabled) {
  PluginHost host({.drain = milliseconds(100),
                   .health_timeout = milliseconds(2'000),
                   .health_pause = milliseconds(10)});
  host.put("broken", "health_hangs_later");
  host.start();
  EXPECT_EQ(state_after_a_while(host, "active:plugins.health_timeout"),
            "active:plugins.health_timeout");
  EXPECT_EQ(host.lifecycle().disable("broken").state, State::disabled);
  EXPECT_EQ(host.mapped(), 1U);
  // The next one has a library of its own.
  host.put("broken", "sound");
  EXPECT_EQ(host.lifecycle().enable("broken").state, State::active);
  EXPECT_EQ(host.state("broken"), "active");
}

}  // namespace
}  // namespace tenon::plugins::test
