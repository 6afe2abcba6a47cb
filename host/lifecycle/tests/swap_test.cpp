#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "lifecycle/lifecycle.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;
using test::RawClient;
using test::refused;
using test::Reply;

class SwapWithoutWrites : public testing::Test {
 protected:
  void SetUp() override {
    host_.put_probe();
    host_.start();
  }
  std::uint64_t generation() { return host_.status("probe").generation; }
  // Returns its error code; empty if the swap continues.
  std::string swap(std::uint64_t of_generation) {
    const NoWritesSince only{of_generation};
    return refused([&] {
      host_.lifecycle().swap(
          "probe", {}, [this] { ++commits_; }, [] {}, &only);
    });
  }

  PluginHost host_;
  int commits_ = 0;
};

TEST_F(SwapWithoutWrites, ContinuesIfNothingWasWritten) {
  EXPECT_EQ(host_.get("/api/probe/rows").body, "0 number");
  EXPECT_EQ(swap(generation()), "");
  EXPECT_EQ(commits_, 1);
  EXPECT_EQ(generation(), 2U);
  EXPECT_EQ(host_.get("/api/probe/hello").status, 200);
}

TEST_F(SwapWithoutWrites, ChangesNothingIfSomethingWasWritten) {
  EXPECT_EQ(host_.post("/api/probe/rows").status, 201);
  EXPECT_EQ(swap(generation()), "plugins.writes_since_upgrade");
  EXPECT_EQ(swap(7), "plugins.replaced");
  EXPECT_EQ(commits_, 0);
  EXPECT_EQ(generation(), 1U);
  // Another generation has not written.
  host_.lifecycle().disable("probe");
  EXPECT_EQ(swap(generation()), "plugins.replaced");
  host_.lifecycle().enable("probe");
  EXPECT_EQ(swap(generation()), "");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "1 number");
}

// A request whose body is on its way when the swap begins, and whose write is acknowledged while
// others wait. If the test was too slow, the request was refused, and the test tries again.
TEST_F(SwapWithoutWrites, DetectsAWriteAcknowledgedDuringSuspend) {
  for (int i = 0; i < 10; ++i) {
    RawClient writing(host_.port());
    writing.send("POST /api/probe/rows HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx");
    const std::uint64_t before = generation();
    while (host_.router().current().find("/api/probe")->routes->gate().in_flight() == 0)
      std::this_thread::yield();
    std::string code;
    std::thread swapping([&] { code = swap(before); });
    while (host_.router().current().find("/api/probe")->hold == nullptr)
      std::this_thread::yield();
    writing.send("y");
    const Reply reply = writing.read_reply();
    swapping.join();
    ASSERT_EQ(reply.status == 201, code == "plugins.writes_since_upgrade")
        << reply.head << reply.body << code;
    EXPECT_EQ(generation(), before + 1) << "it was begun again";
    EXPECT_EQ(host_.get("/api/probe/hello").status, 200);
    if (reply.status != 201) continue;
    EXPECT_EQ(commits_, i);
    EXPECT_EQ(host_.get("/api/probe/rows").body, "1 number");
    return;
  }
  FAIL() << "none was acknowledged";
}

}  // namespace
}  // namespace tenon::plugins
