#include "codegen/settings_header.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::codegen {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string header_of_settings(const std::string& properties) {
  return settings_header(R"({"id":"my-mail","settings":{"properties":)" + properties + "}}");
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The text that tests/abi/typed compiles and runs, whole, so that a change of it is seen.
TEST(SettingsHeader, IsAsItWas) {
  const std::string folder = TENON_SOURCE_DIR "/tests/abi/typed/";
  EXPECT_EQ(settings_header(text_of_file(folder + "plugin.json")),
            text_of_file(folder + "expected_settings.txt"))
      << "see host/codegen/README.md for how to regenerate it";
}

TEST(SettingsHeader, SeparatesNamesThatConflict) {
  const std::string header =
      header_of_settings(R"({"a.b":{"type":"integer"},"a-b":{"enum":["x"]},"a_b":{"enum":["y"]}})");
  EXPECT_TRUE(has(header, R"(> a_b{"a.b"};)")) << header;
  EXPECT_TRUE(has(header, R"(<std::optional<AB>> a_b_{"a-b"};)")) << header;
  EXPECT_TRUE(has(header, R"(<std::optional<AB_>> a_b__{"a_b"};)")) << header;
  EXPECT_TRUE(has(header, "namespace my_mail::settings {")) << header;
}

TEST(SettingsHeader, UsesJsonForOtherTypes) {
  for (const char* property :
       {R"({})", R"(true)", R"({"type":"object"})", R"({"type":["string","integer"]})",
        R"({"enum":[1,2]})", R"({"enum":[]})", R"({"type":"array"})",
        R"({"type":"array","items":{"type":"object"}})", R"({"type":"array","items":[]})"}) {
    EXPECT_TRUE(has(header_of_settings(R"({"a":)" + std::string(property) + "}"),
                    R"(<std::optional<tenon::Json>> a{"a"};)"))
        << property;
  }
}

TEST(SettingsHeader, NoTextBecomesCode) {
  const std::string header = header_of_settings(
      R"({"a":{"title":"one\\\nint x;","description":"*/\rint y;","enum":["\"};int z;","b"]}})");
  EXPECT_FALSE(has(header, "\nint")) << header;
  EXPECT_TRUE(has(header, R"("\"};int z;",)")) << header;
}

TEST(SettingsHeader, NoSettingsAreAHeaderToo) {
  EXPECT_TRUE(has(settings_header(R"({"id":"mail"})"), "namespace mail::settings {"));
  EXPECT_THROW(settings_header(R"({"name":"Mail"})"), base::Error);
  EXPECT_THROW(settings_header("{"), base::Error);
  EXPECT_THROW(settings_header("[]"), base::Error);
}

}  // namespace
}  // namespace tenon::codegen
