#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "base/json.hpp"
#include "engines/tests/schema/json_schema.hpp"
#include "engines/tests/schema/tables_fixtures.hpp"
#include "engines/tests/support.hpp"
#include "schema/tables.hpp"

namespace tenon::data::test {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class PublishedSchemaTest : public testing::Test {
 protected:
  // Whether the schema takes a text; a text that is no JSON is refused.
  bool accepts(const std::string& text) const {
    try {
      return schema_.accepts(base::parse_json(text));
    } catch (const base::Error&) {
      return false;
    }
  }
  static bool parses(const std::string& text) {
    return code_of([&] { schema::parse_tables(text); }) == "none";
  }
  JsonSchema schema_{base::parse_json_object(
      read_file(std::filesystem::path(TENON_SOURCE_DIR) / "sdk/schema/tables.schema.json"))};
};

TEST_F(PublishedSchemaTest, TakesWhatTheParserTakes) {
  for (const std::string& text :
       {std::string(everything), std::string(R"({"tables":[]})"),
        with_field(R"("type":"json","default":null)"),
        with_field(R"("type":"json","unique":false)"),
        with_field(R"("type":"number","min":-1.5,"default":2)"),
        with_field(R"("type":"reference","table":"t","required":true,"on_delete":"cascade")"),
        with_field(R"("type":"reference","table":"crm:contacts")"),
        with_field(R"("type":"reference","table":"t","many":true,"on_delete":"clear")"),
        with_field(R"("type":"choice","choices":["a"],"many":false,"unique":true,"default":"a")"),
        with_field(R"("type":"choice","choices":["a"],"many":true,"default":[])"),
        with_field(R"("type":"blob","types":["application/vnd.oasis.opendocument.text"])"),
        with_field(R"("type":"text","hidden":true,"writable":true)"),
        with_field(R"("type":"computed","expression":"a","reveals":true)"),
        two_tables(R"("type":"user")", R"("type":"user")"),
        with_field(R"("type":"computed","expression":"a + b","read_only":true)")}) {
    EXPECT_TRUE(parses(text)) << text;
    EXPECT_TRUE(accepts(text)) << text;
  }
}

TEST_F(PublishedSchemaTest, RefusesWhatTheParserRefuses) {
  for (const auto& bad : bad_files()) {
    if (bad.is_for_the_host) continue;
    EXPECT_FALSE(accepts(bad.text)) << bad.text;
  }
}

// Every key of every type, one at a time, added to the minimum that the type needs.
TEST_F(PublishedSchemaTest, AgreesWithTheParserKeyByKey) {
  const std::vector<std::string> types = {R"("type":"text")",
                                          R"("type":"integer")",
                                          R"("type":"number")",
                                          R"("type":"boolean")",
                                          R"("type":"date")",
                                          R"("type":"datetime")",
                                          R"("type":"json")",
                                          R"("type":"choice","choices":["a"])",
                                          R"("type":"reference","table":"t")",
                                          R"("type":"reference","table":"crm:contacts")",
                                          R"("type":"reference","table":"t","many":true)",
                                          R"("type":"user")",
                                          R"("type":"user","many":true)",
                                          R"("type":"choice","choices":["a"],"many":true)",
                                          R"("type":"blob")",
                                          R"("type":"computed","expression":"1")"};
  const std::vector<std::string> keys = {
      "description", "required", "unique",   "indexed", "hidden",  "read_only",
      "searchable",  "default",  "min",      "max",     "pattern", "on_delete",
      "former",      "length",   "formerly", "rules",   "types",   "max_bytes",
      "expression",  "many",     "writable", "reveals"};
  const std::vector<std::string> values = {"true",
                                           "false",
                                           "1",
                                           "-1",
                                           "1.5",
                                           "null",
                                           "\"a\"",
                                           "\"\"",
                                           "\"clear\"",
                                           "\"@now\"",
                                           "\"2026-11-20\"",
                                           "\"2026-11-20T08:15:30.000Z\"",
                                           "[]",
                                           "{}",
                                           "[\"a\"]",
                                           "[\"a/b\"]",
                                           "{\"read\":\"a\"}",
                                           "{\"write\":\"a\"}",
                                           "{\"weight\":3}"};
  int taken = 0;
  for (const auto& type : types) {
    for (const auto& key : keys) {
      for (const auto& value : values) {
        if (type.find("\"" + key + "\"") != std::string::npos) continue;
        // That a default is among the choices is beyond a schema.
        if (key == "default" && type.find("choices") != std::string::npos && value != "\"a\"" &&
            (value.front() == '"' || value == "[\"a/b\"]"))
          continue;
        const std::string text = with_field(type + ",\"" + key + "\":" + value);
        EXPECT_EQ(accepts(text), parses(text)) << text;
        taken += parses(text) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace tenon::data::test
