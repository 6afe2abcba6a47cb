#include "bridge/db/clean_shutdown_record.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "bridge/declaration.hpp"
#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

namespace fs = std::filesystem;

class CleanShutdownRecordTest : public testing::Test {
 protected:
  CleanShutdownRecordTest() {
    fs::create_directories(folder_.path() + "/run");
    test::write_file(file_, "data");
    CleanShutdownRecord before(folder_.path());
    before.begin();
    before.put("notes", data::CleanClose{"digest", 3, *data::fingerprint_if_clean(file_)});
    before.put("tasks", std::nullopt);
    before.end();
  }

  // Returns the entry that the next process reads.
  std::optional<data::CleanClose> find(const std::string& declaration) const {
    CleanShutdownRecord now(folder_.path());
    now.begin();
    EXPECT_FALSE(now.find("tasks", file_, declaration));
    return now.find("notes", file_, declaration);
  }

  test::TemporaryFolder folder_;
  const std::string file_ = folder_.path() + "/notes.db";
  const std::string record_ = folder_.path() + "/run/clean-shutdown";
};

TEST_F(CleanShutdownRecordTest, IsReadByTheNextProcessOnly) {
  ASSERT_TRUE(fs::exists(record_));
  const auto found = find("digest");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->declaration, "digest");
  EXPECT_EQ(found->schema, 3);
  EXPECT_EQ(found->mark, data::fingerprint_if_clean(file_));
  EXPECT_FALSE(fs::exists(record_)) << "who is killed must leave none";
  EXPECT_FALSE(find("digest"));
}

TEST_F(CleanShutdownRecordTest, RejectsAnotherDeclaration) {
  EXPECT_FALSE(find("other"));
}

TEST_F(CleanShutdownRecordTest, RejectsAChangedFile) {
  test::write_file(file_, "DATA");
  EXPECT_FALSE(find("digest"));
}

TEST_F(CleanShutdownRecordTest, RejectsATruncatedRecord) {
  std::ifstream in(record_);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const std::string& part : {text.substr(0, text.size() - 4), "x" + text,
                                  text.substr(0, text.size() / 2), std::string()}) {
    test::write_file(record_, part);
    EXPECT_FALSE(find("digest")) << part;
  }
  test::write_file(record_, text);
  EXPECT_TRUE(find("digest"));
}

TEST(ProgramMark, DistinguishesBuilds) {
  const test::TemporaryFolder folder;
  const std::string program = folder.path() + "/program";
  test::write_file(program, "one");
  const std::string mark = program_mark(program);
  EXPECT_EQ(program_mark(program), mark);
  fs::copy_file(program, program + "-copy");
  EXPECT_NE(program_mark(program + "-copy"), mark);
  test::write_file(program, "other");
  EXPECT_NE(program_mark(program), mark);
  EXPECT_NE(program_mark("/proc/self/exe"), program_mark("/no/program"));
}

class KnownAtAStart : public testing::Test {
 protected:
  KnownAtAStart() {
    host_.put_probe();
    host_.start();
    EXPECT_EQ(host_.state("probe"), "active");
  }

  bool is_open() const { return fs::exists(file_ + "-wal"); }

  test::PluginHost host_;
  const std::string file_ = host_.folder() + "/data/probe.db";
};

TEST_F(KnownAtAStart, OpensAKnownFileOnFirstUse) {
  EXPECT_TRUE(is_open());
  host_.restart();
  EXPECT_FALSE(is_open());
  host_.start();
  EXPECT_EQ(host_.state("probe"), "active");
  EXPECT_FALSE(is_open());
  host_.lifecycle().disable("probe");
  host_.lifecycle().enable("probe");
  EXPECT_TRUE(is_open()) << "who enables a plugin wants its file looked at";
}

TEST_F(KnownAtAStart, ChecksAChangedFile) {
  host_.restart();
  const auto bytes = fs::file_size(file_);
  test::write_file(file_, std::string(bytes, 'x'));
  host_.start();
  EXPECT_EQ(host_.state("probe"), "failed:data.corrupt");
}

TEST_F(KnownAtAStart, AppliesAnotherDeclaration) {
  host_.restart();
  host_.put_probe("probe", "probe_upgraded", "2.0.0");
  host_.start();
  EXPECT_EQ(host_.state("probe"), "active");
  EXPECT_TRUE(is_open());
}

}  // namespace
}  // namespace tenon::plugins
