#include "lifecycle/probation/crash_journal.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins {
namespace {

using std::chrono::milliseconds;

class Record : public ::testing::Test {
 protected:
  Record() { std::filesystem::create_directories(data + "/run"); }
  ~Record() override { std::filesystem::remove_all(data); }

  std::vector<ProbationEntry> left() const {
    const auto record = read_crash_journal(data);
    return record ? record->entries : std::vector<ProbationEntry>{};
  }
  void leave(const std::string& text) const { std::ofstream(data + "/run/loading") << text; }

  const std::string data =
      (std::filesystem::temp_directory_path() / ("tenon-record-" + std::to_string(::getpid())))
          .string();
};

TEST_F(Record, RecordsStagesAndTheProcess) {
  CrashJournal record(data);
  EXPECT_FALSE(read_crash_journal(data));
  record.begin();
  ASSERT_TRUE(read_crash_journal(data));
  EXPECT_EQ(read_crash_journal(data)->process, ::getpid());
  EXPECT_TRUE(left().empty());
  record.note({"notes", StartStage::loading, false, {}}, false);
  record.note({"tasks", StartStage::loading, true, {}}, true);
  record.note({"notes", StartStage::starting, false, {}}, false);
  EXPECT_EQ(left(), (std::vector<ProbationEntry>{{"tasks", StartStage::loading, true, {}},
                                                 {"notes", StartStage::starting, false, {}}}));
  record.note({"tasks", StartStage::loading, true, "1.2.0"}, true);
  EXPECT_EQ(left().back(), (ProbationEntry{"tasks", StartStage::loading, true, "1.2.0"}));
  record.forget("tasks");
  EXPECT_EQ(left(), (std::vector<ProbationEntry>{{"notes", StartStage::starting, false, {}}}));
  record.end();
  EXPECT_FALSE(std::filesystem::exists(data + "/run/loading"));
}

TEST_F(Record, StaysAfterAnUncleanEnd) {
  {
    CrashJournal record(data);
    record.begin();
    record.note({"notes", StartStage::on_probation, false, {}}, true);
  }
  EXPECT_EQ(left(), (std::vector<ProbationEntry>{{"notes", StartStage::on_probation, false, {}}}));
  CrashJournal next(data);
  next.begin();
  EXPECT_TRUE(left().empty());
}

TEST_F(Record, ForgetsPluginsAfterTheirProbation) {
  CrashJournal record(data, milliseconds(20));
  record.begin();
  record.note({"notes", StartStage::on_probation, false, {}}, false);
  record.note({"tasks", StartStage::loading, false, {}}, false);
  const auto has_notes = [&] {
    return left() != std::vector<ProbationEntry>{{"tasks", StartStage::loading, false, {}}};
  };
  for (int i = 0; i < 1'000 && has_notes(); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_FALSE(has_notes());
}

TEST_F(Record, LimitsTheNumberOfNames) {
  CrashJournal record(data);
  record.begin();
  const std::string tail(26, 'x');
  for (std::size_t i = 0; i <= CrashJournal::max_entries; ++i)
    record.note({"p" + std::to_string(100 + i) + "-" + tail, StartStage::starting, true, {}},
                false);
  ASSERT_EQ(left().size(), CrashJournal::max_entries);
  EXPECT_EQ(left().front().plugin, "p101-" + tail);
}

TEST_F(Record, ReadsNothingFromAnUnreadableFile) {
  for (const char* text : {"", "\n", "something", "tenon-loading x\n",
                           "tenon-loading 12\nloading\n", "tenon-loading 12\ndancing notes\n"}) {
    leave(text);
    EXPECT_FALSE(read_crash_journal(data)) << text;
  }
  leave("tenon-loading 12\nyoung notes suspect\n\nwhat an older write left\n");
  EXPECT_EQ(left(), (std::vector<ProbationEntry>{{"notes", StartStage::on_probation, true, {}}}));
  leave("tenon-loading 12\nyoung notes tries\n");
  EXPECT_FALSE(read_crash_journal(data));
}

TEST_F(Record, WorksWithoutAWritableFolder) {
  std::filesystem::create_directories(data + "/run/loading");
  CrashJournal record(data);
  record.begin();
  record.note({"notes", StartStage::on_probation, false, {}}, true);
  record.forget("notes");
  record.end();
  EXPECT_TRUE(std::filesystem::is_directory(data + "/run/loading"));
}

}  // namespace
}  // namespace tenon::plugins
