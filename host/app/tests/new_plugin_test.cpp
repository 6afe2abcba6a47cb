#include "app/dev/new_plugin.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/error.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;

class NewPluginTest : public ::testing::Test {
 protected:
  NewPluginTest() {
    std::string pattern = fs::temp_directory_path() / "tenon-new-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    put("sdk/templates/full/src/my_plugin.cpp",
        "#include \"my_plugin_tables.hpp\"\nnamespace my_plugin { class MyPlugin; } // "
        "my-plugin\n");
    put("sdk/templates/full/plugin.json", R"({"id":"my-plugin","name":"My plugin"})");
    put("sdk/templates/full/ui/node_modules/my_plugin.js", "");
    put("sdk/templates/full/ui/package.json", "{}");
    put("sdk/templates/ci/.github/workflows/ci.yml", "check dist/my-plugin");
  }
  ~NewPluginTest() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  NewPlugin make(const std::string& id, const std::string& from = "full") const {
    return write_new_plugin(names_of_plugin(id), from, folder_ / "sdk", folder_ / "made" / id);
  }

  fs::path folder_;
};

std::string code_of_new(const std::string& id) {
  try {
    names_of_plugin(id);
  } catch (const base::Error& error) {
    return error.code();
  }
  return "";
}

}  // namespace

TEST(PluginNamesTest, AreMadeOfTheId) {
  const PluginNames names = names_of_plugin("my-crm-2");
  EXPECT_EQ(names.file, "my_crm_2");
  EXPECT_EQ(names.name_space, "my_crm_2");
  EXPECT_EQ(names.class_name.substr(0, 5), "MyCrm");
  EXPECT_TRUE(names.class_name.ends_with("Plugin"));
  EXPECT_EQ(names.title, "My crm 2");
}

TEST(PluginNamesTest, StayIdentifiersForReservedWordsOfCpp) {
  EXPECT_EQ(names_of_plugin("class").name_space, "class_");
  EXPECT_EQ(names_of_plugin("class").file, "class");
  EXPECT_EQ(names_of_plugin("plugin").class_name, "PluginPlugin");
  EXPECT_EQ(names_of_plugin("my-plugin").class_name, "MyPlugin");
}

TEST(PluginNamesTest, RefuseWhatNoPluginCanBeCalled) {
  for (const char* id : {"", "a", "My-crm", "9lives", "my_crm", "../evil", "my crm",
                         "a-name-of-more-than-thirty-two-bytes"})
    EXPECT_EQ(code_of_new(id), "plugins.id_invalid") << id;
  for (const char* id : {"core", "api", "tenon", "test", "all", "install"})
    EXPECT_EQ(code_of_new(id), "plugins.reserved_id") << id;
  EXPECT_EQ(code_of_new("my-crm"), "");
}

TEST_F(NewPluginTest, WritesTheTemplateUnderItsNames) {
  put("sdk/npm/tenon-ui-1.0.0.tgz", "packed");
  const NewPlugin made = make("class");
  EXPECT_EQ(made.files, 5U);
  EXPECT_FALSE(made.lacks_ui_packages);
  EXPECT_EQ(text("made/class/src/class.cpp"),
            "#include \"class_tables.hpp\"\nnamespace class_ { class ClassPlugin; } // class\n");
  EXPECT_EQ(text("made/class/plugin.json"), R"({"id":"class","name":"Class"})");
  EXPECT_EQ(text("made/class/.github/workflows/ci.yml"), "check dist/class");
  EXPECT_EQ(text("made/class/ui/sdk/tenon-ui-1.0.0.tgz"), "packed");
  EXPECT_FALSE(fs::exists(folder_ / "made/class/ui/node_modules"));
}

TEST_F(NewPluginTest, SaysWhenTheSdkHasNoPackages) {
  EXPECT_TRUE(make("my-crm").lacks_ui_packages);
}

TEST_F(NewPluginTest, ComposesTheSmallerTemplates) {
  put("sdk/templates/full/tables.json", "{}");
  put("sdk/templates/table/plugin.json", R"({"id":"my-plugin"})");
  put("sdk/templates/table/tests/my_plugin_test.py", "my-plugin");
  put("sdk/templates/page/plugin.json", R"({"id":"my-plugin","ui":{}})");
  EXPECT_EQ(make("links", "table").files, 4U);
  EXPECT_EQ(text("made/links/plugin.json"), R"({"id":"links"})");
  EXPECT_EQ(text("made/links/tests/links_test.py"), "links");
  EXPECT_EQ(text("made/links/tables.json"), "{}");
  EXPECT_EQ(make("polls", "page").files, 5U);
  EXPECT_EQ(text("made/polls/plugin.json"), R"({"id":"polls","ui":{}})");
  EXPECT_EQ(text("made/polls/ui/package.json"), "{}");
  EXPECT_FALSE(fs::exists(folder_ / "made/polls/src"));
}

TEST_F(NewPluginTest, TouchesNoFolderThatIsThere) {
  put("made/my-crm/kept", "mine");
  try {
    make("my-crm");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "plugins.folder_exists");
  }
  EXPECT_EQ(text("made/my-crm/kept"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "made/my-crm/plugin.json"));
}

TEST_F(NewPluginTest, NamesTheTemplateThatIsMissing) {
  fs::remove_all(folder_ / "sdk/templates/full");
  try {
    make("my-crm");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "plugins.no_template");
    EXPECT_NE(error.message().find("sdk/templates/full"), std::string::npos) << error.message();
  }
  EXPECT_FALSE(fs::exists(folder_ / "made/my-crm"));
}

}  // namespace tenon::app
