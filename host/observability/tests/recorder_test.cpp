#include "observability/recorder.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::observability {
namespace {

TEST(Recorder, KeepsNewestLogLines) {
  Recorder recorder;
  for (std::size_t i = 0; i < Recorder::max_log_records + 5; ++i)
    recorder.add_log("notes", Level::info, "line " + std::to_string(i), {});
  const auto records = recorder.read("notes", 0, 0);
  ASSERT_EQ(records.log.size(), Recorder::max_log_records);
  EXPECT_EQ(records.log.front().message, "line 5");
  const auto newer = recorder.read("notes", records.log.back().number - 2, 0);
  EXPECT_EQ(newer.log.size(), 2U);
}

TEST(Recorder, CutsTextsBetweenCharacters) {
  Recorder recorder;
  const std::string text(Recorder::max_text_bytes - 1, 'x');
  recorder.add_log("notes", Level::info, text + "é", {});
  EXPECT_EQ(recorder.read("notes", 0, 0).log.at(0).message, text + "…");
}

TEST(Recorder, RecordsStatementsOfWatchedPluginsOnly) {
  Recorder recorder;
  recorder.add_statement("notes", "SELECT 1", 10, false);
  recorder.watch("notes");
  recorder.add_statement("notes", "SELECT 1", 10, false);
  recorder.add_statement("notes", "SELECT 1", 30, true);
  recorder.add_statement("notes", "SELECT 2", 25, false);
  recorder.add_statement("tasks", "SELECT 3", 10, false);
  const auto records = recorder.read("notes", 0, 0);
  ASSERT_EQ(records.statements.size(), 2U);
  EXPECT_EQ(records.statements[0].sql, "SELECT 1");
  EXPECT_EQ(records.statements[0].count, 2U);
  EXPECT_EQ(records.statements[0].failed, 1U);
  EXPECT_EQ(records.statements[0].total_ns, 40);
  EXPECT_EQ(records.statements[0].max_ns, 30);
  EXPECT_TRUE(recorder.read("tasks", 0, 0).statements.empty());
}

TEST(Recorder, CountsStatementsBeyondTheLimit) {
  Recorder recorder;
  recorder.watch("notes");
  for (std::size_t i = 0; i < Recorder::max_statements + 3; ++i)
    recorder.add_statement("notes", "SELECT " + std::to_string(i), 1, false);
  const auto records = recorder.read("notes", 0, 0);
  EXPECT_EQ(records.statements.size(), Recorder::max_statements);
  EXPECT_EQ(records.left_out_statements, 3U);
}

TEST(Recorder, RecordsRequestsWithSpans) {
  Recorder recorder;
  Trace trace(nullptr);
  trace.request.method = "GET";
  trace.request.route = "/api/notes/x";
  trace.request.plugin = "notes";
  trace.request.status = 200;
  trace.request.begin = 100;
  trace.request.end = 400;
  trace.add("statement", 150, 250, "SELECT 1", "notes.db");
  recorder.add_request(trace);
  recorder.watch("notes");
  recorder.add_request(trace);
  const auto records = recorder.read("notes", 0, 0);
  ASSERT_EQ(records.requests.size(), 1U);
  EXPECT_EQ(records.requests[0].duration_ns, 300);
  ASSERT_EQ(records.requests[0].spans.size(), 1U);
  EXPECT_EQ(records.requests[0].spans[0].begin, 50);
  EXPECT_EQ(records.requests[0].spans[0].statement, "SELECT 1");
}

TEST(Recorder, ReportsErrorsInDevelopment) {
  Recorder recorder;
  std::vector<std::string> errors;
  recorder.set_development([&](std::string_view plugin, const LogRecord& record) {
    errors.push_back(std::string(plugin) + ": " + record.message);
  });
  recorder.add_log("notes", Level::warning, "a warning", {});
  recorder.add_log("notes", Level::error, "an error", {});
  EXPECT_EQ(errors, std::vector<std::string>{"notes: an error"});
}

}  // namespace
}  // namespace tenon::observability
