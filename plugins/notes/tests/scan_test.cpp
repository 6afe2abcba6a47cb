#include "text/scan.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/keys.hpp"

namespace notes::text {
namespace {

/// "title:Target" and "path:b.md" in order.
std::vector<std::string> links_of(std::string_view text) {
  std::vector<std::string> result;
  scan_links(text, [&](const Link& link) {
    EXPECT_EQ(text.substr(link.begin, link.target.size()), link.target);
    result.push_back((link.kind == LinkKind::title ? "title:" : "path:") +
                     std::string(link.target));
    return true;
  });
  return result;
}

using Strings = std::vector<std::string>;

TEST(ScanLinks, FindsTitleLinksInAllTheirForms) {
  EXPECT_EQ(links_of("a [[Plan]] b [[ Shopping list | the list ]] ![[Embedded]] [[Plan#Goals|x]]"),
            (Strings{"title:Plan", "title:Shopping list", "title:Embedded", "title:Plan"}));
  EXPECT_EQ(links_of("| [[Plan\\|shown]] | b |"), (Strings{"title:Plan"}));
}

TEST(ScanLinks, IgnoresTextsThatResembleLinks) {
  EXPECT_EQ(links_of("[[]] [[#here]] [[ | x]] [[open\nline]] \\[[Escaped]] [[1,2],[3,4]] [[[a]"),
            Strings{});
  EXPECT_EQ(links_of("[[1]](https://example.org) and [[2]][ref]"), Strings{});
}

TEST(ScanLinks, FindsRelativeLinksToMarkdownFiles) {
  EXPECT_EQ(
      links_of("[a](b.md) [a](../docs/c%20d.MD#part \"t\") [x](<e f.markdown>) [y]( (g).md )"),
      (Strings{"path:b.md", "path:../docs/c%20d.MD", "path:e f.markdown", "path:(g).md"}));
  EXPECT_EQ(links_of("[![badge](i.svg)](./status.md)\n\n[ref]: ../ref.md 'title'\n"),
            (Strings{"path:./status.md", "path:../ref.md"}));
}

TEST(ScanLinks, PassesOverLinksThatLeadElsewhere) {
  EXPECT_EQ(links_of("[a](https://x.org/b.md) [a](/abs.md) [a](//h/b.md) [a](mailto:a@b.md) "
                     "[a](picture.png) [a](#b.md) [a](q.md?x=1) [a]() [a](b.md"),
            (Strings{"path:b.md"}));
}

TEST(ScanLinks, CodeHasNoLinks) {
  EXPECT_EQ(links_of("`[[A]]` ``[[B]] ` [[C]]`` [[D]] `open [[E]]"),
            (Strings{"title:D", "title:E"}));
  EXPECT_EQ(links_of("```md\n[[A]]\n\n[a](b.md)\n```\n[[B]]\n~~~~\n[[C]]\n~~~\n[[D]]\n~~~~\n[[E]]"),
            (Strings{"title:B", "title:E"}));
  EXPECT_EQ(links_of("```\nnever closed [[A]]\n\n[[B]]"), Strings{});
}

TEST(ScanLinks, ACodeSpanEndsWithItsParagraph) {
  EXPECT_EQ(links_of("a ` b\n\n[[A]] ` c"), (Strings{"title:A"}));
  EXPECT_EQ(links_of("a ` b\n[[A]] ` c"), Strings{});
}

TEST(ScanLinks, EndsACodeSpanWithItsBlock) {
  EXPECT_EQ(links_of("- a ` b\n- [[A]] ` c"), (Strings{"title:A"}));
  EXPECT_EQ(links_of("1. a ` b\n2) [[A]] ` c"), (Strings{"title:A"}));
  EXPECT_EQ(links_of("a ` b\n# [[A]]\n[[B]] ` c"), (Strings{"title:A", "title:B"}));
  EXPECT_EQ(links_of("a ` b\n> [[A]] ` c"), (Strings{"title:A"}));
  EXPECT_EQ(links_of("| a ` b |\n|---|\n| [[A]] ` c |"), (Strings{"title:A"}));
  EXPECT_EQ(links_of("- a ` b\n  [[A]] ` c\n> d ` e\n> [[B]] ` f\n\n` g\n#h [[C]] `"), Strings{});
}

TEST(ScanLinks, FindsNoLinksInNestedFencedCode) {
  EXPECT_EQ(links_of("- a\n    ```\n    [[A]]\n\n    [[B]]\n    ```\n\n  [[C]]"),
            (Strings{"title:C"}));
  EXPECT_EQ(links_of("1. ```\n   [[A]]\n\n   [[B]]\n   ```\n   [[C]]"), (Strings{"title:C"}));
  EXPECT_EQ(links_of("> ~~~\n> [[A]] ` b\n>\n> [[B]]\n> ~~~\n> [[C]]"), (Strings{"title:C"}));
  EXPECT_EQ(links_of("```\n- ```\n    ```\n[[A]]\n```\n[[B]]"), (Strings{"title:B"}));
}

TEST(ScanLinks, EndsAnOpenFenceWithItsBlock) {
  EXPECT_EQ(links_of("- ```\n  [[A]]\n\n[[B]]"), (Strings{"title:B"}));
  EXPECT_EQ(links_of("> ```\n> [[A]]\n\n[[B]]"), (Strings{"title:B"}));
  EXPECT_EQ(links_of("    ```\n    [[A]]\n[[B]]"), (Strings{"title:B"}));
}

TEST(ScanLinks, FrontMatterHasNoLinks) {
  EXPECT_EQ(links_of("---\nup: \"[[A]]\"\n---\n[[B]]"), (Strings{"title:B"}));
}

TEST(ScanLinks, WindowsLineEndsChangeNothing) {
  EXPECT_EQ(links_of("---\r\na: b\r\n---\r\n```\r\n[[A]]\r\n```\r\n[[B]]\r\n[r]: c.md\r\n"),
            (Strings{"title:B", "path:c.md"}));
}

TEST(ScanLinks, StopsOnRequest) {
  int count = 0;
  scan_links("[[a]] [[b]]\n\n[[c]]", [&](const Link&) { return ++count < 2; });
  EXPECT_EQ(count, 2);
}

/// A scanner that is quadratic in one of these takes minutes, which the test's time limit ends.
TEST(ScanLinks, IsLinearForHostileInput) {
  const auto repeated = [](std::string_view part) {
    std::string text;
    while (text.size() < 700'000)
      text += part;
    return text;
  };
  for (const auto* part :
       {"[",      "[[",     "](",       "[](", "[[a", "`",       "`a``b", "(",      "](<",
        "\\",     "[a]:",   "- [",      "# ",  "<a ", "![",      "*_",    "--- \n", "```\n",
        "~~~\n`", "a\n=\n", "\xF0\x9F", "> ",  "1. ", "> ```\n", "- `\n", "1"}) {
    const std::string text = repeated(part);
    links_of(text);
    first_heading(text);
  }
  std::string growing;
  for (std::size_t length = 1; growing.size() < 700'000; ++length) {
    growing.append(length, '`').append("[[a]]");
  }
  links_of(growing);
}

TEST(FirstHeading, TakesThePlainWordsOfTheFirstOne) {
  EXPECT_EQ(first_heading("intro\n\n## The *big* [plan](x) `v2` ##\n# Later"), "The big plan v2");
  EXPECT_EQ(first_heading("Title here\n====\n"), "Title here");
  EXPECT_EQ(first_heading("# ![logo](a.png)\n\n# Named <br> so\n"), "Named so");
  EXPECT_EQ(first_heading("---\ntitle: x\n---\n# Body"), "Body");
}

TEST(FirstHeading, IsEmptyWithoutOne) {
  EXPECT_EQ(first_heading(""), "");
  EXPECT_EQ(
      first_heading("#no space\n    # code\n\n```\n# code\n```\n####### seven\n\n---\ntext\n\n==="),
      "");
}

TEST(ReplaceTitleLinks, ChangesOnlyTheTarget) {
  std::size_t replaced = 0;
  EXPECT_EQ(replace_title_links("[[old  Plan#a|shown]] `[[Old plan]]` [[ OLD PLAN ]] [[Other]]\r\n",
                                fold("Old Plan"), "New", replaced),
            "[[New#a|shown]] `[[Old plan]]` [[ New ]] [[Other]]\r\n");
  EXPECT_EQ(replaced, 2U);
}

TEST(ReplaceTitleLinks, GivesBackTheSameBytesWhenNothingMatches) {
  const std::string text = "a\r\n\xEF\xBB\xBF [[x]] ``` \n";
  std::size_t replaced = 7;
  EXPECT_EQ(replace_title_links(text, "y", "z", replaced), text);
  EXPECT_EQ(replaced, 0U);
}

TEST(Linkable, RefusesWhatWouldBreakTheLink) {
  EXPECT_TRUE(linkable("A plan (2026)"));
  for (const auto* title : {"", "a|b", "a#b", "a]b", "[a", "a\\"})
    EXPECT_FALSE(linkable(title)) << title;
}

}  // namespace
}  // namespace notes::text
