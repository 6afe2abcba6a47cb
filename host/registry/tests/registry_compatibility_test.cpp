#include <gtest/gtest.h>

#include "registry/compatibility.hpp"
#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

using test::indexed;

class RegistryCompatibility : public testing::Test {
 protected:
  RegistryCompatibility() {
    facts_.abi_major = 0;
    facts_.abi_minor = 10;
    facts_.architecture = "x86_64";
    facts_.key = [this](const std::string&) { return trust_; };
    index_.keys = {test::signer().public_key()};
  }

  IndexedVersion& add(const std::string& id, const char* version = "1.0.0") {
    index_.plugins.push_back(indexed(id, {version}));
    return index_.plugins.back().versions[0];
  }
  static void require(IndexedVersion& version, const std::string& id, const char* range) {
    version.requires_plugins.push_back({id, VersionRange::parse(range).value()});
  }
  std::vector<PluginOffer> offers() {
    std::sort(
        index_.plugins.begin(), index_.plugins.end(),
        [](const IndexedPlugin& left, const IndexedPlugin& right) { return left.id < right.id; });
    return check_compatibility(index_, facts_);
  }
  // Codes of the reasons against one version, and the versions that it needs in addition.
  std::string said(const std::string& id, std::size_t version = 0) {
    std::string text;
    for (const PluginOffer& plugin : offers()) {
      if (plugin.plugin->id != id) continue;
      const VersionOffer& offer = plugin.versions.at(version);
      for (const Reason& reason : offer.reasons) {
        EXPECT_TRUE(reason.message.ends_with('.')) << reason.message;
        text += (text.empty() ? "" : " ") + reason.code.substr(reason.code.find('.') + 1);
      }
      for (const Prerequisite& prerequisite : offer.with)
        text += (text.empty() ? "" : " ") + ("+" + prerequisite.id) + " " + prerequisite.version;
    }
    return text;
  }
  std::string message(const std::string& id) {
    for (const PluginOffer& plugin : offers()) {
      if (plugin.plugin->id == id) return plugin.versions[0].reasons.at(0).message;
    }
    return {};
  }

  KeyTrust trust_ = KeyTrust::trusted;
  HostFacts facts_;
  PackageIndex index_;
};

TEST_F(RegistryCompatibility, OffersACompatibleVersion) {
  add("notes");
  EXPECT_EQ(said("notes"), "");
  EXPECT_EQ(offers()[0].newest_installable()->version->version_text, "1.0.0");
  EXPECT_EQ(offers()[0].installed, "");
}

TEST_F(RegistryCompatibility, RequiresATrustedSigner) {
  add("notes");
  trust_ = KeyTrust::unknown;
  EXPECT_EQ(said("notes"), "signer_unknown");
  EXPECT_NE(message("notes").find(test::signer().public_key().id()), std::string::npos);
  trust_ = KeyTrust::revoked;
  EXPECT_EQ(said("notes"), "signer_revoked");
  facts_.key = nullptr;
  EXPECT_EQ(said("notes"), "signer_unknown");
  EXPECT_EQ(offers()[0].newest_installable(), nullptr);
}

TEST_F(RegistryCompatibility, ComparesTheAbi) {
  IndexedVersion& version = add("notes");
  version.abi_minor = 90;
  version.needs_minor = 10;
  EXPECT_EQ(said("notes"), "") << "built against a newer one, and content with this one";
  index_.plugins[0].versions[0].needs_minor = 11;
  EXPECT_EQ(said("notes"), "abi_too_new");
  EXPECT_EQ(message("notes"), "It needs ABI 0.11; this host has 0.10. Upgrade the host first.");
  index_.plugins[0].versions[0].abi_major = 1;
  index_.plugins[0].versions[0].needs_minor = 0;
  EXPECT_EQ(said("notes"), "abi_too_new");
  facts_.abi_major = 2;
  EXPECT_EQ(said("notes"), "abi_too_old");
}

TEST_F(RegistryCompatibility, RequiresALibraryForThisMachine) {
  add("notes").architectures = {"aarch64", "riscv64"};
  EXPECT_EQ(said("notes"), "wrong_architecture");
  EXPECT_NE(message("notes").find("aarch64, riscv64, none for x86_64"), std::string::npos);
}

TEST_F(RegistryCompatibility, OffersAPluginWithoutLibraryToAllMachines) {
  IndexedVersion& version = add("notes");
  version.architectures.clear();
  EXPECT_EQ(said("notes"), "wrong_architecture");
  version.has_library = false;
  version.abi_major = version.abi_minor = 0;
  facts_.abi_major = 2;
  EXPECT_EQ(said("notes"), "");
}

TEST_F(RegistryCompatibility, ReportsEveryReason) {
  IndexedVersion& version = add("notes");
  version.architectures = {"aarch64"};
  version.needs_minor = 20;
  trust_ = KeyTrust::revoked;
  facts_.installed["notes"] = "2.0.0";
  EXPECT_EQ(said("notes"), "signer_revoked abi_too_new wrong_architecture downgrade");
}

TEST_F(RegistryCompatibility, ComparesInstalledVersions) {
  index_.plugins = {indexed("notes", {"1.2.0-beta.1", "1.1.0", "1.0.0", "0.9.0"})};
  facts_.installed["notes"] = "1.0.0+local";
  EXPECT_EQ(said("notes", 0), "");
  EXPECT_EQ(said("notes", 1), "");
  EXPECT_EQ(said("notes", 2), "installed");
  EXPECT_EQ(said("notes", 3), "downgrade");
  EXPECT_EQ(offers()[0].newest_installable()->version->version_text, "1.1.0");
  EXPECT_EQ(offers()[0].installed, "1.0.0+local");
  facts_.installed["notes"] = "1.1.0";
  EXPECT_EQ(offers()[0].newest_installable()->version->version_text, "1.2.0-beta.1");
}

TEST_F(RegistryCompatibility, PrefersAnInstalledRequirement) {
  require(add("notes"), "tables", "^1.2");
  EXPECT_EQ(said("notes"), "requires_missing");
  facts_.installed["tables"] = "1.1.0";
  EXPECT_EQ(said("notes"), "requires_version");
  EXPECT_EQ(message("notes"),
            "It requires tables ^1.2; version 1.1.0 is installed, and the registry has no such "
            "version.");
  facts_.installed["tables"] = "1.3.0";
  EXPECT_EQ(said("notes"), "");
}

TEST_F(RegistryCompatibility, TakesARequirementFromTheRegistry) {
  require(add("notes"), "tables", "^1.2");
  index_.plugins.push_back(indexed("tables", {"2.0.0", "1.3.0", "1.2.0", "1.1.0"}));
  EXPECT_EQ(said("notes"), "+tables 1.3.0");
  facts_.installed["tables"] = "1.1.0";
  EXPECT_EQ(said("notes"), "+tables 1.3.0");
  // The newest one that fits cannot be installed here.
  index_.plugins[1].versions[1].needs_minor = 11;
  EXPECT_EQ(said("notes"), "+tables 1.2.0");
  index_.plugins[1].versions[2].architectures = {"aarch64"};
  EXPECT_EQ(said("notes"), "requires_version");
  EXPECT_NE(message("notes").find("what the registry has of it cannot be installed here"),
            std::string::npos);
}

TEST_F(RegistryCompatibility, FollowsRequirementsToTheirEnds) {
  for (int i = 0; i < 50; ++i) {
    const auto id = [](int number) { return "p" + std::to_string(100 + number); };
    IndexedVersion& version = add(id(i));
    if (i < 49) require(version, id(i + 1), "*");
  }
  EXPECT_EQ(said("p100"), "+p101 1.0.0");
  index_.plugins[49].versions[0].architectures = {"aarch64"};
  EXPECT_EQ(said("p148"), "requires_missing");
  EXPECT_EQ(said("p100"), "requires_missing");
}

TEST_F(RegistryCompatibility, RefusesCircles) {
  require(add("ann"), "ben", "*");
  require(add("ben"), "ann", "*");
  EXPECT_EQ(said("ann"), "requires_missing");
  EXPECT_EQ(said("ben"), "requires_missing");
  facts_.installed["ben"] = "0.9.0";
  EXPECT_EQ(said("ann"), "");
  EXPECT_EQ(said("ben"), "+ann 1.0.0");
}

TEST_F(RegistryCompatibility, ReadsTheFactsOfThisHost) {
  const HostFacts facts = facts_of_this_host();
  EXPECT_FALSE(facts.architecture.empty());
  EXPECT_GT(facts.abi_major + facts.abi_minor, 0U);
  EXPECT_TRUE(facts.installed.empty());
}

}  // namespace
}  // namespace tenon::plugins
