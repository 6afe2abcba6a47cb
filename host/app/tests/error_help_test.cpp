#include "app/commands/error_help.hpp"

#include <gtest/gtest.h>

namespace tenon::app {

TEST(ErrorHelp, ExplainsEveryCodeAsPlainText) {
  const auto codes = explained_errors();
  EXPECT_GT(codes.size(), 400U);
  for (const std::string& code : codes) {
    const std::string text = explain_error(code);
    EXPECT_TRUE(text.starts_with(code + "\n\n")) << code;
    EXPECT_GT(text.size(), code.size() + 20) << code;
    EXPECT_EQ(text.find_first_of("`["), std::string::npos) << text;
  }
}

TEST(ErrorHelp, NamesTheStatusAndTheFix) {
  EXPECT_EQ(explain_error("json.invalid"),
            "json.invalid\n\n400 The text is not valid JSON. The message names the location.\n");
  EXPECT_NE(explain_error("config.invalid").find("See Configuration (docs/configuration.md)."),
            std::string::npos);
  EXPECT_EQ(explain_error("json.unknown"), "");
  EXPECT_EQ(explain_error(""), "");
}

}  // namespace tenon::app
