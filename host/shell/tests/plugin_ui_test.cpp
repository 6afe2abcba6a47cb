#include "shell/plugin_ui.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::shell {

namespace {

class PluginUiTest : public ::testing::Test {
 protected:
  PluginUiTest()
      : directory_(std::filesystem::temp_directory_path() /
                   ("tenon-plugin-ui-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
    ui_.id = "notes";
    ui_.name = "Notes";
    ui_.version = "0.1.0";
    ui_.generation = 3;
    ui_.directory = directory_.string();
  }
  ~PluginUiTest() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& manifest) {
    std::ofstream(directory_ / "manifest.json") << manifest;
  }

  std::filesystem::path directory_;
  PluginUi ui_;
};

constexpr auto every_user = [](std::string_view) { return true; };
constexpr auto no_user = [](std::string_view) { return false; };

}  // namespace

TEST_F(PluginUiTest, NamesTheModule) {
  write(
      R"({"entry":"entry.1a.js","integrity":"sha384-x","styles":[{"href":"entry.2b.css","integrity":"sha384-y"}],"preload":[]})");
  EXPECT_EQ(
      PluginItem(ui_).json(every_user),
      R"({"id":"notes","name":"Notes","version":"0.1.0","generation":3,"module":"/ui/plugins/notes/entry.1a.js",)"
      R"("integrity":"sha384-x","styles":[{"href":"/ui/plugins/notes/entry.2b.css","integrity":"sha384-y"}],)"
      R"("preload":[],"navigation":[],"contributions":{}})");
}

TEST_F(PluginUiTest, ShowsOnlyPermittedEntries) {
  ui_.directory.clear();
  ui_.navigation = {{"a", "A", "/app/notes", "", "notes.use"},
                    {"b", "</script>", "/app/notes/b", "", ""}};
  const PluginItem item(ui_);
  EXPECT_NE(item.json(every_user).find("\"a\""), std::string::npos);
  EXPECT_EQ(item.json(no_user).find("\"a\""), std::string::npos);
  EXPECT_NE(item.json(no_user).find("\"b\""), std::string::npos);
  EXPECT_EQ(item.json(every_user).find('<'), std::string::npos);
}

TEST_F(PluginUiTest, IsHiddenWithoutPermittedEntries) {
  ui_.directory.clear();
  ui_.navigation = {{"a", "A", "/app/notes", "", "notes.use"}};
  EXPECT_EQ(PluginItem(ui_).json(no_user), "");
}

TEST_F(PluginUiTest, NamesTheInvalidFile) {
  const auto message = [&] {
    try {
      const PluginItem item(ui_);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), "shell.ui_invalid");
      return error.message();
    }
    return std::string();
  };
  EXPECT_NE(message().find("manifest.json cannot be read"), std::string::npos);
  write("{");
  EXPECT_NE(message().find("manifest.json"), std::string::npos);
  write("{}");
  EXPECT_NE(message().find("names no \"entry\""), std::string::npos);
}

}  // namespace tenon::shell
