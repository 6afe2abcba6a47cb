#include "settings/schema.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::settings {
namespace {

constexpr const char* form = R"({"type":"object","required":["url"],"properties":{
  "url":{"type":"string","pattern":"^https://","minLength":9,"maxLength":40},
  "count":{"type":"integer","minimum":1,"maximum":10,"default":3},
  "mode":{"enum":["fast","safe"],"default":"safe"},
  "token":{"type":"string","writeOnly":true},
  "tags":{"type":"array","items":{"type":"string"},"maxItems":2,"uniqueItems":true}},
  "if":{"properties":{"mode":{"const":"fast"}},"required":["mode"]},"then":{"properties":{"count":{"maximum":5}}}})";

std::string faults(const Schema& schema, const Values& values) {
  std::string all;
  for (const base::FieldError& error : schema.check(values))
    all += (all.empty() ? "" : " ") + error.field + ":" + error.code;
  return all;
}

Values with_url(const char* key, const char* json) {
  Values values{{"url", R"("https://a.example")"}};
  values.insert_or_assign(key, json);
  return values;
}

std::string fault_of(const std::string& json) {
  try {
    const Schema schema(json);
    return "none";
  } catch (const SchemaFault& fault) {
    EXPECT_FALSE(fault.message.empty());
    return fault.key + "!";
  }
}

TEST(SettingsSchema, ReadsItsProperties) {
  const Schema schema(form);
  ASSERT_EQ(schema.properties().size(), 5U);
  EXPECT_EQ(schema.find("count")->default_json, "3");
  EXPECT_EQ(schema.find("mode")->default_json, "\"safe\"");
  EXPECT_TRUE(schema.find("token")->is_secret);
  EXPECT_FALSE(schema.find("url")->is_secret);
  EXPECT_EQ(schema.find("count")->type, "integer");
  EXPECT_EQ(schema.find("cou"), nullptr);
  const Values values = schema.with_defaults({{"count", "7"}});
  EXPECT_EQ(values, (Values{{"count", "7"}, {"mode", "\"safe\""}}));
}

TEST(SettingsSchema, ChecksEveryKeyword) {
  const Schema schema(form);
  EXPECT_EQ(faults(schema, with_url("count", "10")), "");
  EXPECT_EQ(faults(schema, {}), "url:required");
  EXPECT_EQ(faults(schema, with_url("url", "\"http://a.example\"")), "url:invalid");
  EXPECT_EQ(faults(schema, with_url("url", "\"https://\"")), "url:too_short");
  EXPECT_EQ(faults(schema, with_url("url", "\"https://0123456789012345678901234567890123456789\"")),
            "url:too_long");
  EXPECT_EQ(faults(schema, with_url("count", "11")), "count:too_large");
  EXPECT_EQ(faults(schema, with_url("count", "0")), "count:too_small");
  EXPECT_EQ(faults(schema, with_url("count", "1.5")), "count:wrong_type");
  EXPECT_EQ(faults(schema, with_url("count", "\"3\"")), "count:wrong_type");
  EXPECT_EQ(faults(schema, with_url("mode", "\"slow\"")), "mode:unknown");
  EXPECT_EQ(faults(schema, with_url("tags", "[1]")), "tags:invalid");
  EXPECT_EQ(faults(schema, with_url("tags", R"(["a","b","c"])")), "tags:invalid");
  EXPECT_EQ(faults(schema, with_url("tags", R"(["a","a"])")), "tags:invalid");
  EXPECT_EQ(faults(schema, with_url("other", "1")), "") << "undeclared keys are the plugin's own";
  EXPECT_EQ(faults(schema, {{"url", "1"}, {"count", "0"}}), "count:too_small url:wrong_type");
}

TEST(SettingsSchema, ChecksSettingsThatDependOnEachOther) {
  const Schema schema(form);
  Values values = with_url("count", "7");
  EXPECT_EQ(faults(schema, values), "");
  values["mode"] = "\"fast\"";
  EXPECT_NE(faults(schema, values), "");
  values["count"] = "5";
  EXPECT_EQ(faults(schema, values), "");
}

TEST(SettingsSchema, ChecksOneChangeOnItsOwn) {
  const Schema schema(form);
  EXPECT_TRUE(schema.check_change({}, "count", "4").empty()) << "the missing url is another fault";
  EXPECT_EQ(schema.check_change({}, "count", "11").at(0).code, "too_large");
  EXPECT_EQ(schema.check_change({{"url", "\"https://a.example\""}}, "url", "").at(0).code,
            "required");
  EXPECT_FALSE(schema.check_change({{"count", "7"}}, "mode", "\"fast\"").empty())
      << "refused together with count";
  const Schema closed(R"({"properties":{"a":{}},"additionalProperties":false})");
  EXPECT_TRUE(closed.check_change({}, "a", "1").empty());
  EXPECT_FALSE(closed.check_change({}, "b", "1").empty());
  EXPECT_TRUE(closed.check_change({{"b", "1"}}, "a", "2").empty()) << "it was invalid before";
}

TEST(SettingsSchema, NamesTheLimitInTheMessage) {
  const Schema schema(form);
  EXPECT_EQ(schema.check(with_url("count", "11"))[0].message, "This must be at most 10.");
  EXPECT_EQ(schema.check(with_url("mode", "1"))[0].message, "Choose one of: fast, safe.");
}

// std::regex recurses for each character.
TEST(SettingsSchema, RefusesLongTextsBeforeAPattern) {
  const Schema schema(
      R"({"properties":{"a":{"type":"string","pattern":"^(a|b)*$"},"b":{"type":"string"}}})");
  const std::string text = "\"" + std::string(Schema::max_pattern_text - 2, 'a') + "\"";
  EXPECT_EQ(faults(schema, {{"a", text}}), "");
  EXPECT_EQ(faults(schema, {{"a", "\"" + std::string(Schema::max_pattern_text - 1, 'a') + "\""}}),
            "a:too_long");
  EXPECT_EQ(faults(schema, {{"b", "\"" + std::string(60'000, 'a') + "\""}}), "");
}

TEST(SettingsSchema, RefusesSchemasThatCannotBeUsed) {
  EXPECT_EQ(fault_of("{}"), "none");
  EXPECT_EQ(fault_of(R"({"properties":[]})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":3}})"), "a!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"type":"text"}}})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"pattern":"("}}})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"items":{"patternProperties":{"[":{}}}}}})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"default":{"pattern":"("}}}})"), "none");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"$ref":"https://a.example/x.json"}}})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"$ref":"#"}}})"), "!");
  EXPECT_EQ(fault_of(R"({"$ref":"#"})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"type":"integer","multipleOf":0}}})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"anyOf":[{"multipleOf":-1}]}}})"), "!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"writeOnly":1}}})"), "a!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"writeOnly":true,"default":"x"}}})"), "a!");
  EXPECT_EQ(fault_of(R"({"properties":{"a":{"type":"integer","maximum":3,"default":4}}})"), "a!");
}

}  // namespace
}  // namespace tenon::settings
