#include "lifecycle/dependencies.hpp"

#include <gtest/gtest.h>

#include "packages/tests/plugin_folder.hpp"
#include "packages/tests/plugin_set.hpp"

namespace tenon::plugins {
namespace {

using test::make_manifest;
using test::Others;
using test::refused;
using Order = std::vector<std::string>;

void run(Dependencies& dependencies, const std::string& id, const Others& others = {}) {
  dependencies.join(make_manifest(id, "1.0.0", others));
  dependencies.stay(id);
}

TEST(Dependencies, ClosesUsersBeforeTheirDependencies) {
  Dependencies dependencies;
  run(dependencies, "board", {.optional = {{"contacts", "*"}}});
  run(dependencies, "mail");
  run(dependencies, "contacts", {.required = {{"mail", "*"}}});
  run(dependencies, "crm", {.required = {{"contacts", "*"}}});
  EXPECT_EQ(dependencies.closing_order(), (Order{"crm", "board", "contacts", "mail"}));
}

TEST(Dependencies, ClosesPluginsThatUseEachOther) {
  Dependencies dependencies;
  run(dependencies, "a", {.optional = {{"b", "*"}}});
  run(dependencies, "b", {.required = {{"a", "*"}}, .optional = {{"c", "*"}}});
  run(dependencies, "c", {.optional = {{"a", "*"}, {"b", "*"}}});
  EXPECT_EQ(dependencies.closing_order(), (Order{"c", "b", "a"}));
}

TEST(Dependencies, LetsAnOptionalPluginStop) {
  Dependencies dependencies;
  run(dependencies, "contacts");
  run(dependencies, "board", {.optional = {{"contacts", "*"}}});
  EXPECT_EQ(refused([&] { dependencies.leave("contacts"); }), "");
}

TEST(Dependencies, RefusesAPluginThatConflictsWithAnother) {
  Dependencies dependencies;
  run(dependencies, "notes", {.conflicts = {{"old-notes", "<2"}}});
  const Manifest old = make_manifest("old-notes");
  EXPECT_EQ(refused([&] { dependencies.check_conflicts(old); }), "plugins.conflict");
  EXPECT_EQ(refused([&] { dependencies.join(old); }), "plugins.conflict");
  EXPECT_EQ(refused([&] { dependencies.join(make_manifest("old-notes", "2.0.0")); }), "");
  const Manifest against = make_manifest("wiki", "1.0.0", {.conflicts = {{"notes", "*"}}});
  EXPECT_EQ(refused([&] { dependencies.check_conflicts(against); }), "plugins.conflict");
  dependencies.remove("notes");
  EXPECT_EQ(refused([&] { dependencies.check_conflicts(against); }), "");
}

}  // namespace
}  // namespace tenon::plugins
