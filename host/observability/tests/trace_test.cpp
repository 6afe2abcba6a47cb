#include "observability/trace.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/otlp.hpp"
#include "observability/trace_sinks.hpp"
#include "observability/tracer.hpp"

namespace tenon::observability {

namespace {

constexpr std::string_view trace_id = "0af7651916cd43dd8448eb211c80319c";
constexpr std::string_view span_id = "b7ad6b7169203331";

std::string parent(std::string_view version = "00", std::string_view flags = "01") {
  return std::string(version) + "-" + std::string(trace_id) + "-" + std::string(span_id) + "-" +
         std::string(flags);
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tenon-trace-" + base::new_id())) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

Poco::JSON::Array::Ptr spans_of(const std::string& text) {
  const auto object = base::parse_json_object(text, {.max_bytes = text.size() + 1});
  return object->getArray("resourceSpans")
      ->getObject(0)
      ->getArray("scopeSpans")
      ->getObject(0)
      ->getArray("spans");
}

}  // namespace

TEST(TraceParent, IsReadAsTheRecommendationSays) {
  const auto sampled = parse_traceparent(parent());
  ASSERT_TRUE(sampled);
  EXPECT_EQ(std::string_view(sampled->trace_id.data(), 32), trace_id);
  EXPECT_EQ(std::string_view(sampled->span_id.data(), 16), span_id);
  EXPECT_TRUE(sampled->is_sampled);
  EXPECT_FALSE(parse_traceparent(parent("00", "00"))->is_sampled);
  EXPECT_FALSE(parse_traceparent(parent("00", "02"))->is_sampled) << "only the lowest bit counts";
  EXPECT_TRUE(parse_traceparent(parent("00", "ff"))->is_sampled);
  EXPECT_TRUE(parse_traceparent(parent("01")));
  EXPECT_TRUE(parse_traceparent(parent("cc") + "-what-the-future-holds"));
}

TEST(TraceParent, RejectsAnythingElse) {
  for (const std::string& value :
       std::vector<std::string>{"",
                                "00",
                                parent().substr(1),
                                parent() + "0",
                                parent() + "-more",
                                parent("ff"),
                                parent("0A"),
                                parent("0g"),
                                parent("cc") + ".more",
                                parent("cc") + "0",
                                parent("00", "0x"),
                                parent("00", "0A"),
                                " " + parent(),
                                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
                                "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
                                std::string(55, '-'),
                                std::string(55, '\0'),
                                std::string(4096, 'a')}) {
    EXPECT_FALSE(parse_traceparent(value)) << value;
  }
}

TEST(Trace, TakesOverTheIdsOfItsCaller) {
  const Trace first(nullptr);
  const Trace second(nullptr);
  EXPECT_NE(first.id(), second.id());
  EXPECT_EQ(first.id().find_first_not_of("0123456789abcdef"), std::string_view::npos);
  EXPECT_EQ(first.parent(), "");
  const auto caller = parse_traceparent(parent());
  const Trace third(&*caller);
  EXPECT_EQ(third.id(), trace_id);
  EXPECT_EQ(third.parent(), span_id);
}

TEST(Trace, BoundsSpansAndCountsTheRest) {
  Trace trace(nullptr);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < Trace::max_spans; ++i)
        trace.add("x", 1, 2, std::string(Trace::max_statement_bytes + 10, 'x'));
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(trace.spans().size(), Trace::max_spans);
  EXPECT_EQ(trace.dropped_spans(), 3 * Trace::max_spans);
  EXPECT_EQ(trace.spans().front().statement.size(), Trace::max_statement_bytes);
}

TEST(Trace, MeasuresOnlyTracedWork) {
  Trace trace(nullptr);
  { const SpanTimer timer("untraced"); }
  const Work work{.trace = &trace};
  const Work other{};
  {
    const WorkScope scope(&work);
    { const SpanTimer timer("mine"); }
    const WorkScope inner(&other);
    const SpanTimer timer("another's");
  }
  EXPECT_EQ(current_work(), nullptr);
  ASSERT_EQ(trace.spans().size(), 1U);
  EXPECT_STREQ(trace.spans()[0].name, "mine");
}

TEST(Trace, SurvivesALogScopeOfItsRequest) {
  Trace trace(nullptr);
  const Work work{.request_id = "r-1", .route = "GET /", .trace = &trace, .may_use_reserve = true};
  const WorkScope scope(&work);
  {
    const LogScope same("r-1", "notes");
    EXPECT_EQ(current_trace(), &trace);
    EXPECT_EQ(current_work()->route, "GET /");
    EXPECT_EQ(current_work()->plugin, "notes");
    EXPECT_TRUE(current_work()->may_use_reserve);
  }
  const LogScope other("r-2", "notes");
  EXPECT_EQ(current_trace(), nullptr);
  EXPECT_EQ(current_work()->route, "");
  EXPECT_FALSE(current_work()->may_use_reserve);
}

TEST(Otlp, WritesOneExportRequest) {
  const auto caller = parse_traceparent(parent());
  std::vector<std::unique_ptr<Trace>> traces;
  traces.push_back(std::make_unique<Trace>(&*caller));
  Trace& trace = *traces.back();
  trace.request = {.method = "GET",
                   .route = "/api/notes/{id}",
                   .path = "/api/notes/1",
                   .plugin = "notes",
                   .request_id = "r-1",
                   .peer = "10.0.0.1",
                   .status = 503,
                   .begin = 1000,
                   .end = 9000};
  const std::uint64_t handler = trace.enter();
  trace.add("statement", 2000, 3000, "SELECT \"a\"\nFROM b", "notes.db", true);
  trace.leave(handler, "handler", 1500);
  std::string text;
  append_otlp(text, traces, "1.2.3");
  EXPECT_EQ(text.find('\n'), std::string::npos);

  const auto spans = spans_of(text);
  ASSERT_EQ(spans->size(), 3U);
  const auto request = spans->getObject(0);
  EXPECT_EQ(request->getValue<std::string>("traceId"), trace_id);
  EXPECT_EQ(request->getValue<std::string>("parentSpanId"), span_id);
  EXPECT_EQ(request->getValue<std::string>("name"), "GET /api/notes/{id}");
  EXPECT_EQ(request->getValue<int>("kind"), 2);
  EXPECT_EQ(request->getObject("status")->getValue<int>("code"), 2);
  EXPECT_TRUE(request->get("startTimeUnixNano").isString()) << "64-bit numbers are text";
  EXPECT_EQ(std::stoll(request->getValue<std::string>("endTimeUnixNano")) -
                std::stoll(request->getValue<std::string>("startTimeUnixNano")),
            8000);
  const auto statement = spans->getObject(1);
  const auto in_handler = spans->getObject(2);
  EXPECT_EQ(statement->getValue<std::string>("parentSpanId"),
            in_handler->getValue<std::string>("spanId"));
  EXPECT_EQ(in_handler->getValue<std::string>("parentSpanId"),
            request->getValue<std::string>("spanId"));
  EXPECT_EQ(statement->getValue<std::string>("spanId").size(), 16U);
  EXPECT_EQ(statement->getObject("status")->getValue<int>("code"), 2);
  EXPECT_NE(text.find(R"({"key":"db.query.text","value":{"stringValue":"SELECT \"a\"\nFROM b"}})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"key":"http.response.status_code","value":{"intValue":"503"}})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"({"key":"service.version","value":{"stringValue":"1.2.3"}})"),
            std::string::npos);
}

TEST(Tracer, FollowsTheCallerOrTheRatio) {
  const Folder folder;
  Metrics metrics;
  TraceOptions options;
  options.file = folder.file("traces");
  {
    Tracer never(options, metrics);
    EXPECT_FALSE(never.begin(""));
    EXPECT_FALSE(never.begin("nonsense"));
    EXPECT_FALSE(never.begin(parent("00", "00")));
    const auto asked = never.begin(parent());
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->id(), trace_id);
  }
  options.sample = 1;
  Tracer always(options, metrics);
  EXPECT_TRUE(always.begin(""));
  const auto fresh = always.begin("nonsense");
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->parent(), "") << "what cannot be read is not continued";
  EXPECT_FALSE(always.begin(parent("00", "00")));
}

TEST(Tracer, TracesNoMoreThanTheRate) {
  const Folder folder;
  Metrics metrics;
  TraceOptions options;
  options.file = folder.file("traces");
  options.rate = 3;
  Tracer tracer(options, metrics);
  const std::int64_t began = base::monotonic_nanoseconds();
  std::size_t traced = 0;
  for (int i = 0; i < 1000; ++i)
    traced += tracer.begin(parent()) ? 1 : 0;
  const std::int64_t seconds = (base::monotonic_nanoseconds() - began) / 1'000'000'000;
  EXPECT_GE(traced, 3U);
  EXPECT_LE(traced, 3 * static_cast<std::size_t>(seconds + 2));
  EXPECT_NE(metrics.prometheus().find("tenon_trace_dropped_total{reason=\"rate\"} "),
            std::string::npos);
}

TEST(Tracer, WritesSubmittedTracesBeforeItEnds) {
  const Folder folder;
  Metrics metrics;
  TraceOptions options;
  options.file = folder.file("traces");
  options.rate = 1000;
  std::size_t spans = 0;
  {
    Tracer tracer(options, metrics);
    for (int i = 0; i < 200; ++i)
      tracer.submit(tracer.begin(parent()));
  }
  for (const std::string& line : lines_of(options.file)) {
    const auto found = spans_of(line);
    EXPECT_LE(found->size(), Tracer::batch_traces);
    spans += found->size();
  }
  EXPECT_EQ(spans, 200U);
  EXPECT_NE(metrics.prometheus().find("tenon_trace_requests_total 200\n"), std::string::npos);
}

TEST(Tracer, DropsAndCountsWithAFullQueue) {
  const Folder folder;
  Metrics metrics;
  TraceOptions options;
  options.file = folder.file("traces");
  options.queue = 0;
  Tracer tracer(options, metrics);
  tracer.submit(tracer.begin(parent()));
  EXPECT_NE(metrics.prometheus().find("tenon_trace_dropped_total{reason=\"queue\"} 1\n"),
            std::string::npos);
}

TEST(Tracer, NamesAnUnwritableFileAtOnce) {
  Metrics metrics;
  TraceOptions options;
  options.file = "/no/such/folder/traces";
  try {
    const Tracer tracer(options, metrics);
    FAIL() << "it was opened";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "observability.trace_file");
    EXPECT_NE(error.message().find("/no/such/folder/traces"), std::string::npos);
  }
}

TEST(TraceFile, IsRenamedWhenItIsFull) {
  const Folder folder;
  const std::string path = folder.file("traces");
  TraceFile file(path, 10);
  for (const char* line : {"123456\n", "abcdef\n", "ABCDEF\n"})
    EXPECT_TRUE(file.write(line));
  EXPECT_EQ(lines_of(path), std::vector<std::string>{"ABCDEF"});
  EXPECT_EQ(lines_of(path + ".1"), std::vector<std::string>{"abcdef"});
  EXPECT_TRUE(file.write(std::string(100, 'x') + "\n")) << "a line longer than that is kept whole";
  EXPECT_EQ(lines_of(path).back().size(), 100U);
}

TEST(TraceEndpoint, ReportsAnUnreachableEndpoint) {
  TraceEndpoint endpoint("http://127.0.0.1:9/v1/traces");
  std::string why;
  EXPECT_EQ(endpoint.post("{}", why), TraceEndpoint::Result::unreachable);
  EXPECT_NE(why, "");
}

}  // namespace tenon::observability
