#include "shell/plugin_files.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "http/parser/request.hpp"

namespace tenon::shell {

namespace {

namespace fs = std::filesystem;

class PluginFilesTest : public ::testing::Test {
 protected:
  PluginFilesTest()
      : directory_(fs::temp_directory_path() / ("tenon-plugin-files-" + std::to_string(getpid()))) {
    fs::remove_all(directory_);
    write("one/manifest.json", "one");
    write("one/page.1.js", "the page of one");
    write("one/page.1.js.gz", "gzip");
    write("one/large.1.js", std::string(100'000, 'x'));
    write("two/manifest.json", "two");
    write("two/page.2.js", "the page of two");
  }
  ~PluginFilesTest() override { fs::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) {
    const fs::path path = directory_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::shared_ptr<const http::StaticTree> tree(const std::string& name) {
    return load_tree((directory_ / name).string());
  }
  static int status(PluginFiles& files, std::string_view path, std::string_view accept = {}) {
    http::Request request;
    request.method = http::Method::get;
    const http::Field field{"accept-encoding", accept};
    if (!accept.empty()) request.fields = {&field, 1};
    return files.respond(request, path).status;
  }

  fs::path directory_;
};

}  // namespace

TEST_F(PluginFilesTest, ServesFilesOfTheVersionBefore) {
  PluginFiles files("/ui/plugins/a/", tree("two"), tree("one"), false);
  EXPECT_EQ(status(files, "page.2.js"), 200);
  EXPECT_EQ(status(files, "page.1.js"), 200);
  EXPECT_EQ(status(files, "page.3.js"), 404);
  http::Request request;
  request.method = http::Method::get;
  const http::Response manifest = files.respond(request, "manifest.json");
  const auto* text = std::get_if<http::SharedBody>(&manifest.body);
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(**text, "two");
  files.forget_former();
  EXPECT_EQ(status(files, "page.1.js"), 404);
  EXPECT_EQ(status(files, "page.2.js"), 200);
  EXPECT_EQ(files.former(), nullptr);
}

TEST_F(PluginFilesTest, KeepsReadFilesWhenTheFolderIsGone) {
  const auto one = tree("one");
  one->read_all(max_retained_files);
  PluginFiles files("/ui/plugins/a/", tree("two"), one, false);
  fs::remove_all(directory_ / "one");
  EXPECT_EQ(status(files, "page.1.js"), 200);
  EXPECT_EQ(status(files, "page.1.js", "gzip"), 200);
  EXPECT_EQ(status(files, "large.1.js"), 200);
}

TEST_F(PluginFilesTest, KeepsNoMoreThanItsLimit) {
  const auto one = tree("one");
  one->read_all(2);  // large.1.js, manifest.json
  PluginFiles files("/ui/plugins/a/", tree("two"), one, false);
  fs::remove_all(directory_ / "one");
  EXPECT_EQ(status(files, "large.1.js"), 200);
  EXPECT_EQ(status(files, "page.1.js"), 503);
}

TEST_F(PluginFilesTest, ReadsADevelopmentFolderAtTheFirstRequest) {
  PluginFiles held("/ui/plugins/a/", tree("one"), nullptr, true);
  PluginFiles other("/ui/plugins/a/", tree("one"), nullptr, false);
  EXPECT_EQ(status(held, "manifest.json"), 200);
  EXPECT_EQ(status(other, "manifest.json"), 200);
  fs::remove_all(directory_ / "one");
  EXPECT_EQ(status(held, "page.1.js"), 200);
  EXPECT_EQ(status(other, "page.1.js"), 503);
}

}  // namespace tenon::shell
