#include "text/paths.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "text/keys.hpp"
#include "text/plain.hpp"

namespace notes::text {
namespace {

TEST(SplitPath, RefusesEveryWayOut) {
  EXPECT_EQ(split_path("docs/a b.md"), (std::vector<std::string>{"docs", "a b.md"}));
  for (const auto* path : {"", "/a.md", "a//b.md", "../a.md", "a/../b.md", "./a.md", "a\\b.md",
                           "a/", " a/b.md", "a\nb.md", "C:\\x.md"}) {
    EXPECT_FALSE(split_path(path)) << path;
  }
  EXPECT_FALSE(split_path(std::string(max_path_bytes + 1, 'a')));
  EXPECT_FALSE(split_path(std::string(max_name_characters + 1, 'a')));
}

TEST(ResolvePath, FollowsDotsAndDecodes) {
  EXPECT_EQ(resolve_path("docs/guide", "../api/b%20c.md"), "docs/api/b c.md");
  EXPECT_EQ(resolve_path("", "./a\\(1\\).md"), "a(1).md");
  EXPECT_EQ(resolve_path("a", "../../b.md"), std::nullopt);
  EXPECT_EQ(resolve_path("a", "b%00.md"), std::nullopt);
  EXPECT_EQ(resolve_path("a", "M%FCnchen.md"), std::nullopt);
  EXPECT_EQ(resolve_path("a", "M%C3%BCnchen%EF%BF%BD.md"), "a/M\xC3\xBCnchen\xEF\xBF\xBD.md");
}

TEST(FileNameOf, IsSafeOnEveryFileSystem) {
  EXPECT_EQ(file_name_of("Plan: a/b?"), "Plan- a-b-.md");
  EXPECT_EQ(file_name_of("..hidden. "), "hidden.md");
  EXPECT_EQ(file_name_of(" "), "Untitled.md");
  EXPECT_EQ(file_name_of("../../etc"), "-..-etc.md");
  EXPECT_EQ(numbered("a.b.MD", 2), "a.b (2).MD");
  EXPECT_EQ(stem(".md"), ".md");
}

TEST(IsMarkdownFile, GoesByTheEnding) {
  for (const auto* name : {"a.md", "README.MD", "b.markdown", "c.txt"})
    EXPECT_TRUE(is_markdown_file(name)) << name;
  for (const auto* name : {"a.mdx", "md", ".md", "a.md.bak", "a.png", ""})
    EXPECT_FALSE(is_markdown_file(name)) << name;
}

TEST(TitleOf, PrefersFrontMatterThenHeadingThenFile) {
  EXPECT_EQ(title_of("---\ntitle: A\n---\n# B", "c.md"), "A");
  EXPECT_EQ(title_of("---\ntitle:\n---\n# B", "c.md"), "B");
  EXPECT_EQ(title_of("text", "some.file.md"), "some.file");
  EXPECT_EQ(title_of("# " + std::string(500, 'x'), "c.md").size(), max_title_characters);
}

TEST(CleanTitle, HasNoControlCharacters) {
  EXPECT_EQ(clean_title("  a\tb\n"), "a b");
  EXPECT_EQ(clean_title("\x01"), "");
}

TEST(Fold, MakesEqualWhatDiffersInCaseAndSpace) {
  EXPECT_EQ(fold("  Hello   WORLD\n"), "hello world");
  EXPECT_EQ(fold("\xC3\x84\xC3\x96 \xCE\xA3\xCE\xAF\xCF\x82 \xD0\x96\xD0\xAF"),
            fold("\xC3\xA4\xC3\xB6 \xCF\x83\xCE\xAF\xCF\x83 \xD0\xB6\xD1\x8F"));
  EXPECT_NE(fold("a"), fold("\xC3\xA4"));
  EXPECT_EQ(fold(fold("\xC4\xB0Stanbul")), fold("\xC4\xB0Stanbul"));
}

TEST(Excerpt, IsTheFirstWordsWithoutTheTitle) {
  EXPECT_EQ(
      excerpt("---\ntags: a\n---\n# Plan\n\nDo **this** and [that](x.md).\n\n- one\n- two", "Plan"),
      "Do this and that. one two");
  EXPECT_EQ(excerpt("Plan\n====\nText", "Plan"), "Text");
  EXPECT_EQ(excerpt("# Other\nText", "Plan"), "Other Text");
  EXPECT_EQ(excerpt("![badge](x.svg) <img src=\"y\">\n\nA [[b|c]] snake_case `d`", ""),
            "A c snake_case d");
  EXPECT_EQ(excerpt("| Wood | Price |\n|:---|---:|\n| Oak | 90 |\n\na | b", ""),
            "Wood Price Oak 90 a | b");
  EXPECT_EQ(excerpt("Rule\n---\nText - with | bars", ""), "Rule Text - with | bars");
  EXPECT_EQ(excerpt("", ""), "");
}

TEST(Excerpt, IsBoundedAndNeverHalvesACharacter) {
  std::string text;
  for (int i = 0; i < 5'000; ++i)
    text += "\xC3\xA4";
  EXPECT_EQ(excerpt(text, "").size(), 320U);
  std::string marks(4'095, '*');
  EXPECT_EQ(excerpt(marks + "\xC3\xA4", ""), "");
}

TEST(Paths, RelativeDestinations) {
  for (const char* good : {"a.png", "img/a.png", "../a b.png", "a%20b.png", "attachments/1/a:b"})
    EXPECT_TRUE(is_relative(good)) << good;
  for (const char* bad : {"", "/a.png", "//host/a", "\\\\host\\a", "https://host/a", "javascript:1",
                          "data:x", "a.png?b", "a.png#b"})
    EXPECT_FALSE(is_relative(bad)) << bad;
}

TEST(Paths, FreeNamesAreNumbered) {
  std::set<std::string> taken = {"Work", "a.md"};
  EXPECT_EQ(free_name("Home", taken), "Home");
  EXPECT_EQ(free_name("Work", taken), "Work (2)");
  EXPECT_EQ(free_name("Work", taken), "Work (3)");
  EXPECT_EQ(free_name("a.md", taken), "a (2).md");
}

}  // namespace
}  // namespace notes::text
