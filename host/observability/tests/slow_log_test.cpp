#include "observability/slow_log.hpp"

#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "observability/access_log.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/trace.hpp"

namespace tenon::observability {

namespace {

// Returns what the log of the process gets while `work` runs.
std::string logged(const std::function<void()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  {
    LogOptions options;
    options.descriptor = ends[1];
    options.format = config::LogFormat::json;
    Log log(options);
    install_log(&log);
    work();
    install_log(nullptr);
  }
  ::close(ends[1]);
  std::string text(65536, '\0');
  const ssize_t count = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

class SlowLog : public testing::Test {
 protected:
  void TearDown() override { set_slow_limits({.request = {}, .statement = {}}); }
};

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string total_of_slow_requests() {
  Metrics metrics;
  add_slow_metrics(metrics);
  const std::string text = metrics.prometheus();
  const std::size_t at = text.find("\ntenon_http_slow_requests_total ") + 32;
  return text.substr(at, text.find('\n', at) - at);
}

constexpr std::int64_t ms = 1'000'000;

}  // namespace

TEST_F(SlowLog, LogsBeyondTheLimitAndNeverForZero) {
  EXPECT_FALSE(is_slow_request(3'600'000 * ms));
  EXPECT_FALSE(is_noteworthy(3'600'000 * ms));
  set_slow_limits({.request = std::chrono::milliseconds(5), .statement = {}});
  EXPECT_FALSE(is_slow_request(5 * ms));
  EXPECT_TRUE(is_slow_request(5 * ms + 1));
  EXPECT_FALSE(is_noteworthy(3'600'000 * ms));
  set_slow_limits({.request = {}, .statement = std::chrono::milliseconds(5)});
  EXPECT_FALSE(is_slow_request(6 * ms));
  EXPECT_FALSE(is_noteworthy(5 * ms));
  EXPECT_TRUE(is_noteworthy(5 * ms + 1));
}

TEST_F(SlowLog, NamesTheStatementAndItsRequest) {
  set_slow_limits({.request = {}, .statement = std::chrono::milliseconds(5)});
  const Work work{.request_id = "r-1", .plugin = "notes", .route = "GET /api/notes/notes"};
  const std::string text = logged([&] {
    const WorkScope scope(&work);
    note_statement(
        {.sql = "SELECT ?1", .database = "/srv/data/notes.db", .begin = 0, .end = 7 * ms});
    note_statement({.sql = "quick", .database = "/srv/data/notes.db", .begin = 0, .end = 5 * ms});
  });
  for (const char* part :
       {R"("level":"warning")", R"("message":"slow statement")", R"("request_id":"r-1")",
        R"("plugin":"notes")", R"("route":"GET /api/notes/notes")", R"("statement":"SELECT ?1")",
        R"("database":"notes.db")", R"("duration_ms":7)", R"("failed":false)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("quick"), std::string::npos);
  EXPECT_EQ(text.find("left_out"), std::string::npos);
}

TEST_F(SlowLog, AddsASpanForAQuickTracedStatement) {
  Trace trace(nullptr);
  const Work work{.trace = &trace};
  const WorkScope scope(&work);
  EXPECT_TRUE(is_noteworthy(1));
  const std::string text = logged(
      [&] { note_statement({.sql = "SELECT 1", .database = "/x/a.db", .begin = 3, .end = 4}); });
  EXPECT_EQ(text, "");
  ASSERT_EQ(trace.spans().size(), 1U);
  EXPECT_EQ(trace.spans()[0].statement, "SELECT 1");
  EXPECT_EQ(trace.spans()[0].database, "a.db");
}

TEST_F(SlowLog, LimitsLinesASecondAndCountsTheRest) {
  set_slow_limits({.request = std::chrono::milliseconds(1), .statement = {}});
  const AccessEntry entry{.method = "GET",
                          .path = "/x",
                          .request_id = "r",
                          .status = 200,
                          .duration_ns = 5 * ms,
                          .route = "GET /{x}"};
  const std::uint64_t before = std::stoull(total_of_slow_requests());
  std::int64_t seconds = base::monotonic_nanoseconds();
  const std::string text = logged([&] {
    for (int i = 0; i < 100; ++i)
      note_slow_request(entry);
  });
  seconds = (base::monotonic_nanoseconds() - seconds) / 1'000'000'000;
  const std::size_t lines = count(text, "slow request");
  EXPECT_GE(lines, slow_lines_a_second);
  EXPECT_LE(lines, slow_lines_a_second * static_cast<std::size_t>(seconds + 2));
  set_slow_limits({.request = std::chrono::milliseconds(1), .statement = {}});
  const std::string next = logged([&] { note_slow_request(entry); });
  EXPECT_NE(next.find("\"left_out\":"), std::string::npos) << next;
  EXPECT_EQ(total_of_slow_requests(), std::to_string(before + 101));
}

}  // namespace tenon::observability
