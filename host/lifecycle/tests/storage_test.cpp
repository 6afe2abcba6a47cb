#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "bridge/db/plugin_database.hpp"
#include "bridge/storage_reason.hpp"
#include "data/database.hpp"
#include "engines/tests/postgresql/postgresql_cluster.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "packages/manifest/manifest.hpp"
#include "postgresql/client/server.hpp"

namespace tenon::plugins {
namespace {

using data::Fault;
using test::PluginHost;
using test::refused;

TEST(StorageReason, NamesTheFileAndWhatToDo) {
  for (const auto* code : {"data.corrupt", "data.storage_failed", "data.disk_full", "data.io",
                           "data.open", "data.connection_lost"}) {
    const auto reason = storage_reason(code, "what the engine says", "/data/notes.db");
    ASSERT_TRUE(reason) << code;
    EXPECT_EQ(reason->code, code);
    EXPECT_EQ(reason->file, "/data/notes.db");
    EXPECT_NE(reason->message.find("(what the engine says). "), std::string::npos);
    EXPECT_EQ(storage_reason(code, {}, {})->message.find('('), std::string::npos);
  }
  EXPECT_FALSE(storage_reason("data.unique", "x", "y"));
  EXPECT_EQ(code_of(Fault::healed), "");
  for (const Fault fault : {Fault::sync_failed, Fault::corrupt, Fault::disk_full, Fault::io_failed})
    EXPECT_TRUE(storage_reason(code_of(fault), {}, {}));
}

TEST(PluginDatabaseOnPostgresql, UsesASchemaAndRoleOfItsOwn) {
  const data::test::PostgresqlCluster cluster;
  data::postgresql::Server server(cluster.url());
  server.host_schema();
  const SchemaLocator location = [&](const std::string& plugin, bool is_needed) {
    return is_needed ? server.plugin_schema(plugin) : server.known_schema(plugin);
  };
  PluginDatabase database({"probe", "/nowhere", location}, data::CheckTime::before_opening, {});
  Manifest manifest;
  manifest.id = "probe";
  // One that declares nothing gets nothing.
  database.migrate(manifest, "/nowhere");
  EXPECT_FALSE(server.known_schema("probe"));
  {
    auto rows = database.get()->query("SELECT current_user, current_schema()");
    ASSERT_TRUE(rows.next());
    EXPECT_EQ(rows.text(0).substr(0, 13), "plugin_probe_");
    EXPECT_EQ(rows.text(1), "plugin_probe");
  }
  EXPECT_EQ(server.known_schema("probe")->schema, "plugin_probe");
  EXPECT_FALSE(std::filesystem::exists("/nowhere"));
}

TEST(Lifecycle, FailsOnlyThePluginOfADamagedFile) {
  PluginHost host;
  host.put_probe();
  host.put("broken", "sound");
  const std::string file = host.folder() + "/data/probe.db";
  test::write_file(file, std::string(8192, 'x'));
  host.start();
  EXPECT_EQ(host.state("probe"), "failed:data.corrupt");
  EXPECT_EQ(host.status("probe").reason->file, file);
  EXPECT_NE(host.status("probe").reason->message.find("backup"), std::string::npos);
  EXPECT_EQ(host.state("broken"), "active");
  EXPECT_NE(
      host.metrics_text().find(R"(tenon_plugins_trouble{plugin="probe",code="data.corrupt"} 1)"),
      std::string::npos);
  EXPECT_EQ(refused([&] { host.lifecycle().enable("probe"); }), "data.corrupt");
  std::filesystem::remove(file);
  EXPECT_EQ(host.lifecycle().enable("probe").state, State::active);
  EXPECT_FALSE(host.status("probe").reason);
  EXPECT_EQ(host.metrics_text().find("tenon_plugins_trouble{"), std::string::npos);
}

}  // namespace
}  // namespace tenon::plugins
