#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;
using test::refused;

// Records the calls that a replacement gets, in order, and whether requests are served meanwhile.
class PhasedReplacement : public testing::Test {
 protected:
  void SetUp() override {
    host_.put_probe();
    host_.start();
    EXPECT_EQ(add_row(), 201);
  }
  int add_row() { return host_.post("/api/probe/rows", std::to_string(++rows_)).status; }

  // A version with one more field, and this migration.
  std::string more(const std::string& migration) {
    const std::string from = host_.folder() + "/plugins0/probe";
    std::string manifest = test::read_file(from + "/plugin.json");
    manifest.replace(manifest.find("1.0.0"), 5, "2.0.0");
    const std::string folder =
        test::put_plugin(folder_.path(), "probe", manifest, "probe_upgraded");
    test::write_file(folder + "/tables.json", R"({"tables":[{"name":"rows","fields":[)"
                                              R"({"name":"body","type":"text"},)"
                                              R"({"name":"more","type":"text"}]}]})");
    if (!migration.empty()) test::write_file(folder + "/migrations/0001_more.sql", migration);
    return folder;
  }

  // Its code; empty where it is done.
  std::string replace(const std::string& folder) {
    Replacement change;
    change.folder = folder;
    change.take_snapshot = [this](data::Database* database, data::OnlineSnapshot*) {
      calls_ += database != nullptr ? "keep " : "keep-nothing ";
      is_held_ = host_.router().current().find("/api/probe")->hold != nullptr;
      if (writes_meanwhile_) {
        EXPECT_EQ(add_row(), 201);
      }
    };
    change.commit_to_restore = [this] { calls_ += "arm "; };
    change.commit = [this] {
      calls_ += "commit ";
      if (fails_) throw base::Error(500, "test.fails", "It fails after its start.");
    };
    change.restore = [this](bool) { calls_ += "restore "; };
    return refused([&] { host_.lifecycle().replace("probe", change); });
  }

  PluginHost host_;
  test::TemporaryFolder folder_;
  int rows_ = 0;
  bool writes_meanwhile_ = false;
  bool fails_ = false;
  std::string calls_;
  bool is_held_ = false;
};

const std::string expanding = "-- tenon: phase expand\nUPDATE rows SET more = body;\n";

TEST_F(PhasedReplacement, LetsTheOldVersionWriteDuringExpand) {
  writes_meanwhile_ = true;
  EXPECT_EQ(replace(more(expanding)), "");
  EXPECT_FALSE(is_held_);
  EXPECT_EQ(calls_, "keep commit ") << "what was kept is not all that was acknowledged";
  EXPECT_EQ(host_.status("probe").generation, 2U);
  EXPECT_EQ(host_.get("/api/probe/rows").body, "2 number");
}

TEST_F(PhasedReplacement, RestoresDataIfNothingWasWritten) {
  EXPECT_EQ(replace(more(expanding)), "");
  EXPECT_FALSE(is_held_);
  EXPECT_EQ(calls_, "keep arm commit ");
}

TEST_F(PhasedReplacement, HoldsRequestsForAMigrationWithoutPhase) {
  EXPECT_EQ(replace(more("UPDATE rows SET more = body;\n")), "");
  EXPECT_TRUE(is_held_);
  EXPECT_EQ(calls_, "keep arm commit ");
}

TEST_F(PhasedReplacement, HoldsRequestsWithoutADeclaredPhase) {
  EXPECT_EQ(replace(more("")), "");
  EXPECT_TRUE(is_held_);
  EXPECT_EQ(calls_, "keep arm commit ");
}

TEST_F(PhasedReplacement, KeepsWritesIfItFails) {
  writes_meanwhile_ = true;
  fails_ = true;
  EXPECT_EQ(replace(more(expanding)), "test.fails");
  EXPECT_EQ(calls_, "keep commit ");
  EXPECT_EQ(host_.state("probe"), "active");
  EXPECT_EQ(host_.get("/api/probe/rows").body, "2 number");
  // The version before, on data that have been through a migration that it does not know.
  host_.restart();
  host_.start();
  EXPECT_EQ(host_.state("probe"), "active");
  EXPECT_EQ(add_row(), 201);
  EXPECT_EQ(host_.get("/api/probe/rows").body, "3 number");
}

TEST_F(PhasedReplacement, KeepsTheOldVersionIfAMigrationFails) {
  EXPECT_EQ(replace(more("-- tenon: phase expand\nINSERT INTO nothing VALUES (1);\n")),
            "data.migration_failed");
  EXPECT_FALSE(is_held_);
  EXPECT_EQ(calls_, "keep ");
  EXPECT_EQ(host_.status("probe").generation, 1U) << "it was not even suspended";
  EXPECT_EQ(add_row(), 201);
}

TEST_F(PhasedReplacement, RetriesAFailedContractWhenEnabled) {
  const std::string pending = "active:" + std::string(contract_pending);
  EXPECT_EQ(
      replace(more("-- tenon: phase contract\nCREATE TABLE enough (n INTEGER CHECK (n > 1));\n"
                   "INSERT INTO enough SELECT count(*) FROM rows;\nDROP TABLE enough;\n")),
      "");
  EXPECT_FALSE(is_held_);
  EXPECT_EQ(calls_, "keep arm commit ");
  EXPECT_EQ(host_.state("probe"), pending);
  EXPECT_NE(host_.status("probe").reason->message.find("(0001_more.sql) failed: "),
            std::string::npos)
      << host_.status("probe").reason->message;
  host_.lifecycle().enable("probe");
  EXPECT_EQ(host_.state("probe"), pending);
  EXPECT_EQ(add_row(), 201) << "it runs meanwhile";
  host_.lifecycle().enable("probe");
  EXPECT_EQ(host_.state("probe"), "active");
  EXPECT_EQ(host_.status("probe").generation, 2U) << "it was not restarted for that";
}

}  // namespace
}  // namespace tenon::plugins
