#include "lifecycle/lifecycle.hpp"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;
using test::refused;
using test::Reply;

TEST(Lifecycle, StartsTheOthersIfOneFails) {
  PluginHost host;
  host.put_probe();
  host.put("broken", "start_fails");
  host.put("core", "sound");
  test::write_file(host.folder() + "/plugins0/damaged/plugin.json", "{");
  test::write_file(host.folder() + "/plugins0/no-plugin/readme", "x");
  host.start();
  EXPECT_EQ(host.state("probe"), "active");
  EXPECT_EQ(host.state("broken"), "failed:plugins.start_failed");
  EXPECT_EQ(host.state("core"), "failed:plugins.reserved_id");
  EXPECT_EQ(host.state("damaged"), "failed:plugins.manifest_invalid");
  EXPECT_EQ(host.state("no-plugin"), "none");
  EXPECT_EQ(host.get("/api/probe/hello").status, 200);
  const Reply reply = host.get("/api/broken/hello");
  EXPECT_EQ(reply.status, 404);
  EXPECT_NE(reply.body.find("plugins.not_active"), std::string::npos);
  EXPECT_EQ(host.status("broken").reason->message,
            "The plugin could not start: No way to start (broken.start).");
  std::vector<std::string> ids;
  const auto listing = host.lifecycle().listing();
  for (const auto& status : *listing)
    ids.push_back(status->id);
  EXPECT_EQ(ids, (std::vector<std::string>{"broken", "core", "damaged", "probe"}));
}

TEST(Lifecycle, RefusesEachFaultByNameAndUndoesIt) {
  const struct {
    const char* library;
    const char* code;
  } cases[] = {
      {"create_fails", "plugins.create_failed"}, {"creates_nothing", "plugins.entry_invalid"},
      {"no_destroy", "plugins.entry_invalid"},   {"tiny_plugin", "plugins.entry_invalid"},
      {"start_fails", "plugins.start_failed"},   {"future_major", "plugins.abi_too_new"},
      {"missing", "plugins.missing_library"},    {"no_symbol", "plugins.missing_symbol"},
      {"unresolved", "plugins.load_failed"},     {"probe", "plugins.facts_mismatch"}};
  PluginHost host;
  host.put("broken", "sound");
  host.start();
  const std::size_t mapped = host.mapped();
  host.lifecycle().disable("broken");
  for (const auto& test : cases) {
    const std::string name = test.library;
    std::filesystem::remove_all(host.folder() + "/plugins0/broken");
    host.put("broken", name == "missing" ? "" : name);
    EXPECT_EQ(refused([&] { host.lifecycle().enable("broken"); }), test.code) << name;
    EXPECT_EQ(host.state("broken"), std::string("failed:") + test.code);
    EXPECT_TRUE(host.status("broken").enabled);
    EXPECT_EQ(host.mapped(), mapped - 1) << name;
  }
  host.put("broken", "sound");
  EXPECT_EQ(host.lifecycle().enable("broken").state, State::active);
}

TEST(Lifecycle, TakesTheStepsInOrder) {
  PluginHost host;
  host.put_probe();
  host.start();
  host.lifecycle().disable("probe");
  std::vector<std::string> lines;
  for (const std::string& line : host.journal()) {
    const std::string word = line.substr(0, line.find(' '));
    if (lines.empty() || lines.back() != word) lines.push_back(word);
  }
  EXPECT_EQ(lines,
            (std::vector<std::string>{"create", "start", "quiesce", "stop", "drop", "destroy"}));
  EXPECT_EQ(host.count("drop /"), 28U);
  EXPECT_EQ(host.count("drop watcher"), 1U);
  EXPECT_EQ(host.count("drop /hello"), 1U);
}

TEST(Lifecycle, PublishesEveryChangeOnTheBus) {
  PluginHost host;
  host.put_probe();
  host.start();
  host.lifecycle().disable("probe");
  host.lifecycle().enable("probe");
  EXPECT_EQ(host.events(),
            (std::vector<std::string>{R"({"id":"probe","state":"active","generation":1})",
                                      R"({"id":"probe","state":"disabled","generation":1})",
                                      R"({"id":"probe","state":"active","generation":2})"}));
  EXPECT_NE(host.metrics_text().find(R"(tenon_plugins_state{plugin="probe",state="active"} 1)"),
            std::string::npos);
}

TEST(Lifecycle, RemembersThatAPluginIsDisabled) {
  PluginHost host;
  host.put_probe();
  host.start();
  EXPECT_EQ(host.lifecycle().disable("probe").state, State::disabled);
  EXPECT_EQ(host.lifecycle().disable("probe").state, State::disabled);
  EXPECT_EQ(host.get("/api/probe/hello").status, 404);
  host.restart();
  host.start();
  EXPECT_EQ(host.state("probe"), "disabled");
  EXPECT_EQ(host.get("/api/probe/hello").status, 404);
  EXPECT_EQ(host.lifecycle().enable("probe").state, State::active);
  EXPECT_EQ(host.lifecycle().enable("probe").generation, 1U);
  EXPECT_EQ(host.get("/api/probe/hello").status, 200);
  EXPECT_EQ(refused([&] { host.lifecycle().enable("absent"); }), "plugins.unknown");
  EXPECT_EQ(refused([&] { host.lifecycle().disable("../probe"); }), "plugins.unknown");
}

TEST(Lifecycle, ReadsTheFolderAtEachActivation) {
  PluginHost host;
  host.put_probe();
  host.start();
  host.lifecycle().disable("probe");
  host.put_probe("probe", "probe_upgraded", "2.0.0");
  const PluginStatus status = host.lifecycle().enable("probe");
  EXPECT_EQ(status.version, "2.0.0");
  EXPECT_EQ(status.generation, 2U);
  EXPECT_EQ(host.get("/api/probe/hello").body, "hello from 2.0.0");
  // And one that was put there since the start.
  host.put_probe("other", "other");
  EXPECT_EQ(host.lifecycle().enable("other").state, State::active);
  EXPECT_EQ(host.get("/api/other/hello").status, 200);
}

TEST(Lifecycle, RefusesCodeThatIsOlderThanItsData) {
  PluginHost host;
  const auto put_newer = [&] {
    const std::string folder = host.put_probe("probe", "probe_upgraded", "2.0.0");
    test::write_file(folder + "/tables.json", R"({"tables":[{"name":"rows","fields":[
        {"name":"body","type":"text"},{"name":"more","type":"text"}]}]})");
  };
  put_newer();
  host.start();
  host.post("/api/probe/rows", "row");
  host.lifecycle().disable("probe");
  host.put_probe("probe", "probe", "1.0.0");
  EXPECT_EQ(refused([&] { host.lifecycle().enable("probe"); }), "data.newer");
  EXPECT_EQ(host.state("probe"), "failed:data.newer");
  put_newer();
  host.lifecycle().enable("probe");
  EXPECT_EQ(host.get("/api/probe/rows").body, "1 number");
}

TEST(Lifecycle, RefusesDuplicatesInLaterDirectories) {
  PluginHost host;
  host.put_probe();
  host.put("probe", "probe_upgraded", "2.0.0", {}, 1);
  host.start();
  EXPECT_EQ(host.get("/api/probe/hello").body, "hello from 1.0.0");
  const auto listing = host.lifecycle().listing();
  ASSERT_EQ(listing->size(), 2U);
  EXPECT_EQ(listing->at(0)->state, State::active);
  EXPECT_EQ(listing->at(1)->state, State::failed);
  EXPECT_EQ(listing->at(1)->reason->code, "plugins.duplicate_id");
  EXPECT_NE(listing->at(1)->reason->file.find("plugins1/probe/plugin.json"), std::string::npos);
}

TEST(Lifecycle, StartsPluginsAfterTheirRequirements) {
  PluginHost host;
  host.put_probe("other", "other");
  host.put("probe", "probe", "1.0.0", R"(,"requires":{"other":"^1"})");
  host.start();
  EXPECT_EQ(host.state("probe"), "active");
  EXPECT_EQ(refused([&] { host.lifecycle().disable("other"); }), "plugins.required_by");
  EXPECT_EQ(host.state("other"), "active");
  EXPECT_TRUE(host.status("other").enabled);
  host.lifecycle().disable("probe");
  host.lifecycle().disable("other");
  EXPECT_EQ(refused([&] { host.lifecycle().enable("probe"); }), "plugins.requires_inactive");
  host.lifecycle().enable("other");
  EXPECT_EQ(host.lifecycle().enable("probe").state, State::active);
  host.restart();
  host.put_probe("other", "start_fails");
  host.start();
  EXPECT_EQ(host.state("other"), "failed:plugins.facts_mismatch");
  EXPECT_EQ(host.state("probe"), "failed:plugins.requires_inactive");
}

TEST(Lifecycle, KeepsOutAConflictingPlugin) {
  PluginHost host;
  host.put("other", "other");
  host.put("probe", "probe", "1.0.0", R"(,"conflicts":{"other":"^1"})");
  host.start();
  EXPECT_EQ(host.state("other"), "active");
  EXPECT_EQ(host.state("probe"), "failed:plugins.conflict");
  host.lifecycle().disable("probe");
  EXPECT_EQ(refused([&] { host.lifecycle().enable("probe"); }), "plugins.conflict");
  EXPECT_FALSE(host.status("probe").enabled);
  host.lifecycle().disable("other");
  EXPECT_EQ(host.lifecycle().enable("probe").state, State::active);
  EXPECT_EQ(refused([&] { host.lifecycle().enable("other"); }), "plugins.conflict");
  host.restart();
  host.start();
  EXPECT_EQ(host.state("probe"), "active");
  EXPECT_EQ(host.state("other"), "disabled");
}

TEST(Lifecycle, UndoesAnActivationThatTheListenerRefuses) {
  PluginHost::Options options;
  options.on_activate = [](const ActivePlugin&) {
    throw base::Error(500, "shell.ui_invalid", "The UI is damaged.");
  };
  PluginHost host(options);
  host.put_probe();
  host.start();
  EXPECT_EQ(host.state("probe"), "failed:shell.ui_invalid");
  EXPECT_EQ(host.get("/api/probe/hello").status, 404);
  EXPECT_EQ(host.count("stop"), 1U);
  EXPECT_EQ(host.count("drop /hello"), 1U);
  EXPECT_EQ(host.count("destroy"), 1U);
  EXPECT_EQ(host.mapped(), 0U);
}

TEST(Lifecycle, SerializesConcurrentChanges) {
  PluginHost host;
  host.put_probe();
  host.put_probe("other", "other");
  host.start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 15; ++i) {
        const std::string id = (t + i) % 3 ? "probe" : "other";
        if ((t * 7 + i) % 2)
          host.lifecycle().enable(id);
        else
          host.lifecycle().disable(id);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const char* id : {"probe", "other"}) {
    host.lifecycle().enable(id);
    EXPECT_EQ(host.get(std::string("/api/") + id + "/hello").status, 200);
    host.lifecycle().disable(id);
    EXPECT_EQ(host.count("create", id), host.count("destroy", id));
    EXPECT_EQ(host.lifecycle().resident(id), 0U);
  }
  EXPECT_EQ(host.mapped(), 0U);
}

TEST(Lifecycle, ClosesEverythingAtAStop) {
  PluginHost host;
  host.put_probe("other", "other");
  host.put_probe("probe", "probe");
  host.start();
  host.lifecycle().stop();
  EXPECT_EQ(host.count("destroy", "other"), 1U);
  EXPECT_EQ(host.count("destroy", "probe"), 1U);
  EXPECT_EQ(refused([&] { host.lifecycle().enable("probe"); }), "plugins.stopping");
  EXPECT_TRUE(host.status("probe").enabled);
}

}  // namespace
}  // namespace tenon::plugins
