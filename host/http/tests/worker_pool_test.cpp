#include "http/workers/worker_pool.hpp"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "test_server.hpp"

namespace tenon::http::test {
namespace {

TEST(WorkerPool, RunsEverythingThatWasSubmitted) {
  WorkerPool pool({.threads = 4, .queue = 100'000, .share_queue = 100'000});
  const auto share = pool.make_share("test");
  std::atomic<int> run{0};
  std::vector<std::thread> submitters;
  for (int thread = 0; thread < 4; ++thread) {
    submitters.emplace_back([&] {
      for (int i = 0; i < 5000; ++i)
        EXPECT_TRUE(pool.submit(*share, [&] { ++run; }));
    });
  }
  for (std::thread& submitter : submitters)
    submitter.join();
  pool.stop();
  EXPECT_EQ(run, 20'000);
}

TEST(WorkerPool, RefusesBeyondItsQueues) {
  WorkerPool pool({.threads = 1, .queue = 3, .share_queue = 2});
  const auto first = pool.make_share("first");
  const auto second = pool.make_share("second");
  Gate gate;
  EXPECT_TRUE(pool.submit(*first, [&] { gate.pass(); }));
  gate.wait_for(1);
  EXPECT_TRUE(pool.submit(*first, [] {}));
  EXPECT_TRUE(pool.submit(*first, [] {}));
  EXPECT_FALSE(pool.submit(*first, [] {}));  // its share
  EXPECT_TRUE(pool.submit(*second, [&] { gate.pass(); }));
  gate.wait_for(2);
  EXPECT_TRUE(pool.submit(*second, [] {}));
  EXPECT_FALSE(pool.submit(*second, [] {}));  // all shares
  const WorkerPool::Statistics now = pool.statistics();
  EXPECT_EQ(now.running, 2U);
  EXPECT_EQ(now.waiting, 3U);
  EXPECT_EQ(now.refused, 2U);
  gate.open();
}

TEST(WorkerPool, TakesContinuationsBeyondItsQueues) {
  class Counting final : public WorkerJob {
   public:
    void run() noexcept override { ++count; }
    std::atomic<int> count{0};
  };
  WorkerPool pool({.threads = 1, .queue = 1, .share_queue = 1});
  const auto share = pool.make_share("test");
  Gate gate;
  Counting job;
  EXPECT_TRUE(pool.submit(*share, [&] { gate.pass(); }));
  gate.wait_for(1);
  EXPECT_TRUE(pool.submit(*share, [] {}));
  EXPECT_FALSE(pool.submit(*share, job));
  EXPECT_TRUE(pool.resume(*share, job));
  gate.open();
  pool.stop();
  EXPECT_EQ(job.count, 1);
  EXPECT_FALSE(pool.resume(*share, job));
}

TEST(WorkerPool, LimitsTheThreadsOfAShare) {
  WorkerPool pool({.threads = 8, .queue = 100, .share_queue = 100});
  const auto share = pool.make_share("test", 2);
  std::atomic<int> running{0};
  std::atomic<int> max{0};
  for (int i = 0; i < 50; ++i) {
    pool.submit(*share, [&] {
      const int now = ++running;
      int seen = max;
      while (now > seen && !max.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --running;
    });
  }
  pool.stop();
  EXPECT_LE(max, 2);
}

TEST(WorkerPool, AlternatesBetweenShares) {
  WorkerPool pool({.threads = 1, .queue = 100, .share_queue = 100});
  const auto greedy = pool.make_share("greedy");
  const auto modest = pool.make_share("modest");
  Gate gate;
  std::mutex mutex;
  std::string order;
  const auto note = [&](char name) {
    return [&, name] {
      const std::lock_guard lock(mutex);
      order += name;
    };
  };
  pool.submit(*greedy, [&] { gate.pass(); });
  gate.wait_for(1);
  for (int i = 0; i < 10; ++i)
    pool.submit(*greedy, note('g'));
  gate.open();
  pool.submit(*modest, note('m'));
  pool.stop();
  EXPECT_NE(order.find('m'), std::string::npos);
  EXPECT_EQ(order.size(), 11U);
}

TEST(WorkerPool, FinishesAShareThatItsOwnerDropped) {
  WorkerPool pool({.threads = 2});
  auto share = pool.make_share("test");
  std::atomic<int> run{0};
  for (int i = 0; i < 100; ++i)
    pool.submit(*share, [&] { ++run; });
  share.reset();
  pool.stop();
  EXPECT_EQ(run, 100);
}

}  // namespace
}  // namespace tenon::http::test
