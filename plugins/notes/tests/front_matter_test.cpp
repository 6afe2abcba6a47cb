#include "text/front_matter.hpp"

#include <gtest/gtest.h>

#include "text/paths.hpp"

namespace notes::text {
namespace {

using Tags = std::vector<std::string>;

TEST(FrontMatter, ReadsCommonFormsOfTitleAndTags) {
  const auto flow =
      read_front_matter("---\ntitle: A plan # comment\ntags: [a, \"b, c\", '#d']\n---\nText");
  EXPECT_EQ(flow.title, "A plan");
  EXPECT_EQ(flow.tags, (Tags{"a", "d"}));  // a comma cannot be in a tag
  EXPECT_EQ(
      flow.body,
      std::string_view("---\ntitle: A plan # comment\ntags: [a, \"b, c\", '#d']\n---\n").size());

  const auto block = read_front_matter(
      "---\r\ntags:\r\n  - one\r\n- \"two\"\r\nother: x\r\ntitle: 'It''s'\r\n...\r\nText");
  EXPECT_EQ(block.title, "It's");
  EXPECT_EQ(block.tags, (Tags{"one", "two"}));

  EXPECT_EQ(read_front_matter("---\ntags: a, b c, A\n---\n").tags, (Tags{"a", "b c"}));
  EXPECT_EQ(read_front_matter("---\ntags: [a,\n  b]\n---\n").tags, (Tags{"a", "b"}));
  EXPECT_EQ(read_front_matter("\xEF\xBB\xBF---\ntitle: \"\\u00e4 \\\"x\\\"\"\n---\n").title,
            "\xC3\xA4 \"x\"");
}

TEST(FrontMatter, BeginsTheTextAndIsClosed) {
  for (const auto* text : {"", "---", "---\n", "---\ntitle: x\n", "\n---\ntitle: x\n---\n",
                           "----\ntitle: x\n---\n", "text\n---\ntitle: x\n---\n"}) {
    const auto front = read_front_matter(text);
    EXPECT_FALSE(front.present) << text;
    EXPECT_EQ(front.body, 0U);
    EXPECT_FALSE(front.title);
  }
  const std::string endless = "---\n" + std::string(max_front_matter_bytes, 'x') + "\n---\n";
  EXPECT_FALSE(read_front_matter(endless).present);
}

TEST(FrontMatter, PassesOverYamlItDoesNotKnow) {
  const auto front =
      read_front_matter("---\ntitle: |\n  block\ntags: {a: b}\nmap:\n  title: inner\n---\n");
  EXPECT_TRUE(front.present);
  EXPECT_FALSE(front.title);
}

TEST(FrontMatter, KeepsAtMostFiftyTags) {
  std::string text = "---\ntags: [";
  for (int i = 0; i < 80; ++i)
    text += "t" + std::to_string(i) + ", ";
  EXPECT_EQ(read_front_matter(text + "]\n---\n").tags.size(), max_tags);
}

TEST(WithFrontMatter, ChangesNothingElse) {
  const std::string text =
      "---\r\n# keep\r\ntitle: old\r\nlayout: x\r\ntags:\r\n  - a\r\n---\r\nBody\r\n";
  EXPECT_EQ(with_front_matter(text, "new", std::nullopt),
            "---\r\n# keep\r\ntitle: \"new\"\r\nlayout: x\r\ntags:\r\n  - a\r\n---\r\nBody\r\n");
  EXPECT_EQ(with_front_matter(text, std::nullopt, Tags{"b", "c"}),
            "---\r\n# keep\r\ntitle: old\r\nlayout: x\r\ntags: [\"b\", \"c\"]\r\n---\r\nBody\r\n");
  EXPECT_EQ(with_front_matter("---\n---\nBody", "t", Tags{}),
            "---\ntitle: \"t\"\ntags: []\n---\nBody");
  EXPECT_EQ(with_front_matter("Body", "t", std::nullopt), "---\ntitle: \"t\"\n---\nBody");
  EXPECT_EQ(with_front_matter(text, std::nullopt, std::nullopt), text);
}

/// An import reads what an export writes: texts of every form, with awkward names.
TEST(WithFrontMatter, ReadsBackAsWritten) {
  const Tags tags = {"a \"quoted\" one", "back\\slash", "[x]", "a: b", "'", "\xC3\xA4"};
  for (const auto* title :
       {"Plain", "a: b # c", "\"q\"", "'s'", "\\", "[x]", "- a", "> b", "\xF0\x9F\x8D\x8B"}) {
    for (const auto* text :
         {"", "\n", "Body", "# Other\n\nText", "---\nno front", "---\n---\n",
          "---\ntitle: x\ntags: [a]\n---\nB", "---\ntags:\n- a\n- b\ntitle:\n---",
          "\xEF\xBB\xBF# BOM\r\n", "---\ntags: [a,\n b]\nz: 1\n...\nB"}) {
      const std::string written = with_front_matter(text, title, tags);
      EXPECT_EQ(read_front_matter(written).tags, tags) << written;
      EXPECT_EQ(title_of(written, "file.md"), title) << written;
    }
  }
}

TEST(TagName, RefusesWhatNoTagCanBe) {
  EXPECT_EQ(tag_name("  #work/2026 "), "work/2026");
  for (const auto* written : {"", " ", "##", "a,b", "a\nb"})
    EXPECT_EQ(tag_name(written), "") << written;
  EXPECT_EQ(tag_name(std::string(max_tag_characters + 1, 'x')), "");
  EXPECT_EQ(tag_name(std::string(max_tag_characters, 'x')).size(), max_tag_characters);
}

}  // namespace
}  // namespace notes::text
