// The change log of published tables, on both engines: its content, order and retention, and who
// may write it.
#include "schema/change_log.hpp"

#include <atomic>
#include <string>

#include "engines/tests/schema/change_log_case.hpp"
#include "sqlite/schema/change_log_triggers.hpp"

namespace tenon::data::test {
namespace {

class ChangeLogTest : public ChangeLogCase {};
TENON_ON_BOTH_ENGINES(ChangeLogTest);

TEST_P(ChangeLogTest, LogsEachChangeWithTheFormerValues) {
  add("cards", 1, "title, price, done, more, tags",
      R"('Ada''s "card"', 0.1, true, '{"a":1}', '["red"]')");
  EXPECT_EQ(changes(), "cards 1 create");
  EXPECT_EQ(count("SELECT count(*) FROM tenon_changes WHERE before IS NULL"), 1);
  run("UPDATE cards SET title = 'b', version = 2");
  EXPECT_EQ(changes(), "cards 1 update");
  auto row = before();
  EXPECT_EQ(std::stod(row["price"]), 0.1) << "every significant digit";
  row.erase("price");
  EXPECT_EQ(row, (std::map<std::string, std::string>{{"title", "Ada's \"card\""},
                                                     {"done", "1"},
                                                     {"more", "1"},
                                                     {"tags", R"(["red"])"},
                                                     {"board", "null"},
                                                     {"labels", "[]"},
                                                     {"version", "1"}}));
  run("DELETE FROM cards");
  EXPECT_EQ(changes(), "cards 1 delete");
  EXPECT_EQ(before()["title"], "b");
}

TEST_P(ChangeLogTest, LogsChangedLinksAsChangesOfTheRecord) {
  add("labels", 1);
  add("labels", 2);
  add("cards", 1);
  changes();
  const std::string insert =
      "INSERT INTO cards__labels (record, target, position) VALUES ('" + id_of(1) + "', '";
  run(insert + id_of(1) + "', 0)");
  run(insert + id_of(2) + "', 1)");
  EXPECT_EQ(changes(), "cards 1 links; cards 1 links");
  EXPECT_EQ(before()["labels"], "[\"" + id_of(1) + "\"]");
  run("UPDATE cards__labels SET position = 1 - position");
  EXPECT_EQ(changes(), "cards 1 links; cards 1 links");
  // By the reference's own action.
  run("DELETE FROM labels WHERE id = '" + id_of(1) + "'");
  EXPECT_EQ(changes(), "labels 1 delete; cards 1 links");
  run("DELETE FROM cards");
  EXPECT_EQ(changes(), "cards 1 delete");
  EXPECT_EQ(before()["labels"], "[\"" + id_of(2) + "\"]");
}

TEST_P(ChangeLogTest, WhatAReferenceDoesIsLoggedToo) {
  add("boards", 1);
  add("cards", 1, "board", "'" + id_of(1) + "'");
  changes();
  run("DELETE FROM boards");
  EXPECT_EQ(changes(), "boards 1 delete; cards 1 update");
  EXPECT_EQ(before()["board"], id_of(1));
  add("drafts", 1);
  EXPECT_EQ(changes(), "") << "it is neither published nor referred to";
}

TEST_P(ChangeLogTest, ACascadeIsADeleteOfEachRecord) {
  std::string tables = published_tables;
  tables.replace(tables.find("\"clear\""), 7, "\"cascade\"");
  migrate_to("1.1.0", tables);
  add("boards", 1);
  for (int card = 2; card < 5; ++card)
    add("cards", card, "board", "'" + id_of(1) + "'");
  changes();
  run("DELETE FROM boards");
  EXPECT_EQ(changes(), "boards 1 delete; cards 2 delete; cards 3 delete; cards 4 delete");
  EXPECT_EQ(before()["board"], id_of(1));
}

TEST_P(ChangeLogTest, ANewIdIsAnotherRecord) {
  add("cards", 3);
  changes();
  run("UPDATE cards SET id = '" + id_of(4) + "'");
  EXPECT_EQ(changes(), "cards 4 create; cards 3 update");
}

TEST_P(ChangeLogTest, LogsAnUpsertOfARecordAsUpdate) {
  const auto upsert = [&](int number) {
    run("INSERT INTO cards (id, title) VALUES ('" + id_of(number) +
        "', 'a') ON CONFLICT (title) DO UPDATE SET price = coalesce(cards.price, 0) + 1");
  };
  upsert(1);
  EXPECT_EQ(changes(), "cards 1 create");
  upsert(2);
  EXPECT_TRUE(changes().ends_with("cards 1 update"));
  EXPECT_EQ(count("SELECT count(*) FROM tenon_changes WHERE record <> '" + id_of(1) + "'"), 0);
}

TEST_P(ChangeLogTest, KeepsTheOrderOfATransaction) {
  database().write([](Transaction& transaction) {
    for (const char* sql :
         {"INSERT INTO cards (id, title) VALUES (?1, 'a')", "UPDATE cards SET title = 'b'",
          "DELETE FROM cards", "INSERT INTO cards (id, title) VALUES (?1, 'c')"}) {
      if (std::string_view(sql).find("?1") == std::string_view::npos) {
        transaction.exec(sql);
      } else {
        transaction.exec(sql, {id_of(1)});
      }
    }
    auto rows = transaction.query("SELECT count(*) FROM tenon_changes");
    EXPECT_TRUE(rows.next());
    EXPECT_EQ(rows.integer(0), 4) << "it reads its own";
  });
  EXPECT_EQ(changes(), "cards 1 create; cards 1 update; cards 1 delete; cards 1 create");
  EXPECT_EQ(count("SELECT max(seq) - min(seq) FROM tenon_changes"), 3);
}

TEST_P(ChangeLogTest, WhatIsUndoneLeavesNothing) {
  {
    Transaction transaction = database().begin(Mode::write);
    transaction.exec("INSERT INTO cards (id) VALUES ('" + id_of(1) + "')");
    transaction.rollback();
  }
  EXPECT_EQ(changes(), "");
  add("cards", 1);
  EXPECT_EQ(count("SELECT max(seq) FROM tenon_changes"), 1) << "no gap, which is a loss to readers";
}

// One by one, of a member of a group and of a statement within a transaction.
TEST_P(ChangeLogTest, WhatIsUndoneAloneLeavesNoGap) {
  database().write([&](Transaction& transaction) {
    transaction.exec("INSERT INTO cards (id, title) VALUES (?1, 'a')", {id_of(1)});
    EXPECT_EQ(code_of([&] {
                transaction.exec("INSERT INTO cards (id, title) VALUES (?1, 'b'), (?2, 'a')",
                                 {id_of(2), id_of(3)});
              }),
              "data.unique");
    transaction.exec("UPDATE cards SET title = 'c'");
  });
  EXPECT_EQ(changes(), "cards 1 create; cards 1 update");
  EXPECT_EQ(count("SELECT max(seq) FROM tenon_changes"), 2);
}

TEST_P(ChangeLogTest, DeniesOtherWritesToTheLog) {
  for (const char* sql :
       {"INSERT INTO tenon_changes (tbl, record, kind) VALUES ('cards', 'x', 'create')",
        "DELETE FROM tenon_changes", "UPDATE tenon_changes SET kind = 'x'",
        "WITH tenon__live_x AS (SELECT 1) DELETE FROM tenon_changes", "DROP TABLE tenon_changes",
        "DROP TRIGGER tenon__live_cards_insert"}) {
    EXPECT_EQ(code_of([&] { run(sql); }), "data.denied") << sql;
  }
  const std::string trigger =
      is_sqlite() ? "CREATE TRIGGER x AFTER INSERT ON drafts BEGIN DELETE FROM tenon_changes; END"
                  : "CREATE FUNCTION x() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM "
                    "tenon_changes; RETURN NULL; END $$; CREATE TRIGGER x AFTER INSERT ON drafts "
                    "FOR EACH ROW EXECUTE FUNCTION x();";
  const std::string drop = is_sqlite() ? "DROP TRIGGER tenon__live_cards_insert"
                                       : "DROP TRIGGER \"!tenon__live_after\" ON cards; DROP "
                                         "FUNCTION tenon__live_cards();";
  for (const std::string& sql :
       {std::string("CREATE VIEW tenon__live_x AS SELECT 1"), drop,
        std::string("DELETE FROM tenon_changes"), std::string("DROP TABLE tenon_changes")}) {
    EXPECT_EQ(code_of([&] {
                apply(database(), declare("1.1.0", published_tables, {migration(1, sql)}));
              }),
              "data.migration_failed")
        << sql;
  }
  // A trigger of the plugin is refused where it is made, or where it runs.
  const std::string made = code_of([&] {
    apply(database(), declare("1.1.0", published_tables, {migration(1, trigger)}));
    add("drafts", 1);
  });
  EXPECT_EQ(made, is_sqlite() ? "data.denied" : "data.migration_failed");
  add("cards", 1);
  EXPECT_EQ(changes(), "cards 1 create");
}

TEST_P(ChangeLogTest, LimitsCountAndAge) {
  std::int64_t first = 100'000'000'000;
  const auto fill = [&](std::int64_t count) {
    database().exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) INSERT INTO "
        "boards (id) SELECT '01900000-0000-7000-8000-' || (i + ?2) FROM n",
        {count, first});
    first += count;
  };
  for (int part = 0; part < 4; ++part)
    fill(schema::retained_changes / 4);
  fill(2 * schema::trimmed_every);
  EXPECT_LE(logged(), schema::retained_changes + schema::trimmed_every);
  EXPECT_GE(logged(), schema::retained_changes);
  EXPECT_EQ(count("SELECT max(seq) FROM tenon_changes"),
            schema::retained_changes + 2 * schema::trimmed_every);
  run_outside("UPDATE tenon_changes SET at = at - " +
              std::to_string(schema::retained_seconds + 60));
  fill(2 * schema::trimmed_every);
  EXPECT_LE(logged(), 2 * schema::trimmed_every);
  EXPECT_EQ(count("SELECT max(seq) - min(seq) + 1 FROM tenon_changes"), logged());
}

TEST_P(ChangeLogTest, LongTextsAreLeftOut) {
  add("cards", 1, "title", "'" + std::string(schema::retained_characters, 'x') + "'");
  run("UPDATE cards SET title = title || 'x'");
  EXPECT_EQ(before()["title"].size(), schema::retained_characters);
  run("UPDATE cards SET title = 'short'");
  EXPECT_EQ(before()["title"], "0");
}

TEST_P(ChangeLogTest, AWideTableIsLoggedWhole) {
  std::string fields;
  for (std::size_t i = 0; i < schema::max_fields; ++i) {
    std::string name = "f" + std::to_string(i) + "_";
    name.resize(schema::max_name_length, 'x');
    fields += std::string(i == 0 ? "" : ",") + R"({"name":")" + name + R"(","type":"text"})";
  }
  std::string wider = published_tables;
  wider.insert(wider.find('[') + 1,
               R"({"name":"wide","publish":true,"timestamps":true,"authorship":true,"fields":[)" +
                   fields + "]},");
  migrate_to("1.1.0", wider);
  add("wide", 1);
  run("UPDATE wide SET created_by = 'ada'");
  EXPECT_EQ(changes(), "wide 1 create; wide 1 update");
  EXPECT_EQ(before().size(), schema::max_fields + 4);
}

TEST_P(ChangeLogTest, ANewVersionBeginsANewLog) {
  add("cards", 1);
  const std::string log = change_log_id();
  reopen();
  migrate_to("1.0.0", published_tables);
  EXPECT_EQ(change_log_id(), log);
  EXPECT_EQ(logged(), 1);
  std::string renamed = published_tables;
  renamed.replace(renamed.find("\"name\":\"price\""), 14,
                  "\"name\":\"cost\",\"formerly\":[\"price\"]");
  migrate_to("1.1.0", renamed);
  EXPECT_NE(change_log_id(), log);
  EXPECT_EQ(logged(), 0);
  run("UPDATE cards SET cost = 2");
  EXPECT_EQ(logged(), 1);
  EXPECT_EQ(before().count("cost"), 1U);
  migrate_to("1.2.0", renamed.erase(renamed.find("\"publish\":true,"), 15));
  EXPECT_EQ(code_of([&] { logged(); }), "data.sql") << "there is none";
  add("cards", 2);
}

// The log does not see the row changes of a migration, so it restarts empty.
TEST_P(ChangeLogTest, AMigrationBeginsANewLog) {
  add("cards", 1, "title", "'a'");
  const std::string log = change_log_id();
  apply(database(),
        declare("1.1.0", published_tables, {migration(1, "UPDATE cards SET title = 'b';")}));
  EXPECT_NE(change_log_id(), log);
  EXPECT_EQ(logged(), 0);
  run("UPDATE cards SET title = 'c'");
  EXPECT_EQ(before()["title"], "b");
}

TEST_P(ChangeLogTest, DataOfAnEarlierHostGetsItsLog) {
  std::string drop;
  if (is_sqlite()) {
    for (const std::string& sql :
         schema::change_log_triggers(schema::parse_tables(published_tables))) {
      const auto begin = sql.find('"');
      drop += "DROP TRIGGER " + sql.substr(begin, sql.find('"', begin + 1) - begin + 1) + ";";
    }
  } else {
    for (const char* of : {"cards", "cards__labels", "boards", "labels", "_trim"})
      drop += std::string("DROP FUNCTION tenon__live_") + of + "() CASCADE;";
  }
  run_outside(drop +
              "DROP TABLE tenon_changes; DELETE FROM tenon_meta WHERE name IN ('log', 'outbox')");
  migrate_to("1.0.0", published_tables);
  add("cards", 1);
  EXPECT_EQ(changes(), "cards 1 create");
}

TEST_P(ChangeLogTest, NotifiesOfACommit) {
  std::atomic<int> reported{0};
  database().on_commit([&] { ++reported; });
  add("cards", 1);
  add("cards", 2);
  EXPECT_EQ(reported, 2);
  database().on_commit({});
  run("DELETE FROM cards");
  EXPECT_EQ(reported, 2);
}

TEST_P(ChangeLogTest, NotifiesEachListenerOfACommit) {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  database().on_commit([&] { ++first; }, &first);
  database().on_commit([&] { ++second; }, &second);
  add("cards", 1);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  database().on_commit({}, &first);
  add("cards", 2);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  database().on_commit({}, &second);
}

}  // namespace
}  // namespace tenon::data::test
