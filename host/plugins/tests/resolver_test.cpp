#include "plugins/resolver/resolver.hpp"

#include <deque>

#include <gtest/gtest.h>

#include "plugins/manifest/manifest.hpp"

namespace tenon::plugins {
namespace {

class Resolver : public testing::Test {
 protected:
  void add(const std::string& id,
           const std::vector<std::pair<std::string, std::string>>& required = {},
           bool enabled = true, const std::string& version = "1.0.0") {
    Manifest& manifest = manifests_.emplace_back();
    manifest.id = id;
    manifest.version_text = version;
    manifest.version = SemanticVersion::parse(version).value();
    for (auto& [other, range] : required)
      manifest.requires_plugins.push_back({other, VersionRange::parse(range).value()});
    candidates_.push_back({&manifest, enabled, true});
  }
  Resolution run() { return resolve(candidates_); }

  std::deque<Manifest> manifests_;
  std::vector<Candidate> candidates_;
};

using Order = std::vector<std::string>;

TEST_F(Resolver, OrdersByRequirementThenById) {
  add("delta");
  add("alpha", {{"charlie", "^1"}});
  add("charlie", {{"delta", "*"}});
  add("bravo");
  const Resolution resolution = run();
  EXPECT_EQ(resolution.order, (Order{"bravo", "delta", "charlie", "alpha"}));
  EXPECT_TRUE(resolution.refused.empty());
}

TEST_F(Resolver, RefusesWhatIsMissingWrongOrOff) {
  add("missing", {{"nobody", "1"}});
  add("wrong", {{"base", "^2"}});
  add("off", {{"disabled", "1"}});
  add("stands-on-wrong", {{"wrong", "1"}});
  add("base");
  add("disabled", {}, false);
  const Resolution resolution = run();
  EXPECT_EQ(resolution.order, Order{"base"});
  EXPECT_EQ(resolution.refused.at("missing").code, "plugins.requires_missing");
  EXPECT_EQ(resolution.refused.at("missing").path, "requires.nobody");
  EXPECT_EQ(resolution.refused.at("wrong").code, "plugins.requires_version");
  EXPECT_EQ(resolution.refused.at("off").code, "plugins.requires_inactive");
  EXPECT_EQ(resolution.refused.at("stands-on-wrong").code, "plugins.requires_inactive");
  EXPECT_FALSE(resolution.refused.contains("disabled"));
}

TEST_F(Resolver, NamesCircles) {
  add("a", {{"b", "*"}});
  add("b", {{"c", "*"}});
  add("c", {{"b", "*"}});
  add("d");
  const Resolution resolution = run();
  EXPECT_EQ(resolution.order, Order{"d"});
  for (const char* id : {"a", "b", "c"})
    EXPECT_EQ(resolution.refused.at(id).code, "plugins.requires_cycle");
  EXPECT_NE(resolution.refused.at("a").message.find("b → c → b"), std::string::npos)
      << resolution.refused.at("a").message;
}

TEST_F(Resolver, TakesAThousand) {
  for (int i = 0; i < 1000; ++i) {
    add("p" + std::to_string(1000 + i), i == 0 ? std::vector<std::pair<std::string, std::string>>{}
                                               : std::vector<std::pair<std::string, std::string>>{
                                                     {"p" + std::to_string(999 + i), "1"}});
  }
  const Resolution resolution = run();
  ASSERT_EQ(resolution.order.size(), 1000U);
  EXPECT_EQ(resolution.order.back(), "p1999");
}

}  // namespace
}  // namespace tenon::plugins
