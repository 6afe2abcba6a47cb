#include "packages/resolver/change_plan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "packages/tests/plugin_set.hpp"

namespace tenon::plugins {
namespace {

using test::make_manifest;
using test::PluginSet;
using Kind = Change::Kind;
using Texts = std::vector<std::string>;

Texts steps_of(const ChangePlan& plan) {
  Texts all;
  for (const Step& step : plan.steps)
    all.push_back(describe(step));
  return all;
}

Texts words_of(const ChangePlan& plan) {
  Texts all;
  for (const Reason& reason : plan.refused)
    all.push_back(reason.message);
  return all;
}

// mail ← contacts ← crm, and board, which can do without contacts.
PluginSet office() {
  PluginSet set;
  set.add("mail");
  set.add("contacts", {.required = {{"mail", "^1"}}});
  set.add("crm", {.required = {{"contacts", "^1"}}});
  set.add("board", {.optional = {{"contacts", "^1"}}});
  return set;
}

TEST(ChangePlan, RestartsDependantsAroundAnUpgrade) {
  const PluginSet set = office();
  const Manifest next = make_manifest("contacts", "1.1.0", {.required = {{"mail", "^1"}}});
  const ChangePlan plan = plan_change(set.candidates(), {Kind::upgrade, "contacts", &next});
  EXPECT_EQ(steps_of(plan), (Texts{"stop crm", "stop contacts", "upgrade contacts",
                                   "start contacts", "start crm"}));
  EXPECT_TRUE(plan.refused.empty());
  EXPECT_TRUE(plan.notes.empty());
}

TEST(ChangePlan, StopsNothingForAnUpgradeWithoutPause) {
  const PluginSet set = office();
  const Manifest next = make_manifest("contacts", "1.1.0", {.required = {{"mail", "^1"}}});
  EXPECT_EQ(steps_of(plan_change(set.candidates(), {Kind::upgrade, "contacts", &next, false})),
            Texts{"upgrade contacts"});
}

TEST(ChangePlan, RefusesAnUpgradeThatDependantsCannotUse) {
  const PluginSet set = office();
  const Manifest next = make_manifest("contacts", "2.0.0", {.required = {{"files", "*"}}});
  const ChangePlan plan = plan_change(set.candidates(), {Kind::upgrade, "contacts", &next});
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_EQ(
      words_of(plan),
      (Texts{"The plugin \"files\" * is required and not installed. Install it first.",
             "\"crm\" requires \"contacts\" ^1, and would get 2.0.0. Upgrade \"crm\" first, or "
             "disable it."}));
  PluginSet without_crm;
  without_crm.add("contacts");
  without_crm.add("board", {.optional = {{"contacts", "^1"}}});
  const Manifest alone = make_manifest("contacts", "2.0.0");
  const ChangePlan taken =
      plan_change(without_crm.candidates(), {Kind::upgrade, "contacts", &alone});
  EXPECT_EQ(steps_of(taken), (Texts{"stop contacts", "upgrade contacts", "start contacts"}));
  EXPECT_EQ(taken.notes, Texts{"\"board\" works with \"contacts\" ^1, and will do without it: "
                               "version 2.0.0 will be there."});
}

TEST(ChangePlan, RefusesToRemoveARequiredPlugin) {
  const PluginSet set = office();
  for (const Kind kind : {Kind::remove, Kind::disable}) {
    const ChangePlan plan = plan_change(set.candidates(), {kind, "mail"});
    EXPECT_EQ(words_of(plan),
              (Texts{"\"contacts\" requires \"mail\" ^1. Disable or remove \"contacts\" first.",
                     "\"crm\" could not start then. The plugin \"contacts\" is required and not "
                     "active. Enable it first."}));
    EXPECT_EQ(plan.refused.front().code, "plugins.required_by");
  }
  PluginSet smaller;
  smaller.add("contacts");
  smaller.add("board", {.optional = {{"contacts", "^1"}}});
  const ChangePlan plan = plan_change(smaller.candidates(), {Kind::remove, "contacts"});
  EXPECT_EQ(steps_of(plan), (Texts{"stop contacts", "remove contacts"}));
  EXPECT_EQ(plan.notes,
            Texts{"\"board\" works with \"contacts\" ^1, and will do without it: it is removed."});
}

TEST(ChangePlan, StartsWaitingPluginsAfterAnInstallation) {
  PluginSet set;
  set.add("contacts", {.required = {{"mail", "^1"}}});
  set.add("crm", {.required = {{"contacts", "*"}}});
  const Manifest mail = make_manifest("mail");
  EXPECT_EQ(steps_of(plan_change(set.candidates(), {Kind::install, "mail", &mail})),
            (Texts{"install mail", "start mail", "start contacts", "start crm"}));
  EXPECT_EQ(plan_change(set.candidates(), {Kind::enable, "mail"}).refused.at(0).code,
            "plugins.unknown");
  EXPECT_EQ(plan_change(office().candidates(), {Kind::install, "mail", &mail}).refused.at(0).code,
            "plugins.already_installed");
}

TEST(ChangePlan, RefusesConflictsNamedByEitherPlugin) {
  PluginSet set;
  set.add("notes", {.conflicts = {{"old-notes", "*"}}});
  set.add("wiki");
  const Manifest old = make_manifest("old-notes");
  EXPECT_EQ(words_of(plan_change(set.candidates(), {Kind::install, "old-notes", &old})),
            Texts{"\"notes\" could not start then. \"notes\" and \"old-notes\" 1.0.0 cannot run "
                  "together: \"notes\" names \"old-notes\" * under conflicts. Disable "
                  "\"old-notes\", or keep \"notes\" disabled."});
  const Manifest other =
      make_manifest("other", "1.0.0", {.conflicts = {{"notes", "*"}, {"wiki", "*"}}});
  const ChangePlan plan = plan_change(set.candidates(), {Kind::install, "other", &other});
  ASSERT_EQ(plan.refused.size(), 1U);
  for (const char* part : {"\"notes\" 1.0.0", "\"wiki\" 1.0.0"})
    EXPECT_NE(plan.refused[0].message.find(part), std::string::npos) << plan.refused[0].message;
}

// The installed plugins, as the steps of a plan change them.
class Site {
 public:
  Site(const PluginSet& set, const Change& change) : change_(change) {
    for (const Candidate& candidate : set.candidates())
      installed_.emplace(candidate.manifest->id, candidate);
    for (const std::string& id : resolve(set.candidates()).order)
      running_.insert(id);
  }

  void take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::stop:
        for (const std::string& other : running_)
          EXPECT_FALSE(manifest(other).is_required(step.id))
              << describe(step) << " under " << other;
        EXPECT_EQ(running_.erase(step.id), 1U) << describe(step);
        break;
      case Step::Kind::start:
        for (const Requirement& required : manifest(step.id).requires_plugins) {
          EXPECT_TRUE(running_.contains(required.id) &&
                      required.range.matches(manifest(required.id).version))
              << describe(step);
        }
        for (const std::string& other : running_)
          EXPECT_FALSE(has_conflict(manifest(step.id), manifest(other))) << describe(step);
        EXPECT_TRUE(installed_.at(step.id).enabled && running_.insert(step.id).second)
            << describe(step);
        break;
      default:
        apply(step);
    }
  }

  std::vector<Candidate> candidates() const {
    std::vector<Candidate> all;
    for (const auto& [id, candidate] : installed_)
      all.push_back(candidate);
    return all;
  }
  const std::set<std::string>& running() const { return running_; }

  void apply(const Step& step) {
    EXPECT_EQ(step.id, change_.id);
    const bool is_online = step.kind == Step::Kind::enable ||
                           (step.kind == Step::Kind::upgrade && !change_.stops_dependants);
    EXPECT_TRUE(is_online || !running_.contains(step.id)) << describe(step);
    if (step.kind == Step::Kind::install) installed_.emplace(step.id, Candidate{change_.manifest});
    if (step.kind == Step::Kind::upgrade) installed_.at(step.id).manifest = change_.manifest;
    if (step.kind == Step::Kind::remove) installed_.erase(step.id);
    if (step.kind == Step::Kind::enable) installed_.at(step.id).enabled = true;
    if (step.kind == Step::Kind::disable) installed_.at(step.id).enabled = false;
  }

 private:
  const Manifest& manifest(const std::string& id) const { return *installed_.at(id).manifest; }

  const Change& change_;
  std::map<std::string, Candidate> installed_;
  std::set<std::string> running_;
};

std::set<std::string> set_of(const std::vector<std::string>& order) {
  return {order.begin(), order.end()};
}

// Refused with a reason for each plugin that could not start, and for no other.
void check_refusal(const PluginSet& set, const Change& change, const ChangePlan& plan) {
  EXPECT_TRUE(plan.steps.empty());
  const auto subject = std::find_if(set.candidates().begin(), set.candidates().end(),
                                    [&](const auto& one) { return one.manifest->id == change.id; });
  if ((subject == set.candidates().end()) != (change.kind == Kind::install)) {
    EXPECT_EQ(plan.refused.size(), 1U);
    return;
  }
  std::map<std::string, Candidate> next;
  for (const Candidate& candidate : set.candidates())
    next.emplace(candidate.manifest->id, candidate);
  if (change.kind == Kind::remove)
    next.erase(change.id);
  else if (change.manifest)
    next.insert_or_assign(change.id, Candidate{change.manifest, change.kind == Kind::install ||
                                                                    next.at(change.id).enabled});
  else
    next.at(change.id).enabled = change.kind == Kind::enable;
  std::vector<Candidate> all;
  for (const auto& [id, candidate] : next)
    all.push_back(candidate);
  const auto before = set_of(resolve(set.candidates()).order);
  std::size_t left = 0;
  for (const auto& [id, reason] : resolve(all).refused)
    left += id == change.id || before.contains(id) ? 1 : 0;
  EXPECT_EQ(plan.refused.size(), left);
  EXPECT_GT(left, 0U);
}

TEST(ChangePlan, HoldsForRandomPluginSets) {
  std::size_t done = 0;
  std::size_t refused = 0;
  for (unsigned seed = 0; seed < 6'000; ++seed) {
    test::Random random(seed);
    const unsigned count = 2 + test::number(random, 8);
    const PluginSet set = test::random_set(random, count);
    Change change{static_cast<Kind>(test::number(random, 4)),
                  "p" + std::to_string(test::number(random, count)), nullptr,
                  test::number(random, 1) == 0};
    const Manifest next = test::random_manifest(random, change.id, count);
    if (change.kind == Kind::install || change.kind == Kind::upgrade) change.manifest = &next;
    const ChangePlan plan = plan_change(set.candidates(), change);
    if (!plan.refused.empty()) {
      ++refused;
      check_refusal(set, change, plan);
    } else {
      ++done;
      Site site(set, change);
      for (const Step& step : plan.steps)
        site.take(step);
      EXPECT_EQ(site.running(), set_of(resolve(site.candidates()).order));
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(done, 1'000U);
  EXPECT_GT(refused, 1'000U);
}

}  // namespace
}  // namespace tenon::plugins
