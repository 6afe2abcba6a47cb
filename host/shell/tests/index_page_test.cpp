#include "shell/index_page.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "shell/docs_page.hpp"

namespace tenon::shell {

namespace {

class IndexPageTest : public ::testing::Test {
 protected:
  IndexPageTest()
      : directory_(std::filesystem::temp_directory_path() /
                   ("tenon-index-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~IndexPageTest() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& page) {
    std::ofstream(directory_ / "index.html") << page;
    return directory_.string();
  }
  std::string code_of(const std::string& page) {
    try {
      const IndexPage made(write(page));
    } catch (const base::Error& error) {
      return error.code();
    }
    return "";
  }

  std::filesystem::path directory_;
};

constexpr const char* page =
    "<html><script "
    "type=\"importmap\">{\"imports\":{}}</script><!--tenon:boot--><p>hello</p></html>";

std::string field(const http::Response& response, const std::string& name) {
  for (const auto& [key, value] : response.fields) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace

TEST_F(IndexPageTest, PutsTheBootDataIn) {
  const IndexPage index(write(page));
  const http::Response response = index.render(R"({"name":"T"})", "localhost:80");
  EXPECT_EQ(std::get<std::string>(response.body),
            "<html><script type=\"importmap\">{\"imports\":{}}</script>"
            "<script type=\"application/json\" "
            "id=\"tenon-boot\">{\"name\":\"T\"}</script><p>hello</p></html>");
  EXPECT_EQ(field(response, "Cache-Control"), "no-store");
}

TEST_F(IndexPageTest, NamesTheImportMapByItsHash) {
  const IndexPage index(write(page));
  // printf '{"imports":{}}' | openssl dgst -sha256 -binary | base64
  const std::string hash = "'sha256-URrTy+Il/Nz0lHojVUx275hWqAWhkSF0VsHbUM4/6Hw='";
  EXPECT_NE(index.policy("localhost:8080").find("script-src localhost:8080/ui/ " + hash + ";"),
            std::string::npos);
}

TEST_F(IndexPageTest, PutsNoForeignTextIntoThePolicy) {
  const IndexPage index(write(page));
  EXPECT_NE(index.policy("[::1]:8080").find("script-src 'self' "), std::string::npos);
  EXPECT_EQ(index.policy("a.example; script-src *").find("script-src *"), std::string::npos);
}

TEST_F(IndexPageTest, RefusesAnInvalidPage) {
  EXPECT_THROW(IndexPage("/nowhere"), base::Error);
  EXPECT_EQ(code_of("<html></html>"), "shell.ui_invalid");
  EXPECT_EQ(code_of("<!--tenon:boot-->"), "shell.ui_invalid");
  EXPECT_EQ(code_of("<script type=\"importmap\">{}"), "shell.ui_invalid");
}

TEST_F(IndexPageTest, ApiPageAllowsNoInlineScripts) {
  const DocsPage none(directory_.string());
  EXPECT_THROW(none.render("localhost"), base::Error);
  std::ofstream(directory_ / "api-docs.html") << "<html>docs</html>";
  const DocsPage docs(directory_.string());
  const http::Response response = docs.render("localhost:80");
  EXPECT_EQ(std::get<std::string>(response.body), "<html>docs</html>");
  EXPECT_NE(field(response, "Content-Security-Policy").find("script-src localhost:80/ui/;"),
            std::string::npos);
}

}  // namespace tenon::shell
