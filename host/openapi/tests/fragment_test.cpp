#include "openapi/fragment.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "openapi/components.hpp"
#include "openapi/core_description.hpp"

namespace tenon::openapi {

namespace {

std::string refusal(std::string_view text) {
  try {
    read_fragment_of("notes", text);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "openapi.invalid");
    return error.message();
  }
  return "";
}

}  // namespace

TEST(Fragment, IsReadMemberByMember) {
  const Fragment fragment = read_fragment_of("notes", R"({
    "description": "Says \"hello\"", "parameters": [{"name": "q", "in": "query"}],
    "requestBody": {"content": {}}, "responses": {"200": {"description": "ok"}, "4XX": {}},
    "x-components": {"schemas": {"notes.note": {"type": "object"}}}})");
  EXPECT_EQ(fragment.description, "Says \"hello\"");
  EXPECT_EQ(fragment.parameters, std::vector<std::string>{R"({"name": "q", "in": "query"})"});
  EXPECT_EQ(fragment.request_body, R"({"content": {}})");
  ASSERT_EQ(fragment.responses.size(), 2U);
  EXPECT_EQ(fragment.responses[1].first, "4XX");
  ASSERT_EQ(fragment.components.size(), 1U);
  EXPECT_EQ(fragment.components[0].name, "notes.note");
  EXPECT_TRUE(read_fragment("").description.empty());
}

TEST(Fragment, NamesTheInvalidMember) {
  EXPECT_NE(refusal("{").find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal("[]").find("is no object"), std::string::npos);
  EXPECT_NE(refusal(R"({"summary":"x"})").find("summary is none of"), std::string::npos);
  EXPECT_NE(refusal(R"({"description":1})").find("description is no text"), std::string::npos);
  EXPECT_NE(refusal(R"({"parameters":[1]})").find("parameters/0"), std::string::npos);
  EXPECT_NE(refusal(R"({"responses":{"ok":{}}})").find("responses/ok is no status"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"x-components":{"paths":{}}})").find("x-components/paths"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"x-components":{"schemas":{"core.user":{}}}})").find("begin with"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"description":")" + std::string(max_fragment_bytes, 'x') + "\"}"), "");
}

TEST(Components, IncludeOnlyReachableOnes) {
  Components components;
  components.add({{"schemas", "a", R"({"$ref":"#/components/schemas/b"})"},
                  {"schemas", "b", R"({"$ref":"#/components/schemas/a"})"},
                  {"schemas", "c", "{}"},
                  {"schemas", "d", R"({"$ref":"#/components/schemas/nowhere"})"}});
  components.add({{"schemas", "c", R"({"type":"object"})"}});
  EXPECT_TRUE(components.has_all_of(R"({"$ref":"#/components/schemas/a"})"));
  EXPECT_FALSE(components.has_all_of(R"({"$ref":"#/components/schemas/d"})"));
  components.use(R"({"$ref":"#/components/schemas/a"})");
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  components.write(json);
  json.end_object();
  EXPECT_EQ(text, R"({"schemas":{"a":{"$ref":"#/components/schemas/b"},)"
                  R"("b":{"$ref":"#/components/schemas/a"}}})");
}

TEST(CoreDescription, HasATagPerFileAndValidReferences) {
  const CoreDescription& core = core_description();
  EXPECT_EQ(core.tags.size(), core_files().size());
  Components components;
  components.add(core.components);
  EXPECT_FALSE(core.operations.empty());
  for (const auto& [label, operation] : core.operations) {
    for (const auto& [status, text] : operation.fragment.responses)
      EXPECT_TRUE(components.has_all_of(text)) << label << " " << status;
    for (const std::string& text : operation.fragment.parameters)
      EXPECT_TRUE(components.has_all_of(text)) << label;
    EXPECT_TRUE(components.has_all_of(operation.fragment.request_body)) << label;
  }
}

}  // namespace tenon::openapi
