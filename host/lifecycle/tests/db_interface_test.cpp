#include <thread>

#include <gtest/gtest.h>

#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;
using test::Reply;

class DbInterfaceTest : public testing::Test {
 protected:
  DbInterfaceTest() {
    host_.put_probe();
    host_.start();
  }
  PluginHost host_;
};

TEST_F(DbInterfaceTest, WritesAndReadsItsOwnTables) {
  EXPECT_EQ(host_.get("/api/probe/rows").body, "0 number");
  for (int i = 0; i < 5; ++i) {
    const Reply reply = host_.post("/api/probe/rows", "row");
    EXPECT_EQ(reply.status, 201) << reply.body;
  }
  EXPECT_EQ(host_.get("/api/probe/rows").body, "5 number");
  EXPECT_EQ(host_.status("probe").tables, std::vector<std::string>{"rows"});
}

TEST_F(DbInterfaceTest, KeepsItsDataOverDisablingAndRestart) {
  host_.post("/api/probe/rows", "row");
  host_.lifecycle().disable("probe");
  host_.lifecycle().enable("probe");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "1 number");
  host_.restart();
  host_.start();
  EXPECT_EQ(host_.get("/api/probe/rows").body, "1 number");
}

TEST_F(DbInterfaceTest, RefusesEveryMisuseByCode) {
  const Reply reply = host_.get("/api/probe/misuse-db");
  EXPECT_EQ(reply.body,
            "mode=-1 deadline=-1 null=-1 stale=-2 request_as_transaction=-2 cell_type=-1 "
            "cell_bytes=-1 cells_null=-1 sql=-12 "
            "denied=-10 attach=-10 begin=0 query=0 rows=21 done=3 rollback=0 rollback_twice=-2 "
            "commit_over=-2 cursor_over=-2 "
            "close_over=-2 ");
  // The author of a statement may read what is wrong with it.
  EXPECT_EQ(host_.count("sql near \"SELEC\""), 1U) << testing::PrintToString(host_.journal());
}

TEST_F(DbInterfaceTest, LimitsOpenTransactionsAndCursors) {
  EXPECT_EQ(host_.get("/api/probe/hoard").body, "count=1024 code=-6");
  // All of it was given back.
  EXPECT_EQ(host_.get("/api/probe/rows").status, 200);
  EXPECT_EQ(host_.get("/api/probe/hoard").body, "count=1024 code=-6");
}

TEST_F(DbInterfaceTest, RefusesCallsInOtherStates) {
  host_.lifecycle().disable("probe");
  EXPECT_EQ(host_.count("create 1.0.0 begin=-3"), 1U);
  EXPECT_EQ(host_.count("stop begin=-3 respond=-3"), 1U);
}

TEST_F(DbInterfaceTest, GivesRowsAsJson) {
  EXPECT_EQ(host_.get("/api/probe/json-rows?shape=1").body, "[]");
  host_.post("/api/probe/rows", "a\"b");
  host_.post("/api/probe/rows", "c");
  EXPECT_EQ(host_.get("/api/probe/json-rows?shape=1").body,
            R"([{"body":"a\"b","is_row":true},{"body":"c","is_row":true}])");
  EXPECT_EQ(host_.get("/api/probe/json-rows?shape=2").body, R"({"body":"a\"b","is_row":true})");
  EXPECT_EQ(host_.get("/api/probe/json-rows?shape=3").body, "code=3 ");
  EXPECT_EQ(host_.get("/api/probe/json-rows?shape=4").body,
            "shape=-1 sink=-1 fn=-1 sql=-12 writes=-10 json=-12 stale=-2 ");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "2 number");
}

TEST_F(DbInterfaceTest, QueuesWritesFromInlineRoutes) {
  EXPECT_EQ(host_.post("/api/probe/queued", "").body, "exec=0 done=0 error= wait=-3");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "1 number");
  EXPECT_EQ(host_.post("/api/probe/queued?mode=1", "").body, "exec=0 done=-11 error= wait=-3");
  EXPECT_EQ(host_.post("/api/probe/queued?mode=2", "").body,
            "exec=0 rollback=0 done=0 error= wait=-3");
  EXPECT_EQ(host_.post("/api/probe/queued?mode=3", "").body, "exec=-9 done=-9 error= wait=-3");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "1 number");
  EXPECT_EQ(host_.post("/api/probe/queued?mode=4", "").body,
            "exec=0 begin=-3 own=-3 commit=-3 query=0 close=0 done=0 error= wait=-3");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "2 number");
  EXPECT_EQ(host_.post("/api/probe/queued?mode=5", "").body, "done=-1 none=-1 deadline=-1 ");
  host_.lifecycle().disable("probe");
  EXPECT_EQ(host_.count("dropped"), 7U);
}

TEST_F(DbInterfaceTest, CompletesEveryQueuedWrite) {
  std::vector<std::thread> threads;
  std::atomic<int> written{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const bool is_queued = i % 4 != 0;
        const Reply reply =
            host_.post(is_queued ? "/api/probe/queued" : "/api/probe/rows", is_queued ? "" : "row");
        written += is_queued ? reply.body == "exec=0 done=0 error= wait=-3" : reply.status == 201;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(written, 160);
  EXPECT_EQ(host_.get("/api/probe/rows").body, "160 number");
}

TEST_F(DbInterfaceTest, SerializesManyWriters) {
  std::vector<std::thread> threads;
  std::atomic<int> written{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        written += host_.post("/api/probe/rows", "row").status == 201;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(written, 160);
  EXPECT_EQ(host_.get("/api/probe/rows").body, "160 number");
}

}  // namespace
}  // namespace tenon::plugins
