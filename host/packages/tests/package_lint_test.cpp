#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "packages/archive/lint.hpp"
#include "packages/archive/pack.hpp"
#include "packages/archive/ui_script.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins {
namespace {

using Codes = std::vector<std::string>;

// Not to be made smaller.
std::string noise(std::size_t size) {
  std::mt19937 random(size);  // NOLINT(cert-msc51-cpp): the same in each run
  std::string text(size, ' ');
  for (char& c : text)
    c = static_cast<char>(random() & 0xff);
  return "//" + text;
}

class PackageLint : public testing::Test {
 protected:
  PackageLint() { put_library("sound"); }

  void put_library(const std::string& name) {
    folder_ = test::put_plugin(temporary_.path(), "broken",
                               test::manifest_text("broken", "1.0.0",
                                                   R"(,"ui":{"navigation":[{"id":"broken",)"
                                                   R"("title":"Broken","path":"/app/broken"}]})"),
                               name);
  }
  void put(const std::string& name, const std::string& content) const {
    test::write_file(folder_ + "/" + name, content);
  }
  void put_pages(const std::string& entry, const std::string& more = {}) const {
    put("ui/entry.js", entry);
    put("ui/manifest.json", R"({"entry":"entry.js")" + more + "}");
  }

  LintReport report() const {
    const PackedPlugin made = pack_folder(folder_);
    const Archive archive(made.bytes, "x.tenon");
    return lint_package(archive, Contents::unchecked(archive), made.manifest);
  }
  static Codes codes(const std::vector<LintFinding>& findings) {
    Codes found;
    for (const LintFinding& one : findings)
      found.push_back(one.code + " " + one.file);
    return found;
  }
  Codes errors() const { return codes(report().errors); }
  Codes warnings() const { return codes(report().warnings); }

  test::TemporaryFolder temporary_;
  std::string folder_;
  const std::string library_ = "lib/" + std::string(host_architecture()) + "/broken.so";
};

TEST_F(PackageLint, AcceptsASoundPlugin) {
  put_pages(R"(import{jsx as e}from"react/jsx-runtime";import"./a.js";export{};)",
            R"(,"preload":[{"href":"a.js","integrity":"sha384-x"}],"styles":[{"href":"a.css"}])");
  put("ui/a.js", "export const a=1;");
  put("ui/a.css", ".a{}");
  EXPECT_EQ(errors(), Codes{});
  EXPECT_EQ(warnings(), Codes{});
}

TEST_F(PackageLint, RefusesALibraryWithOtherExports) {
  put_pages("");
  put_library("loud");
  EXPECT_EQ(errors(), Codes{"plugins.lint_exports " + library_});
}

TEST_F(PackageLint, RefusesInvalidMigrations) {
  put_pages("");
  put("migrations/0001_more.sql", "-- tenon: phase expand\nSELECT 1;\n");
  put("migrations/0002_more.sql", "-- tenon: phase grow\nSELECT 1;\n");
  const LintReport found = report();
  ASSERT_EQ(codes(found.errors), Codes{"data.migration_invalid migrations"});
  EXPECT_NE(found.errors[0].message.find("migrations/0002_more.sql: '-- tenon: phase grow'"),
            std::string::npos)
      << found.errors[0].message;
}

TEST_F(PackageLint, FindsUndeclaredPermissions) {
  put_pages("");
  put("tables.json", R"json({"tables":[{"name":"items","publish":true,
      "rules":{"read":"can('broken.use')","create":"can('broken.usee') or can('other.use')"},
      "fields":[{"name":"a","type":"text","rules":{"write":"can('broken.write')"}},
                {"name":"b","type":"computed","expression":"can('broken.b')"}]}]})json");
  put("plugin.json", test::manifest_text("broken", "1.0.0",
                                         R"(,"permissions":[{"id":"broken.use","title":"Use"}])"));
  const LintReport found = report();
  ASSERT_EQ(codes(found.errors), Codes(3, "plugins.lint_permission tables.json"));
  EXPECT_EQ(found.errors[0].message,
            "/tables/0/fields/0/rules/write: can('broken.write'): plugin.json does not declare "
            "this permission. It declares: broken.use.");
  EXPECT_TRUE(found.errors[1].message.starts_with("/tables/0/rules/create: can('broken.usee'): "));
  EXPECT_TRUE(found.errors[2].message.starts_with("/tables/0: can('broken.b'): "));
  EXPECT_EQ(codes(found.warnings), Codes{"plugins.lint_foreign_permission tables.json"});
  put("plugin.json",
      test::manifest_text(
          "broken", "1.0.0",
          R"(,"optional":{"other":"*"},"permissions":[{"id":"broken.use","title":"U"},
      {"id":"broken.usee","title":"U"},{"id":"broken.write","title":"U"},{"id":"broken.b","title":"U"}])"));
  EXPECT_EQ(errors(), Codes{});
  EXPECT_EQ(warnings(), Codes{});
}

TEST_F(PackageLint, RefusesUniqueSymbols) {
  put_pages("");
  put_library("unique");
  const Codes found = errors();
  EXPECT_EQ(std::count(found.begin(), found.end(), "plugins.lint_unique_symbols " + library_), 1);
}

TEST_F(PackageLint, WarnsOfThreadLocalDestructors) {
  folder_ = test::put_plugin(temporary_.path(), "throws", test::manifest_text("throws"), "throws");
  const LintReport found = report();
  EXPECT_EQ(codes(found.errors), Codes{});
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0].code, "plugins.lint_stays_mapped");
  EXPECT_NE(found.warnings[0].message.find("will stay mapped"), std::string::npos);
}

TEST_F(PackageLint, WarnsOfNavigationWithoutPages) {
  EXPECT_EQ(errors(), Codes{});
  EXPECT_EQ(warnings(), Codes{"plugins.lint_no_page ui/manifest.json"});
}

TEST_F(PackageLint, RefusesUnknownImports) {
  put_pages(
      R"(import a from "lodash"; import{b}from'https://example.org/b.js';export*from"/c.js")");
  const LintReport found = report();
  EXPECT_EQ(codes(found.errors), Codes(3, "plugins.lint_import ui/entry.js"));
  EXPECT_NE(found.errors[0].message.find("\"lodash\""), std::string::npos);
}

TEST_F(PackageLint, RefusesASecondReact) {
  put_pages("x.__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE = y;");
  put("ui/deep/later.mjs",
      "throw Error(\"No QueryClient set, use QueryClientProvider to set one\")");
  const LintReport found = report();
  EXPECT_EQ(codes(found.errors),
            (Codes{"plugins.lint_bundled ui/deep/later.mjs", "plugins.lint_bundled ui/entry.js"}));
  EXPECT_NE(found.errors[1].message.find(" react "), std::string::npos);
}

TEST_F(PackageLint, RefusesMissingUiFiles) {
  put("ui/manifest.json",
      R"({"entry":"gone.js","preload":[{"href":"../plugin.json"},7],"styles":[]})");
  EXPECT_EQ(errors(), Codes(3, "plugins.lint_ui_invalid ui/manifest.json"));
}

TEST_F(PackageLint, RefusesAnInvalidUiManifest) {
  for (const char* text : {"", "[]", "{", "{\"entry\":", "{\"entry\":{}}", "{\"entry\":[\"a\"]}",
                           "{\"entry\":null,\"preload\":{\"href\":1},\"styles\":3}"}) {
    put("ui/manifest.json", text);
    EXPECT_EQ(errors(), Codes{"plugins.lint_ui_invalid ui/manifest.json"}) << text;
  }
}

TEST_F(PackageLint, EnforcesTheBudgets) {
  put_pages(noise(UiLimits::entry - 1024));
  put("ui/later.js", noise(UiLimits::chunk - 1024));
  EXPECT_EQ(errors(), Codes{});
  put("ui/entry.js", noise(UiLimits::entry + 1024));
  EXPECT_EQ(errors(), Codes{"plugins.lint_budget ui/manifest.json"});
  put_pages("", R"(,"preload":[{"href":"more.js"}],"styles":[{"href":"a.css"}])");
  put("ui/more.js", noise(UiLimits::entry + 1024));
  put("ui/a.css", noise(UiLimits::styles + 1024));
  put("ui/later.js", noise(UiLimits::chunk + 1024));
  EXPECT_EQ(errors(),
            (Codes{"plugins.lint_budget ui/manifest.json", "plugins.lint_budget ui/manifest.json",
                   "plugins.lint_budget ui/later.js"}));
}

TEST_F(PackageLint, TakesALargerBudgetWithAReason) {
  put_pages(noise(UiLimits::entry + 1024), R"(,"budget":{"entry":60,"reason":"a map"})");
  const LintReport found = report();
  EXPECT_EQ(codes(found.errors), Codes{});
  EXPECT_EQ(codes(found.warnings), Codes{"plugins.lint_budget ui/manifest.json"});
  EXPECT_NE(found.warnings[0].message.find("a map"), std::string::npos);
}

TEST_F(PackageLint, TakesNoBudgetWithoutAReason) {
  for (const char* budget :
       {R"({"entry":60})", R"({"entry":60,"reason":" "})", "60",
        R"({"entry":"60","reason":"no number"})", R"({"entry":1e300,"reason":"no limit"})",
        R"({"entry":-1,"reason":"less"})"}) {
    put_pages(noise(UiLimits::entry + 1024), std::string(",\"budget\":") + budget);
    const Codes found = errors();
    EXPECT_NE(std::find(found.begin(), found.end(), "plugins.lint_budget ui/manifest.json"),
              found.end())
        << budget;
  }
}

TEST_F(PackageLint, DoesNotReadEndlessScripts) {
  put_pages("", "");
  put("ui/huge.js", std::string(UiLimits::script + 1, ' '));
  EXPECT_EQ(errors(), Codes{"plugins.lint_script_too_large ui/huge.js"});
}

TEST(UiScript, ReadsLeadingImports) {
  const std::vector<std::pair<std::string, Codes>> cases{
      {R"(import a from "a";import * as b from 'b';import "c")", {"a", "b", "c"}},
      {R"(import{a as b,default as c}from"d";export{e}from"e";export*from"f")", {"d", "e", "f"}},
      {"/* import 'no' */ // import 'no'\nimport\n{ a }\nfrom\n'yes'", {"yes"}},
      {R"(import("later"); import "not read any more")", {}},
      {R"(const text='import "no"';import "no")", {}},
      {R"(import.meta.url;import "no")", {}},
      {R"(export const a="no";)", {}},
      {R"(export default"no";)", {}},
      {R"(export function f(){return "no"})", {}},
      {R"(importance("no"))", {}},
      {R"(import a from "no\x41")", {}},
      {"import a from \"no\nend\"", {}},
      {"import a from \"no end", {}},
      {"import", {}},
      {"/*", {}},
      {"", {}},
  };
  for (const auto& [script, expected] : cases)
    EXPECT_EQ(leading_imports(script), expected) << script;
}

TEST(UiScript, FindsBundledCopiesOfSharedPackages) {
  const std::string react = "__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE";
  EXPECT_EQ(bundled_copies("exports." + react + "=a").size(), 1U);
  for (const char* next : {"", "==a", "=>a", ".H", ";", " "})
    EXPECT_EQ(bundled_copies("a." + react + next).size(), 0U) << next;
  EXPECT_EQ(bundled_copies("a." + react + ".b," + react + "\n = 1").size(), 1U);
}

TEST(UiScript, AcceptsAnyBytes) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same in each run
  const std::vector<std::string> pieces{"import", "export",
                                        "from",   "{",
                                        "}",      "*",
                                        "\"",     "'",
                                        "\\",     "/*",
                                        "*/",     "//",
                                        "\n",     ",",
                                        ";",      "a",
                                        "\xff",   std::string(1, '\0'),
                                        "=",      "unstable_scheduleCallback"};
  for (int run = 0; run < 20'000; ++run) {
    std::string script;
    for (auto i = random() % 24; i > 0; --i)
      script += pieces[random() % pieces.size()];
    for (const std::string& module : leading_imports(script)) {
      EXPECT_FALSE(module.empty());
      EXPECT_NE(script.find(module), std::string::npos);
    }
    EXPECT_LE(bundled_copies(script).size(), 1U);
  }
}

// The preset and the lint must agree.
TEST(UiScript, MatchesTheSharedModulesOfTheShell) {
  const std::string text =
      "\n" + test::read_file(TENON_SOURCE_DIR "/shell-ui/tests/shared-modules.txt");
  Codes listed;
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1))
    if (text[at + 1] != ' ' && text[at + 1] != '\n')
      listed.push_back(text.substr(at + 1, text.find('\n', at + 1) - at - 1));
  Codes known(shared_modules().begin(), shared_modules().end());
  std::sort(listed.begin(), listed.end());
  std::sort(known.begin(), known.end());
  EXPECT_EQ(known, listed);
}

TEST(UiScript, MatchesTheBudgetsOfThePreset) {
  const std::string preset =
      test::read_file(TENON_SOURCE_DIR "/shell-ui/packages/rollup-preset/src/budget.ts");
  EXPECT_NE(preset.find("{ entry: " + std::to_string(UiLimits::entry / 1024) +
                        ", chunk: " + std::to_string(UiLimits::chunk / 1024) +
                        ", styles: " + std::to_string(UiLimits::styles / 1024) + " }"),
            std::string::npos);
}

}  // namespace
}  // namespace tenon::plugins
