#include <fstream>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/tests/sampling.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;
using test::RawClient;
using test::Reply;

// Of files: what allocators map comes and goes with the load.
std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);)
    lines += line.find('/') != std::string::npos;
  return lines;
}

// The responses that one client got.
struct ClientResult {
  std::size_t good = 0;
  std::size_t turned_away = 0;
  std::vector<std::string> wrong;
};

// Sends requests over persistent connections until it is stopped.
void load(PluginHost& host, const std::string& id, bool may_be_away, const std::atomic<bool>& stop,
          ClientResult& seen) {
  auto client = std::make_unique<RawClient>(host.port());
  const std::vector<std::string> requests = {
      "GET /api/" + id + "/hello HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /api/" + id + "/inline HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /api/" + id + "/rows HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /api/" + id + "/stream?n=3 HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /api/" + id + "/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"};
  for (std::size_t i = 0; !stop; ++i) {
    const std::string& request = requests[i % requests.size()];
    if (!client->send(request)) {
      client = std::make_unique<RawClient>(host.port());
      client->send(request);
    }
    const Reply reply = client->read_reply();
    const bool is_away =
        (reply.status == 404 && reply.body.find("plugins.not_active") != std::string::npos) ||
        (reply.status == 503 && reply.body.find("plugins.draining") != std::string::npos);
    if (reply.status == 200 && reply.is_complete) {
      ++seen.good;
    } else if (is_away && may_be_away) {
      ++seen.turned_away;
    } else {
      seen.wrong.push_back(request.substr(0, request.find('\r')) + " → " +
                           std::to_string(reply.status) + " " + reply.body);
    }
    // A refused upload may end the connection.
    if (reply.status == 0 || reply.field("connection") == "close")
      client = std::make_unique<RawClient>(host.port());
  }
}

// Threads that work until they are stopped. They also end if the test throws, so that its message
// is seen.
class Company {
 public:
  ~Company() { end(); }
  template <typename Work>
  void add(Work work) {
    threads_.emplace_back([this, work] { work(stop_); });
  }
  void end() {
    stop_ = true;
    for (std::thread& thread : threads_)
      thread.join();
    threads_.clear();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(Cycles, ReportsMetricsDuringCycles) {
  PluginHost host;
  host.put_probe("probe");
  host.put_probe("other", "other");
  host.start();
  std::vector<std::size_t> without(3);
  Company company;
  for (std::size_t& missed : without) {
    company.add([&](const std::atomic<bool>& stop) {
      while (!stop) {
        const std::string text = host.metrics_text();
        const bool has_both = text.find(R"(tenon_plugins_state{plugin="probe",)") != text.npos &&
                              text.find(R"(tenon_plugins_resident{plugin="other"} 0)") != text.npos;
        if (!has_both) ++missed;
      }
    });
  }
  for (int i = 0; i < (base::test::is_full_run() ? 100 : 40); ++i) {
    host.lifecycle().disable("probe");
    host.lifecycle().enable("probe");
  }
  company.end();
  EXPECT_EQ(without, std::vector<std::size_t>(3));
}

TEST(Cycles, LeakNothingUnderLoad) {
  const unsigned cycles = base::test::is_full_run() ? 500 : 100;
  PluginHost host;
  host.put_probe("probe");
  host.put_probe("other", "other");
  host.start();
  const std::size_t clients = base::test::is_full_run() ? 3 : 1;
  std::vector<ClientResult> steady(clients);
  std::vector<ClientResult> changing(clients);
  Company company;
  for (std::size_t i = 0; i < clients; ++i) {
    company.add([&, i](const auto& stop) { load(host, "other", false, stop, steady[i]); });
    company.add([&, i](const auto& stop) { load(host, "probe", true, stop, changing[i]); });
  }
  std::size_t warmed_up = 0;
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    EXPECT_EQ(host.lifecycle().disable("probe").state, State::disabled);
    EXPECT_EQ(host.mapped(), 1U);
    EXPECT_EQ(host.lifecycle().enable("probe").state, State::active);
    if (cycle == 50) warmed_up = mappings();
  }
  company.end();

  for (const ClientResult& seen : steady) {
    EXPECT_GT(seen.good, 0U);
    EXPECT_TRUE(seen.wrong.empty()) << seen.wrong.size() << ", first: " << seen.wrong.front();
  }
  std::size_t good = 0;
  std::size_t turned_away = 0;
  for (const ClientResult& seen : changing) {
    good += seen.good;
    turned_away += seen.turned_away;
    EXPECT_TRUE(seen.wrong.empty()) << seen.wrong.size() << ", first: " << seen.wrong.front();
  }
  EXPECT_GT(good, 0U);
  EXPECT_GT(turned_away, 0U);
  EXPECT_EQ(host.status("probe").generation, cycles + 2);
  EXPECT_LE(mappings(), warmed_up + 40) << "mappings grow";
  host.lifecycle().disable("probe");
  EXPECT_EQ(host.lifecycle().resident("probe"), 0U);
  EXPECT_EQ(host.mapped(), 1U);
  EXPECT_EQ(host.count("create"), cycles + 1);
  EXPECT_EQ(host.count("destroy"), cycles + 1);
  EXPECT_EQ(host.count("drop /hello"), cycles + 1);
}

}  // namespace
}  // namespace tenon::plugins
