#include <string>

#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/sqlite/faulty_disk.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

/// A file that says which declaration was applied to it, so that a start after a kill compares
/// nothing. A recorded version that is newer, with other tables, shows whether it did: the
/// comparison refuses that.
class Applied : public testing::Test {
 protected:
  Applied() : options_(host_file(folder_.file("plugin.db"))) {
    declaration_.digest = "of-1.0.0";
    Database database(options_);
    apply(database, declaration_);
  }

  static void look_newer(Database& database) {
    database.exec("UPDATE tenon_meta SET value = '9.0.0' WHERE name = 'version'");
    database.exec("UPDATE tenon_meta SET value = '{\"tables\":[]}' WHERE name = 'tables'");
  }
  std::string applied() {
    Database database(options_);
    auto rows = database.query("SELECT value FROM tenon_meta WHERE name = 'applied'");
    return rows.next() ? std::string(rows.text(0)) : "no row";
  }
  template <typename Work>
  std::string code_after(Work work) {
    Database database(options_);
    work(database);
    look_newer(database);
    return code_of([&] { apply(database, declaration_); });
  }

  FaultyDisk disk_;
  Folder folder_;
  DatabaseOptions options_;
  Declaration declaration_ = declare("1.0.0", table(R"({"name":"a","type":"text"})"));
};

TEST_F(Applied, TheSameDeclarationIsNotComparedAgain) {
  EXPECT_EQ(code_after([](Database&) {}), "none");
}

TEST_F(Applied, AnotherDeclarationIsCompared) {
  declaration_.digest = "of-another";
  EXPECT_EQ(code_after([](Database&) {}), "data.newer");
}

TEST_F(Applied, OneWithoutADigestIsCompared) {
  declaration_.digest.clear();
  EXPECT_EQ(code_after([](Database&) {}), "data.newer");
}

TEST_F(Applied, AFileWithAnotherSchemaIsCompared) {
  EXPECT_EQ(code_after([](Database& database) {
              database.exec("CREATE TABLE more (id INTEGER PRIMARY KEY)");
            }),
            "data.newer");
}

TEST_F(Applied, ADeclarationThatNeedsNothingIsRecordedToo) {
  declaration_.digest = "of-another-program";
  {
    Database database(options_);
    apply(database, declaration_);
  }
  EXPECT_EQ(code_after([](Database&) {}), "none");
}

TEST_F(Applied, StartsWithAFullDisk) {
  declaration_.digest = "of-another-program";
  Database database(options_);
  disk_.is_full = true;
  EXPECT_EQ(code_of([&] { apply(database, declaration_); }), "none");
  disk_.is_full = false;
}

TEST_F(Applied, RecordsNothingDuringAPhasedUpgrade) {
  Declaration next = declare_in_phases();
  next.digest = "of-2.0.0";
  const auto applied_after = [&](const auto& work) {
    {
      Database database(options_);
      work(database);
    }
    return applied();
  };
  EXPECT_TRUE(applied().starts_with("of-1.0.0 ")) << applied();
  EXPECT_EQ(applied_after([&](Database& database) { expand(database, next); }), "");
  EXPECT_EQ(applied_after([&](Database& database) { apply(database, declaration_); }), "");
  EXPECT_EQ(applied_after([&](Database& database) { apply(database, next); }), "");
  const auto whole = applied_after([&](Database& database) { contract(database, next); });
  EXPECT_TRUE(whole.starts_with("of-2.0.0 ")) << whole;
}

}  // namespace
}  // namespace tenon::data::test
