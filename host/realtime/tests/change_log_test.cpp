#include "realtime/change_log.hpp"

#include <string>

#include <gtest/gtest.h>

#include "data/migrate/migrate.hpp"
#include "engines/tests/each_engine.hpp"

namespace tenon::realtime::test {
namespace {

class ChangeLogTest : public data::test::EachEngine {
 protected:
  ChangeLogTest() {
    data::apply(
        database_,
        {"planner",
         "1.0.0",
         data::schema::parse_tables(
             R"({"tables":[{"name":"cards","publish":true,"fields":[{"name":"title","type":"text","unique":true}]}]})"),
         {}});
  }
  void insert(char last, const std::string& then = "") {
    database_.exec("INSERT INTO cards (id, title) VALUES ('" + id_of(last) + "', 'a') " + then);
  }
  static std::string id_of(char last) {
    return std::string("01900000-0000-7000-8000-00000000000") + last;
  }
  // "1+ 1-": made and deleted; a star where it was changed.
  std::string corrected() {
    data::Transaction transaction = database_.begin(data::Mode::read);
    const LogEnds ends = read_ends(transaction, database_.dialect());
    Changes changes = read_changes(transaction, 0, ends.newest, 100);
    correct_deletes(transaction, database_.dialect(), changes);
    std::string all;
    for (const Change& change : changes.list) {
      all.append(all.empty() ? "" : " ").append(1, change.record.back());
      all += change.is_create ? '+' : change.is_delete ? '-' : '*';
    }
    return all;
  }

  data::test::Folder folder_;
  data::Database database_{data::test::fresh_plugin_database(folder_.file("planner.db"))};
};
TENON_ON_BOTH_ENGINES(ChangeLogTest);

TEST_P(ChangeLogTest, ReportsNoDeleteForAnIgnoredInsert) {
  insert('1');
  insert('2', "ON CONFLICT DO NOTHING");
  insert('2', "ON CONFLICT (title) DO UPDATE SET title = 'b'");
  const std::string text = corrected();
  EXPECT_EQ(text.find('-'), std::string::npos) << text;
  EXPECT_TRUE(text.starts_with("1+ 1*")) << text;
  EXPECT_EQ(text.find('2'), std::string::npos) << text;
  database_.exec("DELETE FROM cards");
  EXPECT_TRUE(corrected().ends_with("* 1-")) << corrected();
}

TEST_P(ChangeLogTest, ReportsDeleteOfARecreatedRecord) {
  insert('1');
  database_.exec("DELETE FROM cards");
  insert('1');
  EXPECT_EQ(corrected(), "1+ 1- 1+");
  if (database_.dialect() != data::Dialect::sqlite) return;
  database_.exec("INSERT OR REPLACE INTO cards (id, title) VALUES ('" + id_of('2') + "', 'a')");
  EXPECT_EQ(corrected(), "1+ 1- 1+ 1- 2+");
}

}  // namespace
}  // namespace tenon::realtime::test
