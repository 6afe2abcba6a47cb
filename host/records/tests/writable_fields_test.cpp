#include "records/model/writable_fields.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "data/database.hpp"
#include "records/service/record_service.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

// The writable fields of the first table, whose rules and fields these are.
std::string writable_of(const std::string& rules, const std::string& fields,
                        const std::string& more = {}) {
  const auto tables =
      data::schema::parse_tables(R"({"tables":[{"name":"t","authorship":true,"rules":{)" + rules +
                                 "},\"fields\":[" + fields + "]}" + more + "]}");
  const Model model(tables, data::Dialect::sqlite);
  std::string names;
  for (const FieldModel& field : model.tables()[0].fields)
    if (field.is_writable) names.append(names.empty() ? "" : " ").append(field.field.name);
  return names;
}

// The first thing that is wrong with the declaration: "/tables/0/…: …".
std::string declaration_problem(const std::string& tables) {
  try {
    const Model model(data::schema::parse_tables(tables), data::Dialect::sqlite);
    return "none";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "data.tables_invalid");
    return error.fields()[0].field + ": " + error.fields()[0].message;
  }
}

constexpr const char* owned_fields =
    R"({"name":"title","type":"text"},{"name":"owner","type":"user"},{"name":"open","type":"boolean"})";

TEST(WritableFields, LeaveOutHiddenFieldsWithoutWritable) {
  EXPECT_EQ(writable_of("", R"({"name":"a","type":"text"},{"name":"b","type":"text","hidden":true},
    {"name":"c","type":"text","hidden":true,"writable":true},
    {"name":"d","type":"text","hidden":true,"rules":{"write":"true"}},
    {"name":"e","type":"text","read_only":true},{"name":"f","type":"computed","expression":"a"})"),
            "a c");
}

TEST(WritableFields, LeaveOutFieldsThatRulesRead) {
  EXPECT_EQ(writable_of(R"("read":"open or owner = @user","create":"true","update":"true")",
                        owned_fields),
            "title");
  EXPECT_EQ(writable_of(R"("read":"true","create":"true","delete":"owner = @user")", owned_fields),
            "title open");
  EXPECT_EQ(writable_of(R"("create":"true","update":"owner = @user and not open")", owned_fields),
            "title");
  // Both rules of writing are asked what is written.
  EXPECT_EQ(
      writable_of(R"("read":"owner = @user","create":"owner = @user","update":"owner = @user")",
                  owned_fields),
      "title owner open");
  EXPECT_EQ(writable_of(R"("read":"owner = @user","create":"owner = @user")", owned_fields),
            "title owner open");
  // A rule about new records alone rests on nothing that is written later.
  EXPECT_EQ(writable_of(R"("read":"true","create":"not open","update":"true")", owned_fields),
            "title owner open");
}

TEST(WritableFields, IncludeNamedFieldsAndFieldsWithRules) {
  EXPECT_EQ(writable_of(R"("read":"open or owner = @user","create":"true")",
                        R"({"name":"owner","type":"user","writable":true},
                        {"name":"open","type":"boolean","rules":{"write":"created_by = @user"}})"),
            "owner open");
}

TEST(WritableFields, ConsiderRulesOfFieldsAndOtherTables) {
  EXPECT_EQ(writable_of(R"("read":"true","create":"true")",
                        R"({"name":"open","type":"boolean"},
                        {"name":"note","type":"text","rules":{"read":"open"}})"),
            "note");
  EXPECT_EQ(writable_of(R"("read":"true","create":"true")", owned_fields,
                        R"(,{"name":"u","rules":{"create":"t.owner = @user"},"fields":[
                       {"name":"t","type":"reference","table":"t"}]})"),
            "title open");
}

TEST(WritableFields, RefuseToBeNamedForNothing) {
  EXPECT_EQ(
      declaration_problem(R"({"tables":[{"name":"t","fields":[
              {"name":"a","type":"text","writable":true}]}]})"),
      "/tables/0/fields/0/writable: the field is neither hidden nor read by a rule, so it can "
      "be written anyway; leave 'writable' out");
}

TEST(ComputedFields, ShowNothingProtectedUnlessTheyReveal) {
  const auto tables = [](const std::string& source, const std::string& computed,
                         const std::string& expression) {
    return R"({"tables":[{"name":"t","fields":[{"name":"a","type":"text")" + source +
           R"(},{"name":"p","type":"reference","table":"t"},{"name":"c","type":"computed","expression":")" +
           expression + "\"" + computed + "}]}]}";
  };
  const std::string hidden = R"(,"hidden":true)";
  EXPECT_EQ(declaration_problem(tables(hidden, "", "upper(a)")),
            "/tables/0/fields/2/expression: the field 'a' is hidden, and this field shows what it "
            "holds; add \"reveals\": true where that is meant, or \"hidden\": true");
  EXPECT_NE(declaration_problem(tables(R"(,"rules":{"read":"p = null"})", "", "a = 'x'"))
                .find("'a' has a 'read' rule"),
            std::string::npos);
  EXPECT_NE(declaration_problem(tables(hidden, "", "p.a")).find("'a' is hidden"),
            std::string::npos);
  EXPECT_EQ(declaration_problem(tables(hidden, R"(,"reveals":true)", "upper(a)")), "none");
  EXPECT_EQ(declaration_problem(tables(hidden, hidden, "upper(a)")), "none");
  EXPECT_EQ(declaration_problem(tables("", "", "upper(a)")), "none");
}

// A refused body changes nothing of the record.
class HiddenFields : public RecordsFixture {
 protected:
  void SetUp() override {
    run("DELETE FROM cards");
    run("INSERT INTO cards (id, title, owner, code, secret) VALUES ('" + id_of(1) + "', 'a', '" +
        user_id("ada") + "', 'abc', 'old')");
  }
  static std::string owned(const std::string& members) {
    return R"({"title":"b","owner":")" + user_id("ada") + "\"," + members + "}";
  }
  static std::string refused(const std::string& method, const std::string& path,
                             const std::string& body) {
    return problem(send(method, path, "ada", body));
  }
  static std::string secrets() {
    auto rows = database().query("SELECT coalesce(secret, '') FROM cards ORDER BY id");
    std::string text;
    while (rows.next())
      text.append(text.empty() ? "" : ",").append(rows.text(0));
    return text;
  }
};

TENON_ON_BOTH_ENGINES(HiddenFields);

TEST_P(HiddenFields, AreRefusedInBodies) {
  const std::string secret = R"("secret":"new")";
  const std::string wrong = "422 records.validation secret:read_only";
  const std::string one = "/cards/" + id_of(1);
  EXPECT_EQ(refused("POST", "/cards", owned(secret)), wrong);
  EXPECT_EQ(refused("PATCH", one, "{" + secret + "}"), wrong);
  EXPECT_EQ(refused("PUT", "/cards?key=code", owned(R"("code":"abc",)" + secret)), wrong);
  EXPECT_EQ(refused("PUT", "/cards?key=code", owned(R"("code":"xyz",)" + secret)), wrong);
  EXPECT_EQ(refused("POST", "/cards/batch", R"({"create":[)" + owned(secret) + "]}"),
            "422 records.validation create/0/secret:read_only");
  EXPECT_EQ(
      refused("POST", "/cards/batch", R"({"update":[{"id":")" + id_of(1) + "\"," + secret + "}]}"),
      "422 records.validation update/0/secret:read_only");
  EXPECT_EQ(secrets(), "old");
}

TEST_P(HiddenFields, AreWrittenWhereTheDeclarationSaysSo) {
  EXPECT_EQ(send("PATCH", "/cards/" + id_of(1), "ada", R"({"password":"p"})").status, 200);
  auto rows = database().query("SELECT password FROM cards");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "p");
}

TEST_P(HiddenFields, AreWrittenByThePluginAlone) {
  const auto service = make_service();
  const expression::Context ada(user_id("ada"), {}, 0, [](std::string_view) { return true; });
  const std::string id = id_of(1);
  try {
    service->update({"cards", true, ada}, id, R"({"secret":"new"})", {}, nullptr);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.fields()[0].code, "read_only");
  }
  EXPECT_EQ(secrets(), "old");
  service->update({"cards", false, ada}, id, R"({"secret":"new"})", {}, nullptr);
  EXPECT_EQ(secrets(), "new");
}

}  // namespace
}  // namespace tenon::records::test
