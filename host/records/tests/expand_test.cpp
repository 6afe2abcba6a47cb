#include "records/query/expand.hpp"

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "records/model/limits.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class ExpandRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards", "boards", "labels", "vaults"})
      run("DELETE FROM " + std::string(table));
    run("INSERT INTO boards (id, name, pin, plan) VALUES ('" + id_of(90) +
        "', 'North', '4711', 'x')");
    run("INSERT INTO labels (id, name) VALUES ('" + id_of(81) + "', 'bug'), ('" + id_of(82) +
        "', 'late')");
    run("INSERT INTO vaults (id, word) VALUES ('" + id_of(70) + "', 'x')");
    add(1, "ada", true, "");
    add(2, "bob", false, "");
    add(3, "bob", true, id_of(1));
    add(4, "bob", true, id_of(2));
    label(1, {82, 81});
    label(3, {81});
  }
  static void add(int number, const std::string& owner, bool is_public, const std::string& parent) {
    run("INSERT INTO cards (id, title, public, owner, board, vault, secret, note, parent) VALUES "
        "('" +
        id_of(number) + "', 'Card " + std::to_string(number) + "', " + (is_public ? "1" : "0") +
        ", '" + user_id(owner) + "', '" + id_of(90) + "', '" + id_of(70) + "', 'hush', 'mine', " +
        (parent.empty() ? "NULL" : "'" + parent + "'") + ")");
  }
  static void label(int card, const std::vector<int>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      run("INSERT INTO cards__labels (record, target, position) VALUES ('" + id_of(card) + "', '" +
          id_of(labels[i]) + "', " + std::to_string(i) + ")");
  }
  static Reply one(int number, const std::string& query, const std::string& user = "ada") {
    return get("/cards/" + id_of(number) + "?" + query, user);
  }
  static std::string expanded(int number, const std::string& query,
                              const std::string& user = "ada") {
    const Reply reply = one(number, query, user);
    return reply.status == 200 ? member(reply, "expand") : problem(reply);
  }
  static std::string board(const std::string& plan) {
    return R"({"id":")" + id_of(90) + R"(","name":"North","plan":)" + plan + "}";
  }
  static std::string label_text(int number, const std::string& name) {
    return R"({"id":")" + id_of(number) + R"(","name":")" + name + "\"}";
  }
};

TENON_ON_BOTH_ENGINES(ExpandRecords);

TEST_P(ExpandRecords, ShowsWhatReferencesLeadTo) {
  EXPECT_EQ(expanded(1, "expand=board,labels,parent"),
            R"({"board":)" + board("null") + R"(,"labels":[)" + label_text(82, "late") + "," +
                label_text(81, "bug") + R"(],"parent":null})");
  EXPECT_EQ(expanded(1, "expand=board", "root"), R"({"board":)" + board("\"x\"") + "}")
      << "its field's rule";
  EXPECT_EQ(expanded(2, "expand=labels", "bob"), R"({"labels":[]})");
  const Reply whole = one(1, "expand=board");
  EXPECT_EQ(member(whole, "board"), "\"" + id_of(90) + "\"");
  EXPECT_EQ(member(whole, "title"), "\"Card 1\"");
  EXPECT_EQ(whole.field("etag"), "") << "what it refers to has tags of its own";
}

TEST_P(ExpandRecords, TwoLevelsDeep) {
  const std::string parents = expanded(3, "expand=parent.board,parent.labels,parent.owner");
  EXPECT_NE(parents.find(R"("title":"Card 1")"), std::string::npos) << parents;
  EXPECT_NE(parents.find(R"("expand":{"board":)" + board("null") + R"(,"labels":[)" +
                         label_text(82, "late") + "," + label_text(81, "bug") +
                         R"(],"owner":{"id":")" + user_id("ada") + R"(","name":"ada"}})"),
            std::string::npos)
      << parents;
  EXPECT_EQ(expanded(3, "expand=parent.parent.board"), "400 records.bad_query expand:invalid");
  EXPECT_EQ(expanded(3, "expand=parent,parent.labels"), expanded(3, "expand=parent.labels"));
}

TEST_P(ExpandRecords, EachRecordIsAsItsReaderSeesIt) {
  EXPECT_EQ(expanded(4, "expand=parent", "ada"), R"({"parent":null})") << "it is bob's";
  EXPECT_NE(expanded(4, "expand=parent", "bob").find("Card 2"), std::string::npos);
  EXPECT_NE(expanded(4, "expand=parent", "root").find("Card 2"), std::string::npos);
  EXPECT_EQ(expanded(1, "expand=vault", "root"), R"({"vault":null})") << "no user may see it";
  EXPECT_NE(expanded(3, "expand=parent", "ada").find(R"("note":"mine")"), std::string::npos);
  EXPECT_NE(expanded(3, "expand=parent", "bob").find(R"("note":null)"), std::string::npos);
  for (const char* user : {"ada", "bob", "root"}) {
    const Reply list = get("/cards?expand=board,parent.board,owner,labels,vault", user);
    ASSERT_EQ(list.status, 200);
    for (const char* word : {"hush", "secret", "4711", "pin", "word"})
      EXPECT_EQ(list.body.find(word), std::string::npos) << word;
  }
}

TEST_P(ExpandRecords, PeopleAreTheirNames) {
  EXPECT_EQ(expanded(1, "expand=owner,created_by"),
            R"({"owner":{"id":")" + user_id("ada") + R"(","name":"ada"},"created_by":null})");
  run("UPDATE cards SET owner = 'gone' WHERE id = '" + id_of(1) + "'");
  EXPECT_EQ(expanded(1, "expand=owner"), R"({"owner":null})");
}

TEST_P(ExpandRecords, ListsAndFieldsGoWithIt) {
  const std::string start = R"({"items":[{"id":")" + id_of(3) +
                            R"(","title":"Card 3","expand":{"labels":[)" + label_text(81, "bug") +
                            "]}}";
  const std::string query = "/cards?fields=title&expand=labels&sort=title&filter=" +
                            encoded("title in ('Card 3', 'Card 4')");
  EXPECT_EQ(get(query, "ada").body,
            start + R"(,{"id":")" + id_of(4) +
                R"(","title":"Card 4","expand":{"labels":[]}}],"next":null})");
  const Reply page = get(query + "&limit=1&count=true", "ada");
  EXPECT_EQ(page.body, start + R"(],"next":)" + member(page, "next") + R"(,"total":2})");
  EXPECT_NE(member(page, "next"), "null");
  EXPECT_EQ(one(1, "fields=board&expand=board").body, R"({"id":")" + id_of(1) + R"(","board":")" +
                                                          id_of(90) + R"(","expand":{"board":)" +
                                                          board("null") + "}}");
  EXPECT_EQ(get("/cards?expand=board&filter=false", "ada").body, R"({"items":[],"next":null})");
}

TEST_P(ExpandRecords, WhatIsNoReferenceIsRefused) {
  for (const char* path : {"", "title", "secret", "nothing", "id", "board,", "owner.name", "tags",
                           "board.pin", "parent.secret", ".", "board%22", "is_done", "file"})
    EXPECT_EQ(expanded(1, "expand=" + std::string(path)), "400 records.bad_query expand:invalid")
        << path;
  EXPECT_EQ(problem(one(99, "expand=board")), "404 records.not_found");
  EXPECT_EQ(problem(one(2, "expand=board")), "404 records.not_found");
  EXPECT_EQ(problem(get("/cards?expand=board")), "401 identity.signed_out");
}

TEST_P(ExpandRecords, ItsLimitsHold) {
  const std::string full_list =
      "board,labels,vault,owner,created_by,updated_by,parent,parent.board,parent.labels,parent."
      "owner";
  EXPECT_EQ(one(1, "expand=" + full_list).status, 200) << max_expands;
  EXPECT_EQ(expanded(1, "expand=" + full_list + ",parent.vault"),
            "400 records.bad_query expand:invalid");
  // Of many values the first ones are expanded, and each has its id.
  for (std::size_t i = 0; i <= max_expanded; ++i) {
    const std::string id = "01900000-0000-7000-8000-1000000" + std::to_string(10'000 + i);
    run("INSERT INTO labels (id, name) VALUES ('" + id + "', '" + id + "')");
    run("INSERT INTO cards__labels (record, target, position) VALUES ('" + id_of(4) + "', '" + id +
        "', " + std::to_string(i) + ")");
  }
  const std::string labels = expanded(4, "expand=labels");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = labels.find("{\"id\"", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, max_expanded);
  // A page does not have too many.
  run("DELETE FROM cards");
  const std::string rows = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) ";
  run(rows + "INSERT INTO cards (id, title, public) SELECT " + id_sql("500000 + i") +
      ", 'c', 1 FROM n LIMIT 21");
  run(rows + "INSERT INTO labels (id, name) SELECT " + id_sql("700000 + i") +
      ", 'l' || i FROM n LIMIT 2100");
  run(rows + "INSERT INTO cards__labels (record, target, position) SELECT " +
      id_sql("500000 + i / 100") + ", " + id_sql("700000 + i") + ", i % 100 FROM n LIMIT 2100");
  EXPECT_EQ(get("/cards?expand=labels&limit=20", "ada").status, 200) << max_expanded_of_page;
  EXPECT_EQ(problem(get("/cards?expand=labels&limit=21", "ada")),
            "400 records.bad_query expand:invalid");
}

}  // namespace
}  // namespace tenon::records::test
