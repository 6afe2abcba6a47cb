#include <gtest/gtest.h>

#include "base/error.hpp"
#include "data/database.hpp"
#include "records/service/record_service.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

// The marks 1 and 2 are of the board 91, 3 is of 92, 4 of 92 and bob's alone, 5 of none.
class SameParent : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"items", "marks", "cards", "slots", "boards"})
      run("DELETE FROM " + std::string(table));
    run("INSERT INTO boards (id, name) VALUES (" + text(91) + ", 'North'), (" + text(92) +
        ", 'South')");
    run("INSERT INTO marks (id, board, owner) VALUES (" + text(1) + ", " + text(91) + ", NULL), (" +
        text(2) + ", " + text(91) + ", NULL), (" + text(3) + ", " + text(92) + ", NULL), (" +
        text(4) + ", " + text(92) + ", '" + user_id("bob") + "'), (" + text(5) + ", NULL, NULL)");
  }
  static std::string text(int number) { return "'" + id_of(number) + "'"; }
  static std::string json(int number) { return "\"" + id_of(number) + "\""; }
  static std::string board(int number, const std::string& more) {
    return R"({"board":)" + json(number) + "," + more + "}";
  }
  static std::string sent(const std::string& method, const std::string& path,
                          const std::string& body) {
    const Reply reply = send(method, path, "ada", body);
    return reply.status < 300 ? std::to_string(reply.status) : problem(reply);
  }
  static std::string make(const std::string& body) { return sent("POST", "/items", body); }
  static int count(const std::string& from) {
    auto rows = database().query("SELECT count(*) FROM " + from);
    rows.next();
    return static_cast<int>(rows.integer(0));
  }
};

TENON_ON_BOTH_ENGINES(SameParent);

TEST_P(SameParent, IsCheckedOfNewRecords) {
  EXPECT_EQ(
      make(board(91, R"("mark":)" + json(1) + R"(,"marks":[)" + json(1) + "," + json(2) + "]")),
      "201");
  EXPECT_EQ(make(board(91, R"("mark":)" + json(3))), "422 records.validation mark:same");
  EXPECT_EQ(make(board(91, R"("marks":[)" + json(1) + "," + json(3) + "]")),
            "422 records.validation marks:same");
  EXPECT_EQ(make(board(91, R"("mark":)" + json(5))), "422 records.validation mark:same");
  EXPECT_EQ(make(R"({"mark":)" + json(1) + "}"), "422 records.validation mark:same");
  EXPECT_EQ(make(R"({"mark":)" + json(5) + "}"), "201") << "neither is of a board";
  EXPECT_EQ(count("items"), 2);
}

TEST_P(SameParent, TreatsHiddenRecordsAsMissing) {
  const Reply hidden = send("POST", "/items", "ada", board(92, R"("mark":)" + json(4)));
  const Reply other = send("POST", "/items", "ada", board(91, R"("mark":)" + json(4)));
  const Reply missing = send("POST", "/items", "ada", board(92, R"("mark":)" + json(77)));
  EXPECT_EQ(problem(missing), "422 records.validation mark:reference");
  EXPECT_EQ(member(hidden, "errors"), member(missing, "errors"));
  EXPECT_EQ(member(other, "errors"), member(missing, "errors"));
  EXPECT_EQ(send("POST", "/items", "bob", board(92, R"("mark":)" + json(4))).status, 201);
}

TEST_P(SameParent, IsCheckedOfChanges) {
  ASSERT_EQ(make(board(91, R"("id":)" + json(10) + R"(,"code":"ab","marks":[)" + json(1) + "]")),
            "201");
  const std::string item = "/items/" + id_of(10);
  EXPECT_EQ(sent("PATCH", item, R"({"marks":[)" + json(3) + "]}"),
            "422 records.validation marks:same");
  EXPECT_EQ(sent("PATCH", item, R"({"board":)" + json(92) + "}"),
            "422 records.validation marks:same");
  EXPECT_EQ(sent("PUT", "/items?key=code", R"({"code":"ab","mark":)" + json(3) + "}"),
            "422 records.validation mark:same");
  EXPECT_EQ(sent("POST", "/items/batch",
                 R"({"update":[{"id":)" + json(10) + R"(,"mark":)" + json(3) + "}]}"),
            "422 records.validation update/0/mark:same");
  EXPECT_EQ(sent("PATCH", item, board(92, R"("marks":[)" + json(3) + "]")), "200");
  // Existing violations do not prevent other changes.
  run("UPDATE items SET mark = " + text(1));
  EXPECT_EQ(sent("PATCH", item, R"({"code":"cd"})"), "200");
}

TEST_P(SameParent, HoldsWhatIsReferredTo) {
  ASSERT_EQ(make(board(91, R"("marks":[)" + json(1) + "]")), "201");
  EXPECT_EQ(sent("PATCH", "/marks/" + id_of(1), R"({"board":)" + json(92) + "}"),
            "422 records.validation board:same");
  EXPECT_EQ(sent("PATCH", "/marks/" + id_of(2), R"({"board":)" + json(92) + "}"), "200");
}

TEST_P(SameParent, IsCheckedOfThePluginsOwnWrites) {
  const auto service = make_service();
  const expression::Context anonymous{std::nullopt, {}, 0, {}};
  for (const bool enforce_rules : {true, false}) {
    try {
      service->create({"items", enforce_rules, anonymous}, board(91, R"("mark":)" + json(3)),
                      nullptr);
      FAIL();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.fields()[0].code, "same");
    }
  }
  // Without rules it may refer to what only bob sees.
  service->create({"items", false, anonymous}, board(92, R"("mark":)" + json(4)), nullptr);
  EXPECT_EQ(count("items"), 1);
}

}  // namespace
}  // namespace tenon::records::test
