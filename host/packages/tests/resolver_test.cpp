#include "packages/resolver/resolver.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "packages/tests/plugin_set.hpp"

namespace tenon::plugins {
namespace {

using test::Others;
using test::PluginSet;
using Order = std::vector<std::string>;

bool contains(const Order& order, const std::string& id) {
  return std::find(order.begin(), order.end(), id) != order.end();
}

TEST(Resolver, OrdersByRequirementThenById) {
  PluginSet set;
  set.add("delta");
  set.add("alpha", {.required = {{"charlie", "^1"}}});
  set.add("charlie", {.required = {{"delta", "*"}}});
  set.add("bravo");
  const Resolution resolution = resolve(set.candidates());
  EXPECT_EQ(resolution.order, (Order{"bravo", "delta", "charlie", "alpha"}));
  EXPECT_TRUE(resolution.refused.empty());
}

TEST(Resolver, RefusesMissingWrongAndDisabledRequirements) {
  PluginSet set;
  set.add("missing", {.required = {{"none", "1"}}});
  set.add("wrong", {.required = {{"base", "^2"}}});
  set.add("off", {.required = {{"disabled", "1"}}});
  set.add("requires-wrong", {.required = {{"wrong", "1"}}});
  set.add("base");
  set.add("disabled", {}, "1.0.0", false);
  const Resolution resolution = resolve(set.candidates());
  EXPECT_EQ(resolution.order, Order{"base"});
  EXPECT_EQ(resolution.refused.at("missing").code, "plugins.requires_missing");
  EXPECT_EQ(resolution.refused.at("missing").path, "requires.none");
  EXPECT_EQ(resolution.refused.at("wrong").code, "plugins.requires_version");
  EXPECT_EQ(resolution.refused.at("off").code, "plugins.requires_inactive");
  EXPECT_EQ(resolution.refused.at("requires-wrong").code, "plugins.requires_inactive");
  EXPECT_FALSE(resolution.refused.contains("disabled"));
}

TEST(Resolver, ReportsEveryReason) {
  PluginSet set;
  set.add("many", {.required = {{"base", "^2"}, {"none", "1"}, {"off", "*"}}});
  set.add("base");
  set.add("off", {}, "1.0.0", false);
  const Reason reason = resolve(set.candidates()).refused.at("many");
  EXPECT_EQ(reason.code, "plugins.requires_version");
  EXPECT_EQ(
      reason.message,
      "The plugin \"base\" ^2 is required; version 1.0.0 is installed. The plugin \"none\" 1 "
      "is required and not installed. Install it first. The plugin \"off\" is required and not "
      "active. Enable it first.");
}

TEST(Resolver, NamesCircles) {
  PluginSet set;
  set.add("a", {.required = {{"b", "*"}}});
  set.add("b", {.required = {{"c", "*"}}});
  set.add("c", {.required = {{"b", "*"}}});
  set.add("d");
  const Resolution resolution = resolve(set.candidates());
  EXPECT_EQ(resolution.order, Order{"d"});
  for (const char* id : {"a", "b", "c"})
    EXPECT_EQ(resolution.refused.at(id).code, "plugins.requires_cycle");
  EXPECT_NE(resolution.refused.at("a").message.find("b → c → b"), std::string::npos)
      << resolution.refused.at("a").message;
}

TEST(Resolver, StartsOptionalPluginsFirst) {
  PluginSet set;
  set.add("a", {.optional = {{"c", "^1"}, {"none", "*"}, {"off", "*"}, {"old", "^2"}}});
  set.add("b", {.optional = {{"a", "*"}}});
  set.add("c");
  set.add("off", {}, "1.0.0", false);
  set.add("old");
  const Resolution resolution = resolve(set.candidates());
  EXPECT_EQ(resolution.order, (Order{"c", "a", "b", "old"}));
  EXPECT_TRUE(resolution.refused.empty());
}

TEST(Resolver, StartsAnOptionalPluginAfterItsUser) {
  PluginSet set;
  set.add("a", {.optional = {{"b", "*"}}});
  set.add("b", {.required = {{"c", "*"}}});
  set.add("c", {.required = {{"a", "*"}}});
  set.add("d", {.optional = {{"e", "*"}}});
  set.add("e", {.optional = {{"d", "*"}}});
  const Resolution resolution = resolve(set.candidates());
  EXPECT_EQ(resolution.order, (Order{"a", "c", "b", "d", "e"}));
  EXPECT_TRUE(resolution.refused.empty());
}

TEST(Resolver, StartsOneOfTwoInConflict) {
  PluginSet set;
  set.add("a", {.conflicts = {{"b", "^1"}}});
  set.add("b", {.conflicts = {{"c", "^2"}}});
  set.add("c", {.conflicts = {{"d", "*"}}});
  set.add("d", {.conflicts = {{"c", "*"}}});
  set.add("on-a", {.required = {{"a", "*"}}});
  set.add("e", {.conflicts = {{"off", "*"}, {"none", "*"}}});
  set.add("off", {}, "1.0.0", false);
  const Resolution resolution = resolve(set.candidates());
  EXPECT_EQ(resolution.order, (Order{"b", "c", "e"}));
  EXPECT_EQ(resolution.refused.at("a").code, "plugins.conflict");
  EXPECT_EQ(resolution.refused.at("a").path, "conflicts.b");
  EXPECT_EQ(resolution.refused.at("a").message,
            "\"a\" and \"b\" 1.0.0 cannot run together: \"a\" names \"b\" ^1 under conflicts. "
            "Disable \"b\", or keep \"a\" disabled.");
  EXPECT_EQ(resolution.refused.at("d").code, "plugins.conflict");
  EXPECT_EQ(resolution.refused.at("on-a").code, "plugins.requires_inactive");
}

TEST(Resolver, ResolvesAThousandPlugins) {
  PluginSet set;
  for (int i = 0; i < 1000; ++i) {
    Others others;
    if (i != 0) others.required = {{"p" + std::to_string(999 + i), "1"}};
    set.add("p" + std::to_string(1000 + i), others);
  }
  const Resolution resolution = resolve(set.candidates());
  ASSERT_EQ(resolution.order.size(), 1000U);
  EXPECT_EQ(resolution.order.back(), "p1999");
}

// Checks the properties of every resolution.
class CompatibilityCheck {
 public:
  CompatibilityCheck(const PluginSet& set, const Resolution& resolution)
      : set_(set), resolution_(resolution) {}

  void check() const {
    const std::set<std::string> started(resolution_.order.begin(), resolution_.order.end());
    EXPECT_EQ(started.size(), resolution_.order.size());
    for (const Candidate& candidate : set_.candidates()) {
      const std::string& id = candidate.manifest->id;
      EXPECT_EQ(candidate.enabled, started.contains(id) != resolution_.refused.contains(id)) << id;
    }
    for (const std::string& id : resolution_.order)
      check_started(*set_.find(id)->manifest);
    for (const auto& [id, reason] : resolution_.refused)
      check_refused(*set_.find(id)->manifest, reason);
  }

 private:
  std::ptrdiff_t position(const std::string& id) const {
    return std::find(resolution_.order.begin(), resolution_.order.end(), id) -
           resolution_.order.begin();
  }
  bool is_fitting(const Requirement& one) const {
    const Candidate* other = set_.find(one.id);
    return other && one.range.matches(other->manifest->version);
  }

  void check_started(const Manifest& own) const {
    for (const Requirement& required : own.requires_plugins) {
      EXPECT_TRUE(is_fitting(required));
      EXPECT_LT(position(required.id), position(own.id));
    }
    for (const Requirement& named : own.conflicts) {
      EXPECT_FALSE(is_fitting(named) && contains(resolution_.order, named.id))
          << own.id << " with " << named.id;
    }
    for (const Requirement& optional : own.optional_plugins) {
      if (!is_fitting(optional) || !contains(resolution_.order, optional.id)) continue;
      std::set<std::string> seen;
      EXPECT_TRUE(position(optional.id) < position(own.id) || reaches(optional.id, own.id, seen))
          << own.id << " before " << optional.id;
    }
  }

  // By what is required or optional.
  bool reaches(const std::string& from, const std::string& to, std::set<std::string>& seen) const {
    if (from == to) return true;
    if (!contains(resolution_.order, from) || !seen.insert(from).second) return false;
    const Manifest& own = *set_.find(from)->manifest;
    const auto leads = [&](const Requirement& one) {
      return is_fitting(one) && reaches(one.id, to, seen);
    };
    return std::any_of(own.requires_plugins.begin(), own.requires_plugins.end(), leads) ||
           std::any_of(own.optional_plugins.begin(), own.optional_plugins.end(), leads);
  }

  void check_refused(const Manifest& own, const Reason& reason) const {
    const std::string named = reason.path.find('.') == std::string::npos
                                  ? ""
                                  : reason.path.substr(reason.path.find('.') + 1);
    const Candidate* other = set_.find(named);
    EXPECT_NE(reason.message.find(named), std::string::npos);
    if (reason.code == "plugins.requires_missing") {
      EXPECT_TRUE(own.is_required(named) && !other);
    } else if (reason.code == "plugins.requires_version") {
      EXPECT_TRUE(own.is_required(named) && !is_fitting(*own.use_of(named)));
    } else if (reason.code == "plugins.requires_inactive") {
      EXPECT_TRUE(own.is_required(named) && !contains(resolution_.order, named));
    } else if (reason.code == "plugins.conflict") {
      EXPECT_TRUE(other && other->enabled && has_conflict(own, *other->manifest));
    } else {
      EXPECT_EQ(reason.code, "plugins.requires_cycle");
      check_circle(reason.message);
    }
  }

  // Each of "a → b → a" requires the next.
  void check_circle(std::string text) const {
    text = text.substr(text.find(": ") + 2);
    text.resize(text.find(". "));
    const std::string arrow = " → ";
    std::vector<std::string> way;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = text.find(arrow, at);
      way.push_back(text.substr(at, end == std::string::npos ? end : end - at));
      at = end == std::string::npos ? end : end + arrow.size();
    }
    ASSERT_GE(way.size(), 3U) << text;
    EXPECT_EQ(way.front(), way.back());
    for (std::size_t i = 1; i < way.size(); ++i)
      EXPECT_TRUE(set_.find(way[i - 1])->manifest->is_required(way[i])) << text;
  }

  const PluginSet& set_;
  const Resolution& resolution_;
};

TEST(Resolver, HoldsForRandomPluginSets) {
  std::set<std::string> codes;
  std::size_t started = 0;
  for (unsigned seed = 0; seed < 4'000; ++seed) {
    test::Random random(seed);
    const PluginSet set = test::random_set(random, 2 + test::number(random, 10));
    const Resolution resolution = resolve(set.candidates());
    CompatibilityCheck(set, resolution).check();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    started += resolution.order.size();
    for (const auto& [id, reason] : resolution.refused)
      codes.insert(reason.code);
  }
  EXPECT_EQ(codes.size(), 5U);
  EXPECT_GT(started, 4'000U);
}

}  // namespace
}  // namespace tenon::plugins
