#include "observability/metrics.hpp"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/thread_slot.hpp"
#include "observability/process_metrics.hpp"
#include "observability/request_metrics.hpp"

namespace tenon::observability {

TEST(Metrics, AreWrittenAsPrometheusText) {
  Metrics metrics;
  metrics.counter("tenon_b_total", "Things.", {{"plugin", "notes"}, {"kind", "a\"b\\c\nd"}}).add(3);
  metrics.counter("tenon_b_total", "Things.", {{"plugin", "core"}, {"kind", "x"}}).add();
  metrics.gauge("tenon_c", "Now.").set(-1.5);
  constexpr double bounds[] = {0.1, 1};
  Histogram& histogram =
      metrics.histogram("tenon_a_seconds", "Long\nhelp \\.", {{"route", "GET /"}}, bounds);
  for (const double value : {0.05, 0.1, 0.5, 7.0})
    histogram.observe(value);
  EXPECT_EQ(metrics.prometheus(),
            "# HELP tenon_a_seconds Long\\nhelp \\\\.\n"
            "# TYPE tenon_a_seconds histogram\n"
            "tenon_a_seconds_bucket{route=\"GET /\",le=\"0.1\"} 2\n"
            "tenon_a_seconds_bucket{route=\"GET /\",le=\"1\"} 3\n"
            "tenon_a_seconds_bucket{route=\"GET /\",le=\"+Inf\"} 4\n"
            "tenon_a_seconds_sum{route=\"GET /\"} 7.65\n"
            "tenon_a_seconds_count{route=\"GET /\"} 4\n"
            "# HELP tenon_b_total Things.\n"
            "# TYPE tenon_b_total counter\n"
            "tenon_b_total{plugin=\"core\",kind=\"x\"} 1\n"
            "tenon_b_total{plugin=\"notes\",kind=\"a\\\"b\\\\c\\nd\"} 3\n"
            "# HELP tenon_c Now.\n"
            "# TYPE tenon_c gauge\n"
            "tenon_c -1.5\n");
}

TEST(Metrics, MergesEqualNamesAndLabels) {
  Metrics metrics;
  EXPECT_EQ(&metrics.counter("tenon_x_total", "X.", {{"a", "1"}}),
            &metrics.counter("tenon_x_total", "", {{"a", "1"}}));
  EXPECT_NE(&metrics.counter("tenon_x_total", "X.", {{"a", "1"}}),
            &metrics.counter("tenon_x_total", "X.", {{"a", "2"}}));
}

TEST(Metrics, RefusesWhatPrometheusWould) {
  Metrics metrics;
  EXPECT_THROW(metrics.counter("tenon-x", "X."), std::logic_error);
  EXPECT_THROW(metrics.counter("1x", "X."), std::logic_error);
  EXPECT_THROW(metrics.counter("tenon_x_total", "X.", {{"a-b", "1"}}), std::logic_error);
  metrics.counter("tenon_y_total", "Y.");
  EXPECT_THROW(metrics.gauge("tenon_y_total", "Y."), std::logic_error);
}

TEST(Metrics, BoundsItsSeries) {
  Metrics metrics;
  for (std::size_t i = 0; i < Metrics::max_series; ++i)
    metrics.counter("tenon_x_total", "X.", {{"id", std::to_string(i)}}).add();
  Counter& one_more = metrics.counter("tenon_x_total", "X.", {{"id", "a"}});
  one_more.add();
  EXPECT_EQ(&one_more, &metrics.counter("tenon_x_total", "X.", {{"id", "b"}}));
  EXPECT_NE(&one_more, &metrics.counter("tenon_x_total", "X.", {{"id", "7"}}));
  EXPECT_NE(metrics.prometheus().find("tenon_x_total{id=\"other\"} 1\n"), std::string::npos);
}

TEST(Metrics, CallsCollectorsAtEveryScrape) {
  Metrics metrics;
  int scrapes = 0;
  metrics.add_collector([&](MetricsSink& sink) {
    ++scrapes;
    sink.counter("tenon_seen_total", "Scrapes.", {{"who", "me"}},
                 static_cast<std::uint64_t>(scrapes));
    sink.gauge("tenon_level", "Level.", {}, 0.5);
    sink.fractional_counter("tenon_spent_seconds_total", "Spent.", {}, 1.25);
    constexpr double bounds[] = {1, 2};
    constexpr std::uint64_t buckets[] = {3, 0, 1};
    sink.histogram("tenon_group_size", "Sizes.", {{"plugin", "a"}}, bounds, buckets, 9);
  });
  metrics.prometheus();
  const std::string page = metrics.prometheus();
  EXPECT_NE(page.find("# TYPE tenon_seen_total counter\ntenon_seen_total{who=\"me\"} 2\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("tenon_level 0.5\n"), std::string::npos) << page;
  EXPECT_NE(page.find("# TYPE tenon_spent_seconds_total counter\ntenon_spent_seconds_total 1.25\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("# TYPE tenon_group_size histogram\n"
                      "tenon_group_size_bucket{plugin=\"a\",le=\"1\"} 3\n"
                      "tenon_group_size_bucket{plugin=\"a\",le=\"2\"} 3\n"
                      "tenon_group_size_bucket{plugin=\"a\",le=\"+Inf\"} 4\n"
                      "tenon_group_size_sum{plugin=\"a\"} 9\n"
                      "tenon_group_size_count{plugin=\"a\"} 4\n"),
            std::string::npos)
      << page;
}

TEST(Metrics, LoseNothingAcrossThreads) {
  Metrics metrics;
  Counter& counter = metrics.counter("tenon_x_total", "X.");
  Gauge& gauge = metrics.gauge("tenon_x", "X.");
  Histogram& histogram = metrics.histogram("tenon_x_seconds", "X.");
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        counter.add();
        gauge.add(1);
        histogram.observe(0.5);
        if (i % 5000 == 0) metrics.prometheus();
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(counter.value(), 160'000U);
  EXPECT_EQ(gauge.value(), 160'000.0);
  EXPECT_EQ(histogram.snapshot().sum, 80'000.0);
}

TEST(Metrics, LoseNothingWhenThreadsComeAndGo) {
  Metrics metrics;
  Counter& counter = metrics.counter("tenon_x_total", "X.");
  Histogram& histogram = metrics.histogram("tenon_x_seconds", "X.");
  // More at once than there are slots of threads, and one after another in the same slots.
  constexpr std::uint64_t rounds = 4;
  constexpr std::uint64_t max = 2 * base::ThreadSlot::own;
  constexpr std::uint64_t times = 500;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < max; ++t) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < times; ++i) {
          counter.add();
          histogram.observe(0.25);
        }
      });
    }
    for (auto& thread : threads)
      thread.join();
  }
  EXPECT_EQ(counter.value(), rounds * max * times);
  EXPECT_EQ(histogram.snapshot().sum, 0.25 * static_cast<double>(rounds * max * times));
}

TEST(RequestMetrics, AddNoSamplesBeforeTheFirstRequest) {
  Metrics metrics;
  RequestMetrics requests;
  metrics.add_collector(
      [&](MetricsSink& sink) { requests.collect(sink, "notes", "/api/notes/{id}", "GET"); });
  EXPECT_EQ(requests.requests(), 0U);
  EXPECT_EQ(requests.errors(), 0U);
  EXPECT_EQ(requests.faults(), 0U);
  EXPECT_EQ(metrics.prometheus(), "");
}

TEST(RequestMetrics, CountOnceFromAllThreads) {
  RequestMetrics requests;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int number = 0; number < 1000; ++number)
        requests.observe(number % 2 == 0 ? 200 : 503, 1000);
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(requests.requests(), 4000U);
  EXPECT_EQ(requests.errors(), 2000U);
  EXPECT_EQ(requests.faults(), 0U);
}

TEST(RequestMetrics, CountByClassOfStatus) {
  Metrics metrics;
  RequestMetrics requests;
  metrics.add_collector(
      [&](MetricsSink& sink) { requests.collect(sink, "notes", "/api/notes/{id}", "GET"); });
  for (const int status : {200, 201, 304, 404, 503, 0, 999})
    requests.observe(status, 2'000'000);
  EXPECT_EQ(requests.requests(), 7U);
  EXPECT_EQ(requests.errors(), 2U);
  EXPECT_EQ(requests.faults(), 1U);
  const std::string page = metrics.prometheus();
  EXPECT_NE(page.find("tenon_http_requests_total{plugin=\"notes\",route=\"/api/notes/{id}\","
                      "method=\"GET\",status=\"2xx\"} 2\n"),
            std::string::npos)
      << page;
  EXPECT_NE(
      page.find(
          "tenon_http_request_duration_seconds_bucket{plugin=\"notes\",route=\"/api/notes/{id}\","
          "method=\"GET\",le=\"0.0025\"} 7\n"),
      std::string::npos)
      << page;
}

TEST(ProcessMetrics, DescribeThisProcess) {
  Metrics metrics;
  add_process_metrics(metrics);
  const std::string page = metrics.prometheus();
  for (const char* name : {"process_resident_memory_bytes", "process_open_fds", "process_threads",
                           "process_cpu_seconds_total", "process_max_fds"}) {
    const std::size_t at = page.find("\n" + std::string(name) + " ");
    ASSERT_NE(at, std::string::npos) << page;
    EXPECT_GE(std::stod(page.substr(at + std::string(name).size() + 2)), 0) << name;
  }
}

}  // namespace tenon::observability
