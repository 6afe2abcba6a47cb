#include <gtest/gtest.h>

#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;

std::string tables(const std::string& name, const std::string& rule) {
  return R"({"tables":[{"name":")" + name + R"(","publish":true,"rules":{"read":")" + rule +
         R"("},"fields":[{"name":"body","type":"text"}]}]})";
}

TEST(PublishedTables, AddsRoutesToThePluginsOwn) {
  PluginHost host;
  test::write_file(host.put_probe() + "/tables.json", tables("lines", "true"));
  host.start();
  EXPECT_EQ(host.state("probe"), "active");
  const std::string ada = host.sign_in("ada");
  const auto list = host.get("/api/probe/lines", ada);
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.body, R"({"items":[],"next":null})");
  EXPECT_EQ(host.get("/api/probe/lines").status, 401);
  host.lifecycle().disable("probe");
  EXPECT_EQ(host.get("/api/probe/lines", ada).status, 404);
  host.lifecycle().enable("probe");
  EXPECT_EQ(host.get("/api/probe/lines", ada).status, 200);
}

TEST(PublishedTables, RefusesARouteOfThePluginThatCollides) {
  PluginHost host;
  test::write_file(host.put_probe() + "/tables.json", tables("hello", "true"));
  host.start();
  EXPECT_EQ(host.state("probe"), "failed:plugins.route_shadows_table");
}

TEST(PublishedTables, RefusesAnInvalidRuleBeforeTouchingData) {
  PluginHost host;
  test::write_file(host.put_probe() + "/tables.json", tables("lines", "nofield = 1"));
  host.start();
  EXPECT_EQ(host.state("probe"), "failed:data.tables_invalid");
  const std::string reason = host.status("probe").reason->message;
  EXPECT_NE(reason.find("/tables/0/rules/read"), std::string::npos) << reason;
  EXPECT_NE(reason.find("'nofield'"), std::string::npos) << reason;
}

}  // namespace
}  // namespace tenon::plugins
