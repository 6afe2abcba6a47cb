#include <memory>

#include <gtest/gtest.h>

#include "base/json_slice.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/support.hpp"
#include "identity/users/permissions.hpp"
#include "records/model/table_context.hpp"
#include "records/search/search_directory.hpp"
#include "records/service/records.hpp"
#include "records/tests/records_fixture.hpp"
#include "routing/route.hpp"

namespace tenon::records::test {
namespace {

const char* const other_tables = R"json({"tables":[
  {"name":"pages","publish":true,"rules":{"read":"true"},"fields":[{"name":"text","type":"text","searchable":true}]},
  {"name":"drafts","rules":{"read":"true"},"fields":[{"name":"text","type":"text","searchable":true}]},
  {"name":"closed","publish":true,"rules":{"read":"false"},"fields":[{"name":"text","type":"text","searchable":true}]},
  {"name":"plain","publish":true,"rules":{"read":"true"},"fields":[{"name":"text","type":"text"}]}]})json";

class SearchOverPlugins : public RecordsFixture {
 protected:
  void SetUp() override {
    run("DELETE FROM papers");
    run("INSERT INTO papers (id, title, body) VALUES ('" + id_of(1) +
        "', 'Apples', 'A pear.'), ('" + id_of(2) +
        "', 'Pears', 'And apples and plums and much more of it.')");
    data::Declaration declaration{"other", "1.0.0", data::schema::parse_tables(other_tables), {}};
    other_ = std::make_shared<data::Database>(data::test::plugin_file(folder_.file("other.db")));
    data::apply(*other_, declaration);
    for (const char* table : {"pages", "drafts", "closed", "plain"}) {
      other_->exec("INSERT INTO " + std::string(table) + " (id, text) VALUES (?1, 'apples')",
                   {id_of(3)});
    }
    const Records records = records_of("other", declaration.tables, other_, permissions_);
    routes_ =
        std::make_shared<routing::RouteSet>("other", "/api/other", std::vector<routing::Route>());
    directory().attach({"other", routes_, records.searchable()});
  }
  void TearDown() override { directory().detach("other"); }

  // "planner/papers/01 other/pages/03", then the plugins that are not complete.
  static std::string found(const std::string& query, const std::string& path = "/api/core/search") {
    const Reply reply = get(path + "?" + query, "ada");
    if (reply.status != 200) return problem(reply);
    std::string text;
    base::JsonSlice(reply.body)
        .each_member([&](const std::string& name, const base::JsonSlice& list) {
          if (name == "incomplete") text += " |";
          list.each_element([&](const base::JsonSlice& one) {
            if (name == "incomplete") {
              text += " " + one.string();
              return;
            }
            one.each_member([&](const std::string& key, const base::JsonSlice& value) {
              if (key == "plugin") text += " " + value.string();
              if (key == "table") text += "/" + value.string();
              if (key == "id") text += "/" + value.string().substr(34);
            });
          });
        });
    return text;
  }

  data::test::Folder folder_;
  std::shared_ptr<data::Database> other_;
  identity::Permissions permissions_;
  std::shared_ptr<const routing::RouteSet> routes_;
};

TENON_ON_BOTH_ENGINES(SearchOverPlugins);

TEST_P(SearchOverPlugins, PublishedTablesAreSearchedByTheirRules) {
  const std::string all = found("q=apples");
  EXPECT_NE(all.find("planner/papers/01"), std::string::npos) << all;
  EXPECT_NE(all.find("planner/papers/02"), std::string::npos) << all;
  EXPECT_NE(all.find("other/pages/03"), std::string::npos) << all;
  EXPECT_EQ(all.size(), std::string(" planner/papers/01 planner/papers/02 other/pages/03 |").size())
      << all;
  EXPECT_LT(all.find("papers/01"), all.find("papers/02")) << "the best of a table come first";
  EXPECT_EQ(found("q=plums"), " planner/papers/02 |");
  EXPECT_EQ(found("q=nothing"), " |");
  EXPECT_EQ(found(""), " |");
  EXPECT_EQ(found("q=apples&limit=0"), "400 records.bad_query limit:invalid");
  EXPECT_EQ(found("q=apples&cursor=x"), "400 records.bad_query cursor:invalid");
  EXPECT_EQ(problem(get("/api/core/search?q=apples")), "401 identity.signed_out");
}

TEST_P(SearchOverPlugins, AHitHasOnlyItsPublicMembers) {
  EXPECT_EQ(get("/api/core/search?q=plums", "ada").body,
            R"({"items":[{"plugin":"planner","table":"papers","id":")" + id_of(2) +
                R"(","title":"Pears","highlight":{"body":[{"text":"And apples and ","match":false})"
                R"(,{"text":"plums","match":true},{"text":" and much more of it.","match":false}]})"
                R"(}],"incomplete":[]})");
}

TEST_P(SearchOverPlugins, OnePluginHoldsUpNoOther) {
  other_->close();
  const std::string all = found("q=apples");
  EXPECT_EQ(all, " planner/papers/01 planner/papers/02 | other");
  const std::string none = found("q=apples", "/api/core/search-in-no-time");
  EXPECT_EQ(none, " | planner other");
}

TEST_P(SearchOverPlugins, APluginThatStopsIsLeftOut) {
  routes_->gate().close();
  EXPECT_EQ(found("q=apples"), " planner/papers/01 planner/papers/02 |");
  EXPECT_EQ(routes_->gate().in_flight(), 0);
  EXPECT_EQ(routes()->gate().in_flight(), 0);
  directory().detach("other");
  EXPECT_EQ(directory().all().size(), 1U);
}

}  // namespace
}  // namespace tenon::records::test
