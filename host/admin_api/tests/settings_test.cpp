#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/control_socket/plugins_commands.hpp"
#include "admin_api/plugins/settings_admin.hpp"
#include "base/error.hpp"
#include "data/database.hpp"
#include "identity/identity.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "packages/reason.hpp"
#include "settings/store.hpp"

namespace tenon::console {
namespace {

using plugins::test::PluginHost;

class SettingsAdminTest : public testing::Test {
 protected:
  SettingsAdminTest() {
    host_.put_probe(
        "probe", "probe", "1.0.0",
        R"(,"color":{"type":"string","enum":["red","blue"],"default":"red"},"depth":{"type":"integer","maximum":9},)"
        R"("token":{"type":"string","writeOnly":true})");
    host_.put("plain", "sound");
    host_.start();
    add_settings_commands(commands_, admin_);
  }

  std::string replace(const std::string& body) {
    try {
      return admin_.replace("probe", body, "ada");
    } catch (const base::Error& error) {
      return std::to_string(error.status()) + " " + error.code() + faults(error);
    }
  }
  std::string set(const std::string& key, const std::string& json) {
    try {
      return admin_.set("probe", key, json, "ada");
    } catch (const base::Error& error) {
      return std::to_string(error.status()) + " " + error.code() + faults(error);
    }
  }
  static std::string faults(const base::Error& error) {
    std::string all;
    for (const base::FieldError& fault : error.fields())
      all += " " + fault.field + ":" + fault.code;
    return all;
  }
  // Returns the part of show() after the schema.
  std::string shown(const std::string& id = "probe") {
    const std::string all = admin_.show(id);
    return all.substr(all.find("\"values\":"));
  }
  std::vector<std::string> audited() {
    std::vector<std::string> lines;
    data::Rows rows = host_.database().query(
        "SELECT actor || ' ' || object || ' ' || details FROM identity_audit WHERE action = "
        "'plugins.settings_changed' ORDER BY id");
    while (rows.next())
      lines.emplace_back(rows.text(0));
    return lines;
  }

  PluginHost host_;
  SettingsAdmin admin_{
      host_.lifecycle().settings(),
      [this](const std::string& id) { return host_.lifecycle().settings_schema(id); },
      host_.identity().audit()};
  Commands commands_;
};

constexpr const char* nothing = R"("values":{},"secrets":[],"errors":[]})";

TEST_F(SettingsAdminTest, ShowsSchemaAndStoredValues) {
  EXPECT_NE(admin_.show("probe").find(R"({"schema":{"properties":{)"), std::string::npos);
  EXPECT_EQ(shown(), nothing);
  EXPECT_EQ(admin_.show("plain"), std::string(R"({"schema":null,)") + nothing);
  EXPECT_THROW(admin_.show("unknown"), base::Error);
}

TEST_F(SettingsAdminTest, ReplacesValuesAndKeepsSecrets) {
  replace(R"({"values":{"color":"blue","depth":3,"token":"hunter2"}})");
  EXPECT_EQ(shown(), R"("values":{"color":"blue","depth":3},"secrets":["token"],"errors":[]})");
  replace(R"({"values":{"depth":4}})");
  EXPECT_EQ(shown(), R"("values":{"depth":4},"secrets":["token"],"errors":[]})");
  EXPECT_EQ(host_.lifecycle().settings().read("probe").at("token"), "\"hunter2\"");
  replace(R"({"values":{"token":null}})");
  EXPECT_EQ(shown(), nothing);
}

TEST_F(SettingsAdminTest, ReachesTheRunningPlugin) {
  set("color", "\"blue\"");
  EXPECT_EQ(host_.count("watched color=\"blue\""), 1U);
  set("color", "null");
  EXPECT_EQ(host_.count("watched color"), 2U);
  set("color", "null");
  EXPECT_EQ(host_.count("watched color"), 2U) << "nothing changed";
}

TEST_F(SettingsAdminTest, RefusesWhatTheSchemaRefuses) {
  replace(R"({"values":{"depth":3}})");
  const std::string invalid = "422 plugins.settings_invalid";
  EXPECT_EQ(replace(R"({"values":{"depth":10,"color":"green"}})"),
            invalid + " color:unknown depth:too_large");
  EXPECT_EQ(replace(R"({"values":{"deep":1}})"), invalid + " deep:unknown");
  EXPECT_EQ(replace(R"({"values":[]})"), invalid + " values:required");
  EXPECT_EQ(replace("[]"), invalid + " values:required");
  EXPECT_EQ(replace(R"({"depth":1})"), invalid + " depth:unknown values:required");
  EXPECT_EQ(replace("{"), "400 json.invalid");
  EXPECT_EQ(replace(std::string(SettingsAdmin::max_body_bytes + 1, ' ')), "413 json.too_large");
  EXPECT_EQ(
      replace(R"({"values":{"token":")" + std::string(settings::max_value_bytes, 'x') + R"("}})"),
      invalid + " token:too_long");
  EXPECT_EQ(set("depth", "10"), invalid + " depth:too_large");
  EXPECT_EQ(set("deep", "1"), invalid + " deep:unknown");
  EXPECT_EQ(set("depth", "1 2"), "400 json.invalid");
  EXPECT_EQ(shown(), R"("values":{"depth":3},"secrets":[],"errors":[]})");
}

TEST_F(SettingsAdminTest, RefusesInvalidValuesOfThePlugin) {
  EXPECT_EQ(host_.post("/api/probe/settings", "\"green\"").body.find("set=-"), 0U);
  EXPECT_EQ(shown(), nothing);
  EXPECT_EQ(host_.post("/api/probe/settings", "\"blue\"").body.find("set=0"), 0U);
  EXPECT_EQ(shown(), R"("values":{"color":"blue"},"secrets":[],"errors":[]})");
}

TEST_F(SettingsAdminTest, AuditsKeysWithoutValues) {
  replace(R"({"values":{"depth":3,"token":"hunter2"}})");
  replace(R"({"values":{"depth":3}})");
  commands_.run("plugin.set_setting", R"({"id":"probe","key":"token","json":"null"})");
  EXPECT_EQ(audited(), (std::vector<std::string>{R"(ada probe {"settings":["depth","token"]})",
                                                 R"(local probe {"settings":["token"]})"}));
}

TEST_F(SettingsAdminTest, WorksWhileThePluginIsDisabled) {
  host_.lifecycle().disable("probe");
  set("color", "\"blue\"");
  EXPECT_EQ(shown(), R"("values":{"color":"blue"},"secrets":[],"errors":[]})");
  host_.lifecycle().enable("probe");
  EXPECT_EQ(host_.count("watched color"), 0U);
}

TEST_F(SettingsAdminTest, ShowsStoredValuesThatTheSchemaRefuses) {
  host_.database().exec(
      "INSERT INTO plugins_settings(plugin, key, value) VALUES('probe', 'depth', '99')");
  EXPECT_EQ(
      shown(),
      R"("values":{"depth":99},"secrets":[],"errors":[{"field":"depth","code":"too_large","message":"This must be at most 9."}]})");
  set("color", "\"blue\"");
  EXPECT_EQ(set("depth", "8").find("422"), std::string::npos);
  EXPECT_EQ(shown(), R"("values":{"color":"blue","depth":8},"secrets":[],"errors":[]})");
}

TEST_F(SettingsAdminTest, RefusesPluginsWithoutSettings) {
  try {
    admin_.set("plain", "a", "1", "ada");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "plugins.no_settings");
  }
}

}  // namespace
}  // namespace tenon::console
