#include "sqlite/connection/inspection.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "engines/tests/support.hpp"

namespace tenon::data::test {

namespace {

std::set<std::string> names_in(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("")))
    names.insert(entry.path().filename().string());
  return names;
}

void overwrite(const std::string& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file << std::string(64, '\x7f');
}

}  // namespace

class InspectionTest : public ItemsTest {
 protected:
  void fill() {
    for (int i = 0; i < 200; ++i)
      database().exec("INSERT INTO items (text) VALUES (?1)", {std::string(2000, 'x')});
  }
};

TEST_F(InspectionTest, FindsNothingWhileASoundFileIsWritten) {
  fill();
  {
    sqlite::Inspection live(database().path(), true);
    EXPECT_EQ(live.failure(), "");
    EXPECT_TRUE(live.check(false).empty());
    EXPECT_EQ(live.number("SELECT count(*) FROM items"), 200);
    database().exec("INSERT INTO items (id) VALUES (5000)");
    EXPECT_EQ(live.number("SELECT max(id) FROM items"), 5000);
  }
  const std::string path = database().path();
  database_.reset();
  const auto before = names_in(folder_);
  sqlite::Inspection still(path, false);
  EXPECT_TRUE(still.check(true).empty());
  EXPECT_EQ(still.number("SELECT count(*) FROM items"), 201);
  EXPECT_EQ(names_in(folder_), before) << "no other file is made";
}

TEST_F(InspectionTest, DamageIsFound) {
  fill();
  const std::string path = database().path();
  database_.reset();
  for (std::streamoff page = 8; page < 40; ++page)
    overwrite(path, page * 4096);
  sqlite::Inspection inspection(path, false);
  EXPECT_FALSE(inspection.check(false).empty());
  EXPECT_LE(inspection.check(true, 3).size(), 4U) << "at most so many, and why it ended";
}

TEST_F(InspectionTest, ReportsMissingAndForeignFiles) {
  sqlite::Inspection missing(folder_.file("missing.db"), false);
  EXPECT_NE(missing.failure(), "");
  EXPECT_EQ(missing.check(false).size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder_.file("missing.db")));
  std::ofstream(folder_.file("text.db")) << std::string(8192, 'a');
  sqlite::Inspection text(folder_.file("text.db"), false);
  EXPECT_NE(text.failure().find("not a database"), std::string::npos);
  EXPECT_FALSE(text.number("SELECT 1"));
}

TEST_F(InspectionTest, NothingCanBeChanged) {
  fill();
  sqlite::Inspection inspection(database().path(), true);
  EXPECT_FALSE(inspection.number("DELETE FROM items RETURNING id"));
  EXPECT_EQ(items(), 200);
}

TEST_F(InspectionTest, OddNamesOfFilesAreNamesOfFiles) {
  const std::string path = folder_.file("a ?mode=rwc#%41.db");
  { Database odd(host_file(path)); }
  EXPECT_TRUE(sqlite::Inspection(path, false).check(false).empty());
  EXPECT_NE(sqlite::Inspection(folder_.file("other?mode=rwc"), false).failure(), "");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("other")));
}

}  // namespace tenon::data::test
