#include "http/static_files/static_files.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "http/response/encoded_variant.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

namespace fs = std::filesystem;

class StaticFiles : public testing::Test {
 protected:
  StaticFiles()
      : directory_(fs::temp_directory_path() / ("tenon-static-" + std::to_string(::getpid()))) {
    fs::remove_all(directory_);
    write("tree/index.html", "<h1>hello</h1>");
    write("tree/assets/app.js", "console.log(1)");
    write("tree/assets/app.js.br", "brotli form");
    write("tree/assets/app.js.gz", "gzip form");
    write("tree/large.bin", large());
    write("tree/empty.txt", "");
    write("tree/with space.txt", "spaced");
    write("tree/.hidden", "secret");
    write("tree/.git/config", "secret");
    write("outside.txt", "secret");
    fs::create_symlink(directory_ / "outside.txt", directory_ / "tree/link.txt");
    fs::create_directory_symlink(directory_, directory_ / "tree/up");
    StaticOptions options;
    options.keep_up_to = 1000;
    options.fields = {{"Content-Security-Policy", "default-src 'self'"}};
    tree_ = StaticTree::load((directory_ / "tree").string(), options);
    handler_ = make_static_handler(tree_, "/ui/");
    server_.route_all("/ui/", *handler_);
    server_.start();
  }
  ~StaticFiles() override { fs::remove_all(directory_); }

  static std::string large() {
    std::string text;
    for (int i = 0; text.size() < 300'000; ++i)
      text += std::to_string(i) + "\n";
    return text;
  }

  void write(const std::string& name, const std::string& text) {
    const fs::path path = directory_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  Reply get(const std::string& path, const std::string& fields = "",
            const std::string& method = "GET") {
    RawClient client = server_.connect();
    client.send(method + " " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
    return client.read_reply(method == "HEAD");
  }

  fs::path directory_;
  TestServer server_;
  std::shared_ptr<const StaticTree> tree_;
  std::unique_ptr<Handler> handler_;
};

TEST_F(StaticFiles, AreServedFromMemoryAndFromDisk) {
  const Reply small = get("/ui/index.html");
  EXPECT_EQ(small.status, 200);
  EXPECT_EQ(small.body, "<h1>hello</h1>");
  EXPECT_EQ(small.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(small.field("Cache-Control"), "no-cache");
  EXPECT_EQ(small.field("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(small.field("Content-Security-Policy"), "default-src 'self'");
  EXPECT_EQ(get("/ui/large.bin").body, large());
  EXPECT_EQ(get("/ui/empty.txt").field("Content-Length"), "0");
  EXPECT_EQ(get("/ui/with%20space.txt").body, "spaced");
  const Reply head = get("/ui/large.bin", "", "HEAD");
  EXPECT_EQ(head.field("Content-Length"), std::to_string(large().size()));
}

TEST_F(StaticFiles, AreServedInTheFormTheClientTakes) {
  const Reply brotli = get("/ui/assets/app.js", "Accept-Encoding: gzip, deflate, br\r\n");
  EXPECT_EQ(brotli.body, "brotli form");
  EXPECT_EQ(brotli.field("Content-Encoding"), "br");
  EXPECT_EQ(brotli.field("Vary"), "Accept-Encoding");
  EXPECT_EQ(brotli.field("Content-Type"), "text/javascript; charset=utf-8");
  const Reply gzip = get("/ui/assets/app.js", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(gzip.body, "gzip form");
  const Reply plain = get("/ui/assets/app.js");
  EXPECT_EQ(plain.body, "console.log(1)");
  EXPECT_FALSE(plain.has("Content-Encoding"));
  EXPECT_EQ(plain.field("Vary"), "Accept-Encoding");
  EXPECT_NE(brotli.field("ETag"), gzip.field("ETag"));
  EXPECT_NE(brotli.field("ETag"), plain.field("ETag"));
  EXPECT_EQ(get("/ui/assets/app.js.br").status, 404);
}

TEST_F(StaticFiles, AreNotSentAgainWhenUnchanged) {
  const Reply first = get("/ui/index.html");
  const Reply again =
      get("/ui/index.html", "If-None-Match: \"x\", " + first.field("ETag") + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.field("ETag"), first.field("ETag"));
  EXPECT_EQ(get("/ui/index.html", "If-None-Match: \"x\"\r\n").status, 200);
  EXPECT_EQ(
      get("/ui/index.html", "If-Modified-Since: " + first.field("Last-Modified") + "\r\n").status,
      304);
  EXPECT_EQ(get("/ui/index.html", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n").status,
            200);
  EXPECT_EQ(get("/ui/index.html", "If-Modified-Since: nonsense\r\n").status, 200);
  // The tag counts more than the date.
  EXPECT_EQ(get("/ui/index.html", "If-None-Match: \"x\"\r\nIf-Modified-Since: " +
                                      first.field("Last-Modified") + "\r\n")
                .status,
            200);
}

TEST_F(StaticFiles, AreServedInParts) {
  for (const std::string path : {"/ui/index.html", "/ui/large.bin"}) {
    const std::string whole = get(path).body;
    const Reply part = get(path, "Range: bytes=4-9\r\n");
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.body, whole.substr(4, 6));
    EXPECT_EQ(part.field("Content-Range"), "bytes 4-9/" + std::to_string(whole.size()));
    const Reply beyond = get(path, "Range: bytes=999999999-\r\n");
    EXPECT_EQ(beyond.status, 416);
    EXPECT_EQ(beyond.field("Content-Range"), "bytes */" + std::to_string(whole.size()));
    EXPECT_EQ(get(path, "Range: bytes=0-1,3-4\r\n").body, whole);
    EXPECT_EQ(get(path, "Range: bytes=-5\r\n").body, whole.substr(whole.size() - 5));
  }
  const std::string tag = get("/ui/large.bin").field("ETag");
  EXPECT_EQ(get("/ui/large.bin", "Range: bytes=0-4\r\nIf-Range: " + tag + "\r\n").status, 206);
  EXPECT_EQ(get("/ui/large.bin", "Range: bytes=0-4\r\nIf-Range: \"other\"\r\n").status, 200);
  EXPECT_EQ(get("/ui/assets/app.js", "Range: bytes=0-6\r\nAccept-Encoding: br\r\n").body,
            "console");
}

TEST_F(StaticFiles, OutsideTheTreeAreNotThere) {
  for (const char* path : {"/ui/outside.txt", "/ui/link.txt", "/ui/up/outside.txt", "/ui/.hidden",
                           "/ui/.git/config", "/ui/", "/ui/assets", "/ui/assets/",
                           "/ui//index.html", "/ui/index.html/", "/ui/INDEX.html"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  for (const char* path : {"/ui/../outside.txt", "/ui/%2e%2e/outside.txt", "/ui/assets%2Fapp.js"}) {
    EXPECT_EQ(get(path).status, 400) << path;
  }
}

TEST_F(StaticFiles, CanOnlyBeRead) {
  const Reply reply = get("/ui/index.html", "", "DELETE");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.field("Allow"), "GET, HEAD");
}

TEST_F(StaticFiles, WithHashedNamesAreCachedForGood) {
  StaticOptions options;
  options.is_immutable = true;
  const auto tree = StaticTree::load((directory_ / "tree").string(), options);
  Request request;
  request.method = Method::get;
  const Response response = tree->respond(request, "index.html");
  EXPECT_NE(response.prepared->find("Cache-Control: public, max-age=31536000, immutable\r\n"),
            std::string::npos);
}

TEST_F(StaticFiles, ThatChangedOnDiskAreNotMixedUp) {
  EXPECT_EQ(tree_->size(), 5U);
  write("tree/large.bin", "other");
  EXPECT_EQ(get("/ui/large.bin").status, 503);
  EXPECT_EQ(get("/ui/index.html").status, 200);
}

TEST_F(StaticFiles, AreReadAgainIfChangedBeforeFirstUse) {
  const fs::path file = directory_ / "tree/index.html";
  EXPECT_EQ(tree_->size(), 5U);
  const auto time = fs::last_write_time(file);
  write("tree/index.html", "<h1>other</h1>");  // of the same size
  const Reply changed = get("/ui/index.html");
  EXPECT_EQ(changed.status, 503);
  EXPECT_NE(changed.body.find("http.file_unavailable"), std::string::npos);
  write("tree/index.html", "<h1>hello</h1>");
  fs::last_write_time(file, time);
  const Reply back = get("/ui/index.html");
  EXPECT_EQ(back.status, 200);
  write("tree/index.html", "changed after it was read");
  EXPECT_EQ(get("/ui/index.html").body, back.body);
  fs::remove(directory_ / "tree/empty.txt");
  EXPECT_EQ(get("/ui/empty.txt").status, 503);
}

TEST_F(StaticFiles, AreHashedUpToALimit) {
  const std::string largest(hashed_file_bytes, 'x');
  write("tree/hashed.bin", largest);
  write("tree/larger.bin", largest + "x");
  const auto tree = StaticTree::load((directory_ / "tree").string());
  const auto tag_of = [](const StaticTree& of, const char* path) {
    Request request;
    request.method = Method::get;
    const std::string fields = *of.respond(request, path).prepared;
    const std::size_t begin = fields.find("ETag: ");
    return fields.substr(begin, fields.find('\r', begin) - begin);
  };
  const std::string hashed = tag_of(*tree, "hashed.bin");
  const std::string larger = tag_of(*tree, "larger.bin");
  // The same bytes of another time: one tag stays, the other does not.
  for (const char* name : {"tree/hashed.bin", "tree/larger.bin"}) {
    const fs::path file = directory_ / name;
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  }
  const auto again = StaticTree::load((directory_ / "tree").string());
  EXPECT_EQ(tag_of(*again, "hashed.bin"), hashed);
  EXPECT_NE(tag_of(*again, "larger.bin"), larger);
}

TEST_F(StaticFiles, OutliveTheirTreeWhileTheyAreSent) {
  Request request;
  request.method = Method::get;
  const Response response = tree_->respond(request, "large.bin");
  const std::weak_ptr<const StaticTree> gone = tree_;
  tree_.reset();
  handler_.reset();
  EXPECT_TRUE(gone.expired());
  EXPECT_GE(std::get<FileBody>(response.body).file->get(), 0);
}

TEST_F(StaticFiles, NameTheDirectoryThatCannotBeRead) {
  try {
    StaticTree::load("/nonexistent/tree");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "http.static_tree");
    EXPECT_NE(error.message().find("/nonexistent/tree"), std::string::npos);
  }
}

TEST_F(StaticFiles, AreListedAtTheirFirstUse) {
  write("tree/late.txt", "late");
  fs::rename(directory_ / "tree", directory_ / "away");
  EXPECT_FALSE(tree_->has("late.txt"));
  tree_->read_all(10);
  EXPECT_EQ(get("/ui/late.txt").status, 500);
  fs::rename(directory_ / "away", directory_ / "tree");
  EXPECT_EQ(get("/ui/late.txt").body, "late");
  write("tree/later.txt", "later");
  EXPECT_EQ(get("/ui/later.txt").status, 404);
}

TEST_F(StaticFiles, KnowTheirPaths) {
  EXPECT_TRUE(tree_->has("assets/app.js"));
  EXPECT_FALSE(tree_->has("assets/app.js.br"));
  EXPECT_EQ(tree_->paths(),
            (std::vector<std::string_view>{"assets/app.js", "empty.txt", "index.html", "large.bin",
                                           "with space.txt"}));
}

}  // namespace
}  // namespace tenon::http::test
