#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "data/metrics.hpp"
#include "engines/tests/support.hpp"
#include "observability/metrics.hpp"
#include "observability/slow_log.hpp"
#include "observability/trace.hpp"

namespace tenon::data::test {

namespace {

using observability::Trace;
using observability::Work;
using observability::WorkScope;

std::map<std::string, int> names(const Trace& trace) {
  std::map<std::string, int> found;
  for (const observability::Span& span : trace.spans())
    ++found[span.name];
  return found;
}

}  // namespace

class StatementWatchTest : public ItemsTest {
 protected:
  Trace trace_{nullptr};
  Work work_{.request_id = "r-1", .trace = &trace_};
};

TEST_F(StatementWatchTest, ReportsNothingWithoutATrace) {
  database().exec("INSERT INTO items (id) VALUES (1)");
  EXPECT_EQ(items(), 1);
  EXPECT_TRUE(trace_.spans().empty());
}

TEST_F(StatementWatchTest, AWriteIsItsStatementsAndItsCommit) {
  const WorkScope scope(&work_);
  database().exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {7, "secret"});
  EXPECT_EQ(names(trace_), (std::map<std::string, int>{{"statement", 1}, {"commit", 1}}));
  const auto& statement = trace_.spans()[0];
  EXPECT_EQ(statement.statement, "INSERT INTO items (id, text) VALUES (?1, ?2)");
  EXPECT_EQ(statement.database, "items.db");
  EXPECT_FALSE(statement.has_failed);
  EXPECT_LE(statement.begin, statement.end);
}

TEST_F(StatementWatchTest, AQueryIsOneSpanHoweverItEnds) {
  database().exec("INSERT INTO items (id) VALUES (1), (2), (3)");
  const WorkScope scope(&work_);
  {
    auto all = database().query("SELECT id FROM items");
    while (all.next()) {
    }
  }
  EXPECT_EQ(trace_.spans().size(), 1U);
  {
    auto first = database().query("SELECT id FROM items ORDER BY id");
    EXPECT_TRUE(first.next());
  }
  EXPECT_EQ(trace_.spans().size(), 2U);
  { auto none = database().query("SELECT id FROM items WHERE id = 9"); }
  EXPECT_EQ(trace_.spans().size(), 2U) << "never stepped";
  auto cursor = database().open_cursor("SELECT id FROM items");
  EXPECT_EQ(cursor.next().rows, 3U);
  EXPECT_EQ(trace_.spans().size(), 3U);
}

TEST_F(StatementWatchTest, ReportsAFailedStatement) {
  database().exec("INSERT INTO items (id) VALUES (1)");
  const WorkScope scope(&work_);
  EXPECT_NE(code_of([&] { database().exec("INSERT INTO items (id) VALUES (1)"); }), "none");
  ASSERT_FALSE(trace_.spans().empty());
  EXPECT_TRUE(trace_.spans()[0].has_failed);
}

TEST_F(StatementWatchTest, ReportsAStatementCancelledAtItsDeadline) {
  const WorkScope scope(&work_);
  EXPECT_EQ(code_of([&] {
              auto rows = database().query(
                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                  "SELECT count(*) FROM n",
                  {}, std::chrono::milliseconds(20));
              rows.next();
            }),
            "data.timeout");
  ASSERT_EQ(trace_.spans().size(), 1U);
  EXPECT_TRUE(trace_.spans()[0].has_failed);
  EXPECT_GE(trace_.spans()[0].end - trace_.spans()[0].begin, 20'000'000);
}

TEST_F(StatementWatchTest, CountsWorkOfOtherThreadsForItsOwner) {
  // The holder of the write lock runs what the others queued.
  constexpr int writers = 8;
  constexpr int rounds = 30;
  std::vector<std::unique_ptr<Trace>> traces;
  for (int i = 0; i < writers; ++i)
    traces.push_back(std::make_unique<Trace>(nullptr));
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([&, i] {
      Trace* own = traces[static_cast<std::size_t>(i)].get();
      const Work work{.request_id = "r", .trace = own};
      const WorkScope scope(&work);
      for (int round = 0; round < rounds; ++round) {
        database().write([&](Transaction& transaction) {
          EXPECT_EQ(observability::current_trace(), own);
          transaction.exec("INSERT INTO items (text) VALUES (?1)", {i});
        });
        EXPECT_EQ(observability::current_trace(), own);
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  for (const auto& trace : traces) {
    auto found = names(*trace);
    EXPECT_EQ(found["statement"], rounds);
    EXPECT_EQ(found["commit"] + found["write with others"], rounds);
  }
  const Statistics statistics = database().statistics();
  EXPECT_EQ(statistics.writes, writers * rounds + 1U);
  std::uint64_t groups = 0;
  for (const std::uint64_t count : statistics.group_size)
    groups += count;
  EXPECT_EQ(groups, statistics.groups);
}

TEST_F(StatementWatchTest, FiguresHaveThePluginAsLabel) {
  database().exec("INSERT INTO items (id) VALUES (1)");
  observability::Metrics metrics;
  metrics.add_collector(
      [this](observability::MetricsSink& sink) { write_metrics(sink, "notes", database()); });
  const std::string page = metrics.prometheus();
  for (const char* line : {"tenon_data_writes_total{plugin=\"notes\"} 2\n",
                           "tenon_data_group_size_bucket{plugin=\"notes\",le=\"1\"} 2\n",
                           "tenon_data_commit_duration_seconds_count{plugin=\"notes\"} 2\n",
                           "tenon_data_write_wait_seconds_count{plugin=\"notes\"} 0\n"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line << page;
  }
}

}  // namespace tenon::data::test
