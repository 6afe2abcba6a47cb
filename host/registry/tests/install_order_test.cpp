#include "registry/install_order.hpp"

#include <gtest/gtest.h>

#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

using test::indexed;

class InstallOrders : public testing::Test {
 protected:
  InstallOrders() {
    facts_.abi_minor = 10;
    facts_.architecture = "x86_64";
    facts_.key = [](const std::string&) { return KeyTrust::trusted; };
    index_.keys = {test::signer().public_key()};
  }

  // Adds it after those that were added before it by id.
  IndexedVersion& add(const std::string& id, std::initializer_list<const char*> versions) {
    index_.plugins.push_back(indexed(id, versions));
    return index_.plugins.back().versions[0];
  }
  IndexedVersion& version(const std::string& id, std::size_t at) {
    for (IndexedPlugin& plugin : index_.plugins) {
      if (plugin.id == id) return plugin.versions.at(at);
    }
    throw std::logic_error(id);
  }
  static void require(IndexedVersion& version, const std::string& id, const char* range) {
    version.requires_plugins.push_back({id, VersionRange::parse(range).value()});
  }
  InstalledPlugin& put(const std::string& id, const std::string& version) {
    InstalledPlugin& present = present_.emplace_back();
    present.manifest.id = id;
    present.manifest.version = SemanticVersion::parse(version).value();
    present.manifest.version_text = version;
    return present;
  }
  // "id version, id version", each "from→" where it is here; the codes of reasons where it is
  // refused.
  std::string ordered(const std::string& id, std::size_t at = 0) {
    for (const InstalledPlugin& one : present_)
      facts_.installed[one.manifest.id] = one.manifest.version_text;
    const std::vector<PluginOffer> offers = check_compatibility(index_, facts_);
    for (const PluginOffer& plugin : offers) {
      if (plugin.plugin->id != id) continue;
      order_ = order_installs(offers, plugin, plugin.versions.at(at), present_);
      EXPECT_EQ(order_.steps.empty(), !order_.refused.empty());
      std::string text;
      for (const Reason& reason : order_.refused)
        text += (text.empty() ? "" : " ") + reason.code.substr(reason.code.find('.') + 1);
      for (const InstallStep& step : order_.steps) {
        text += (text.empty() ? "" : ", ") + step.id + " " +
                (step.from.empty() ? "" : step.from + "→") + step.version->version_text;
      }
      return text;
    }
    return "none";
  }

  HostFacts facts_;
  PackageIndex index_;
  std::vector<InstalledPlugin> present_;
  InstallOrder order_;
};

TEST_F(InstallOrders, HasOneStepWithoutRequirements) {
  add("notes", {"1.0.0"});
  EXPECT_EQ(ordered("notes"), "notes 1.0.0");
  put("notes", "0.9.0");
  EXPECT_EQ(ordered("notes"), "notes 0.9.0→1.0.0");
  facts_.key = nullptr;
  EXPECT_EQ(ordered("notes"), "signer_unknown");
}

TEST_F(InstallOrders, FollowsRequirementsToTheirEnds) {
  require(add("alpha", {"1.0.0"}), "beta", "^1");
  require(add("beta", {"1.0.0"}), "zeta", "*");
  require(version("beta", 0), "gamma", "*");
  require(add("gamma", {"1.0.0"}), "zeta", "*");
  add("zeta", {"1.0.0"});
  EXPECT_EQ(ordered("alpha"), "zeta 1.0.0, gamma 1.0.0, beta 1.0.0, alpha 1.0.0");
  put("zeta", "0.5.0");
  EXPECT_EQ(ordered("alpha"), "gamma 1.0.0, beta 1.0.0, alpha 1.0.0");
}

TEST_F(InstallOrders, TakesCompatibleVersions) {
  require(add("alpha", {"1.0.0"}), "beta", "*");
  require(version("alpha", 0), "gamma", "*");
  require(add("beta", {"1.0.0"}), "gamma", "<2.0.0");
  add("gamma", {"3.0.0-rc.1", "2.0.0", "1.9.0", "1.0.0"});
  EXPECT_EQ(ordered("alpha"), "gamma 1.9.0, beta 1.0.0, alpha 1.0.0");
  EXPECT_EQ(ordered("beta"), "gamma 1.9.0, beta 1.0.0");
}

TEST_F(InstallOrders, FallsBackToAnOlderDependency) {
  require(add("alpha", {"1.0.0"}), "beta", "*");
  require(version("alpha", 0), "gamma", "^1");
  add("beta", {"2.0.0", "1.0.0"});
  require(version("beta", 0), "gamma", "^2");
  require(version("beta", 1), "gamma", "^1");
  add("gamma", {"2.0.0", "1.0.0"});
  EXPECT_EQ(ordered("alpha"), "gamma 1.0.0, beta 1.0.0, alpha 1.0.0");
  require(version("beta", 1), "gamma", "^2");
  version("beta", 1).requires_plugins.erase(version("beta", 1).requires_plugins.begin());
  EXPECT_EQ(ordered("alpha"), "requires_conflict");
}

TEST_F(InstallOrders, KeepsInstalledPluginsRunning) {
  require(add("alpha", {"1.0.0"}), "beta", "^2");
  add("beta", {"2.0.0", "1.0.0"});
  put("beta", "1.0.0");
  EXPECT_EQ(ordered("alpha"), "beta 1.0.0→2.0.0, alpha 1.0.0");
  InstalledPlugin& other = put("other", "1.0.0");
  other.manifest.requires_plugins = {{"beta", VersionRange::parse("^1").value()}};
  EXPECT_EQ(ordered("alpha"), "requires_conflict");
  EXPECT_EQ(ordered("beta"), "required_by");
  EXPECT_NE(order_.refused[0].message.find("\"other\""), std::string::npos);
  other.enabled = false;
  EXPECT_EQ(ordered("alpha"), "beta 1.0.0→2.0.0, alpha 1.0.0");
}

TEST_F(InstallOrders, ReportsDisabledPlugins) {
  require(add("alpha", {"1.0.0"}), "beta", "*");
  put("beta", "1.0.0").enabled = false;
  EXPECT_EQ(ordered("alpha"), "requires_inactive");
}

TEST_F(InstallOrders, EndsAfterTooManyAttempts) {
  // Twelve plugins of ten versions each, and the last of all goes with none of them.
  const auto id = [](int number) { return "p" + std::to_string(10 + number); };
  for (int i = 0; i < 12; ++i) {
    index_.plugins.push_back(indexed(id(i), {"1.9.0", "1.8.0", "1.7.0", "1.6.0", "1.5.0"}));
    for (IndexedVersion& version : index_.plugins.back().versions) {
      if (i > 0) require(version, "zeta", "^1");
    }
  }
  for (int i = 1; i < 12; ++i)
    require(version(id(0), 0), id(i), "*");
  require(version(id(0), 0), "zeta", "^2");
  add("zeta", {"2.0.0", "1.0.0"});
  EXPECT_EQ(ordered(id(0)), "requires_conflict");
}

TEST_F(InstallOrders, ResolvesAllVersionsOfAPlugin) {
  require(add("alpha", {"2.0.0", "1.0.0"}), "beta", "^1");
  require(add("beta", {"1.0.0"}), "gamma", "*");
  add("gamma", {"1.0.0"});
  put("alpha", "0.9.0");
  InstalledPlugin& other = put("other", "1.0.0");
  other.manifest.requires_plugins = {{"alpha", VersionRange::parse("<2.0.0").value()}};
  ordered("alpha");
  std::vector<PluginOffer> offers = check_compatibility(index_, facts_);
  add_install_orders(offers, offers[0], present_);
  EXPECT_EQ(offers[0].versions[0].reasons.at(0).code, "plugins.required_by");
  EXPECT_EQ(offers[0].newest_installable()->version->version_text, "1.0.0");
  other.enabled = false;
  offers = check_compatibility(index_, facts_);
  add_install_orders(offers, offers[0], present_);
  ASSERT_EQ(offers[0].versions[0].with.size(), 2U);
  EXPECT_EQ(offers[0].versions[0].with[0].id, "gamma");
  EXPECT_EQ(offers[0].versions[0].with[1].id, "beta");
}

}  // namespace
}  // namespace tenon::plugins
