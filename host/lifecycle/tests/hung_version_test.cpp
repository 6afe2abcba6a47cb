#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "data/snapshot/snapshot.hpp"
#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using std::chrono::milliseconds;
using test::PluginHost;
using test::refused;

constexpr const char* rows_in_order =
    R"({"tables":[{"name":"rows","fields":[{"name":"body","type":"text"}]}]})";

// A folder with a version of the plugin that is not in a directory of plugins.
std::string put_outside(const PluginHost& host, const std::string& id, const std::string& library,
                        const std::string& version) {
  const std::string folder =
      test::put_plugin(host.folder() + "/outside", id, test::manifest_text(id, version), library);
  test::write_file(folder + "/tables.json", rows_in_order);
  return folder;
}

TEST(HungVersion, ReturnsDataWhenStartHangs) {
  // The version before has to start in this time, too.
  PluginHost host({.drain = milliseconds(100), .start_timeout = milliseconds(2'000)});
  host.put_probe();
  host.start();
  ASSERT_EQ(host.post("/api/probe/rows").status, 201);
  const std::string file = host.folder() + "/data/probe.db";
  const std::string snapshot = host.folder() + "/snapshot.db";
  bool is_committed = false;
  const Replacement change{
      .folder = put_outside(host, "probe", "probe_hangs", "2.0.0"),
      .start_snapshot = {},
      .take_snapshot = [&](data::Database* database,
                           data::OnlineSnapshot*) { data::snapshot(*database, snapshot); },
      .commit_to_restore = [] {},
      .commit = [&] { is_committed = true; },
      .restore = [&](bool) { data::restore_snapshot(file, snapshot); }};
  EXPECT_EQ(refused([&] { host.lifecycle().replace("probe", change); }), "plugins.start_timeout");
  EXPECT_FALSE(is_committed);
  EXPECT_EQ(host.state("probe"), "active");
  EXPECT_EQ(host.status("probe").version, "1.0.0");
  EXPECT_EQ(host.get("/api/probe/rows").body, "1 number");
  EXPECT_EQ(host.post("/api/probe/rows").status, 201);
  EXPECT_EQ(host.lifecycle().resident("probe"), 1U);
}

TEST(HungVersion, ReturnsDataToARollbackWhenStopHangs) {
  PluginHost host({.drain = milliseconds(100)});
  test::write_file(host.put("broken", "quiesce_hangs") + "/tables.json", rows_in_order);
  const std::string snapshot = host.folder() + "/snapshot.db";
  {
    data::DatabaseOptions options;
    options.path = host.folder() + "/earlier.db";
    options.confinement = data::Confinement::host();
    data::Database earlier(options);
    earlier.exec("CREATE TABLE before (body TEXT)");
    data::snapshot(earlier, snapshot);
  }
  host.start();
  ASSERT_EQ(host.state("broken"), "active");
  EXPECT_EQ(refused([&] {
              host.lifecycle().swap(
                  "broken", {},
                  [&] { data::restore_snapshot(host.folder() + "/data/broken.db", snapshot); },
                  [] {});
            }),
            "");
  EXPECT_EQ(host.state("broken"), "active");
  EXPECT_EQ(host.lifecycle().resident("broken"), 1U);
}

}  // namespace
}  // namespace tenon::plugins
