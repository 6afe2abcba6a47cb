#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/exported.hpp"
#include "text/front_matter.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"
#include "text/plain.hpp"
#include "text/scan.hpp"
#include "text/utf8.hpp"

namespace notes::text {
namespace {

/// Texts made of what Markdown and YAML are made of, and of halves of characters. The same ones
/// each time.
class RandomTexts {
 public:
  std::string next() {
    std::string text;
    for (auto count = random_() % 40; count > 0; --count)
      text += parts_[random_() % parts_.size()];
    return text;
  }

 private:
  std::mt19937 random_{20261120};  // NOLINT(cert-msc51-cpp)
  std::vector<std::string> parts_ = {"\n",
                                     "\n\n",
                                     "\r\n",
                                     " ",
                                     "    ",
                                     "\t",
                                     "---\n",
                                     "...\n",
                                     "title: ",
                                     "tags: ",
                                     "- ",
                                     "[",
                                     "]",
                                     "[[",
                                     "]]",
                                     "](",
                                     ")",
                                     "|",
                                     "#",
                                     "# ",
                                     "===",
                                     "```",
                                     "~~~",
                                     "`",
                                     "``",
                                     "\\",
                                     "<",
                                     ">",
                                     "!",
                                     "*",
                                     "_",
                                     "a",
                                     "b c",
                                     "A.md",
                                     "../",
                                     "%20",
                                     "%",
                                     "\"",
                                     "'",
                                     ": ",
                                     ",",
                                     "[x](y.md)",
                                     "[[T]]",
                                     "[r]: z.md",
                                     "\xC3",
                                     "\xA4",
                                     "\xC3\xA4",
                                     "\xF0\x9F\x8D\x8B",
                                     "\xEF\xBB\xBF",
                                     "\xE2\x80\xA8",
                                     "\x01",
                                     "|",
                                     ">",
                                     "\"\\u00e4"};
};

constexpr int rounds = 30'000;

TEST(RandomText, LinksLieWithinTheTextAndInOrder) {
  RandomTexts texts;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = texts.next();
    std::size_t last = 0;
    scan_links(text, [&](const Link& link) {
      EXPECT_FALSE(link.target.empty());
      EXPECT_LE(link.begin + link.target.size(), text.size());
      EXPECT_EQ(text.substr(link.begin, link.target.size()), link.target);
      EXPECT_GE(link.begin, last) << text;
      last = link.begin;
      return true;
    });
  }
}

TEST(RandomText, LinksToAReplacedTitle) {
  RandomTexts texts;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = texts.next();
    std::size_t replaced = 0;
    EXPECT_EQ(replace_title_links(text, fold("no such title"), "New", replaced), text);
    const std::string renamed = replace_title_links(text, "t", "New", replaced);
    if (replaced == 0) {
      EXPECT_EQ(renamed, text);
      continue;
    }
    std::size_t back = 0;
    EXPECT_EQ(fold(replace_title_links(renamed, "new", "T", back)), fold(text)) << text;
    EXPECT_EQ(back, replaced) << text;
  }
}

TEST(RandomText, AnExportReadsBackAsTitleAndTags) {
  RandomTexts texts;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = texts.next();
    const std::string own = title_of(text, "file.md");
    const auto tags = read_front_matter(text).tags;
    EXPECT_EQ(exported_text(text, own, "file.md", tags), text);
    const std::string changed = exported_text(text, "Other: \"title\"", "file.md", {"x", "y z"});
    EXPECT_EQ(title_of(changed, "file.md"), "Other: \"title\"") << text;
    EXPECT_EQ(read_front_matter(changed).tags, (std::vector<std::string>{"x", "y z"})) << text;
  }
}

TEST(RandomText, TitlesAndExcerptsAreBoundedAndClean) {
  RandomTexts texts;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = texts.next();
    const std::string title = title_of(text, "file.md");
    EXPECT_FALSE(has_control(title)) << text;
    EXPECT_LE(length(title), max_title_characters);
    const std::string words = excerpt(text, title);
    EXPECT_FALSE(has_control(words)) << text;
    EXPECT_LE(length(words), 160U);
    EXPECT_EQ(words.find("\xEF\xBF\xBD"), std::string::npos);
    EXPECT_EQ(fold(fold(text)), fold(text));
  }
}

}  // namespace
}  // namespace notes::text
