#include <gtest/gtest.h>

#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

const std::string image = "\x89PNG\r\n\x1a\n and what follows";

class FilesOfRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards"})
      run("DELETE FROM " + std::string(table));
    picture_ = keep(image);
    letter_ = keep("0123456789");
    add(1, true);
    add(2, false);
    run("INSERT INTO cards (id, title, public) VALUES ('" + id_of(3) + "', 'a', 1)");
  }
  static std::string value(const std::string& blob, const std::string& name) {
    return R"({"id":")" + blob + R"(","name":")" + name + R"(","type":"text/html","size":10})";
  }
  void add(int number, bool is_public) const {
    run("INSERT INTO cards (id, title, public, owner, file, files, draft, vault_file) VALUES ('" +
        id_of(number) + "', 'a', " + (is_public ? "1" : "0") + ", '" + user_id("ada") + "', '" +
        value(letter_, "l\xC3\xA4tter.txt") + "', '[" + value(picture_, "p.png") + "," +
        value(letter_, "two.txt") + "]', '" + value(letter_, "draft.txt") + "', '" +
        value(letter_, "vault.txt") + "')");
  }
  static Reply file(int number, const std::string& rest, const std::string& user = "ada",
                    const std::map<std::string, std::string>& fields = {}) {
    return send("GET", "/cards/" + id_of(number) + "/" + rest, user, {}, fields);
  }

  std::string picture_;
  std::string letter_;
};

TENON_ON_BOTH_ENGINES(FilesOfRecords);

TEST_P(FilesOfRecords, AreSentWithTheirNames) {
  const Reply letter = file(1, "file");
  ASSERT_EQ(letter.status, 200) << letter.body;
  EXPECT_EQ(letter.body, "0123456789");
  EXPECT_EQ(letter.field("content-type"), "application/octet-stream")
      << "what the record says of its type is not believed";
  EXPECT_EQ(letter.field("content-disposition"),
            "attachment; filename=\"l__tter.txt\"; filename*=UTF-8''l%C3%A4tter.txt");
  EXPECT_EQ(letter.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(letter.field("content-security-policy"), "sandbox; default-src 'none'");
  EXPECT_EQ(letter.field("etag"), "\"" + letter_ + "\"");
  EXPECT_EQ(letter.field("cache-control"), "private, no-cache") << "another may take its place";
  const Reply picture = file(1, "files/" + picture_);
  EXPECT_EQ(picture.body, image);
  EXPECT_EQ(picture.field("content-type"), "image/png");
  EXPECT_EQ(picture.field("content-disposition"), "inline; filename=\"p.png\"");
  EXPECT_EQ(picture.field("cache-control"), "private, max-age=31536000, immutable");
  EXPECT_EQ(file(1, "files/" + picture_ + "?save=true").field("content-disposition"),
            "attachment; filename=\"p.png\"");
  EXPECT_EQ(file(1, "files/" + letter_).body, "0123456789");
  EXPECT_EQ(file(1, "file/" + letter_).body, "0123456789");
}

TEST_P(FilesOfRecords, SupportRangesAndNotModified) {
  const Reply part = file(1, "file", "ada", {{"Range", "bytes=2-4"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.field("content-range"), "bytes 2-4/10");
  const Reply beyond = file(1, "file", "ada", {{"Range", "bytes=10-"}});
  EXPECT_EQ(beyond.status, 416);
  EXPECT_EQ(beyond.field("content-range"), "bytes */10");
  EXPECT_EQ(file(1, "file", "ada", {{"If-None-Match", "\"" + letter_ + "\""}}).status, 304);
  const Reply head = send("HEAD", "/cards/" + id_of(1) + "/file", "ada");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("content-length"), "10");
}

TEST_P(FilesOfRecords, OnlyForWhoSeesThem) {
  EXPECT_EQ(file(1, "file", "bob").status, 200);
  EXPECT_EQ(problem(file(2, "file", "bob")), "404 records.not_found");
  EXPECT_EQ(problem(file(2, "files/" + picture_, "bob")), "404 records.not_found");
  EXPECT_EQ(file(1, "draft").status, 200);
  EXPECT_EQ(problem(file(1, "draft", "bob")), "404 records.no_file") << "its field's rule";
  EXPECT_EQ(problem(file(1, "draft/" + letter_, "bob")), "404 records.no_file");
  EXPECT_EQ(problem(file(1, "file", "")), "401 identity.signed_out");
  EXPECT_EQ(file(1, "vault_file", "root").status, 404) << "it is hidden";
  EXPECT_EQ(file(1, "vault_file/" + letter_, "root").status, 404);
}

TEST_P(FilesOfRecords, OnlyThoseOfTheRecord) {
  const std::string other = keep("another's");
  EXPECT_EQ(problem(file(1, "file/" + other)), "404 records.no_file");
  EXPECT_EQ(problem(file(1, "files/" + other)), "404 records.no_file");
  EXPECT_EQ(problem(file(1, "file/" + picture_)), "404 records.no_file")
      << "that is of another field";
  EXPECT_EQ(problem(file(3, "file")), "404 records.no_file");
  EXPECT_EQ(problem(file(3, "files/" + picture_)), "404 records.no_file");
  EXPECT_EQ(file(1, "files").status, 404) << "which of them?";
  EXPECT_EQ(file(1, "title").status, 404);
  EXPECT_EQ(problem(file(99, "file")), "404 records.not_found");
  EXPECT_EQ(problem(file(1, "file?x=1")), "400 records.bad_query x:invalid");
  EXPECT_EQ(problem(file(1, "file?save=1")), "400 records.bad_query save:invalid");
  run("UPDATE cards SET file = '" + value(std::string(64, 'a'), "x") + "'");
  EXPECT_EQ(problem(file(1, "file")), "404 blobs.not_found");
}

}  // namespace
}  // namespace tenon::records::test
