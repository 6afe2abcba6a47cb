// Tests the change log on PostgreSQL alone: functions with the owner's rights write it, with
// numbers that are not a sequence's. change_log_test.cpp tests its content on both engines.
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/schema/change_log_case.hpp"

namespace tenon::data::test {
namespace {

class PostgresqlChangeLogTest : public ChangeLogCase {};
TENON_ON_POSTGRESQL(PostgresqlChangeLogTest);

TEST_P(PostgresqlChangeLogTest, IsWrittenForEveryRole) {
  add("cards", 1);
  run_outside("UPDATE cards SET title = 'by an administrator'");
  // Names within are those of the schema, whatever the path of who writes is.
  run_outside("SET search_path = ''; DELETE FROM \"" + options_.postgresql->schema + "\".cards");
  EXPECT_EQ(changes(), "cards 1 create; cards 1 update; cards 1 delete");
}

TEST_P(PostgresqlChangeLogTest, HostsThatWriteAtOnceLeaveNoGap) {
  constexpr int each = 30;
  Database other(options_);
  const auto write = [](Database& host, int from) {
    for (int i = 0; i < each; ++i) {
      const std::string code = code_of([&] {
        host.write([&](Transaction& transaction) {
          transaction.exec("INSERT INTO boards (id) VALUES (?1)", {id_of(from + i)});
          if (i % 3 == 0) throw base::Error(409, "test.undone", "");
        });
      });
      EXPECT_EQ(code, i % 3 == 0 ? "test.undone" : "none");
    }
  };
  std::thread neighbour([&] { write(other, 500); });
  write(database(), 100);
  neighbour.join();
  EXPECT_EQ(logged(), 2 * each * 2 / 3);
  EXPECT_EQ(count("SELECT max(seq) - min(seq) + 1 FROM tenon_changes"), logged());
}

TEST_P(PostgresqlChangeLogTest, AnUpsertIsWhatItDid) {
  add("cards", 1, "title", "'a'");
  changes();
  run("INSERT INTO cards (id, title) VALUES ('" + id_of(2) +
      "', 'a') ON CONFLICT (title) DO UPDATE SET price = 1");
  EXPECT_EQ(changes(), "cards 1 update");
  run("INSERT INTO cards (id, title) VALUES ('" + id_of(2) + "', 'a') ON CONFLICT DO NOTHING");
  EXPECT_EQ(changes(), "");
}

TEST_P(PostgresqlChangeLogTest, NothingIsLeftWhereNothingIsPublished) {
  const auto is_none = [&] {
    return code_of([&] {
             try {
               run_outside(
                   "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_proc WHERE starts_with(proname, "
                   "'tenon__live_') AND pronamespace = current_schema()::regnamespace) THEN RAISE "
                   "'some'; END IF; END $$");
             } catch (const std::runtime_error&) {
               throw base::Error(409, "test.some", "");
             }
           }) == "none";
  };
  EXPECT_FALSE(is_none());
  migrate_to("1.1.0", closed_tables());
  EXPECT_TRUE(is_none());
}

}  // namespace
}  // namespace tenon::data::test
