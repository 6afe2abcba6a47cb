#include "text/exported.hpp"

#include <gtest/gtest.h>

#include "text/front_matter.hpp"
#include "text/paths.hpp"

namespace notes::text {
namespace {

using Tags = std::vector<std::string>;

TEST(ExportedText, IsUnchangedIfTheTextHasFrontMatter) {
  for (const auto* text :
       {"# A\n\nText\r\n", "---\ntitle: A\n---\n", "no heading", "", "\xEF\xBB\xBF# A\n"}) {
    EXPECT_EQ(exported_text(text, title_of(text, "file.md"), "file.md", {}), text);
  }
  const std::string tagged = "---\ntags: [B, a]\n---\n# A";
  EXPECT_EQ(exported_text(tagged, "A", "file.md", {"a", "b"}), tagged);
}

TEST(ExportedText, IncludesTitleAndTagsOfTheNote) {
  const std::string text = exported_text("# A\nText", "Other", "file.md", {"x"});
  EXPECT_EQ(text, "---\ntitle: \"Other\"\ntags: [\"x\"]\n---\n# A\nText");
  EXPECT_EQ(title_of(text, "file.md"), "Other");
  EXPECT_EQ(read_front_matter(text).tags, Tags{"x"});
}

TEST(ExportedText, AnEmptyTitleIsNotWritten) {
  EXPECT_EQ(exported_text("Text", "", "Untitled.md", {}), "Text");
}

TEST(Attachment, EncodesWhatAHeaderCannotHold) {
  EXPECT_EQ(attachment("a \"b\"\r\n\xC3\xA4.md"),
            "attachment; filename*=UTF-8''a%20%22b%22%0D%0A%C3%A4.md");
}

}  // namespace
}  // namespace notes::text
