#include "identity/users/groups.hpp"

#include <Poco/JSON/Object.h>
#include <gtest/gtest.h>

#include "admin_api/people/group_handlers.hpp"
#include "admin_api/tests/console_fixture.hpp"
#include "base/json.hpp"

namespace tenon::console {

namespace {

using identity::Role;

class GroupsApi : public ConsoleFixture {
 protected:
  GroupsApi()
      : ada_(add("ada", Role::admin)),
        ben_(add("ben")),
        press_(identity().groups().create({.name = "Press", .description = "Papers"})),
        cookies_{{"", ""}, {"ada", sign_in("ada")}, {"ben", sign_in("ben")}} {}

  Reply as(const std::string& who, const std::string& method, const std::string& path,
           const std::string& body = {}) {
    return send(method, "/api/core/" + path, body, cookies_.at(who));
  }
  std::string members(const std::string& add, const std::string& remove = {}) {
    const auto list = [](const std::string& id) { return id.empty() ? "[]" : "[\"" + id + "\"]"; };
    return R"({"add":)" + list(add) + R"(,"remove":)" + list(remove) + "}";
  }
  /// "status code fields" of a response.
  static std::string outcome(const Reply& reply) {
    std::string text = std::to_string(reply.status);
    for (const std::string& part : {reply.code(), reply.status < 400 ? "" : reply.fields()})
      text += part.empty() ? "" : " " + part;
    return text;
  }

  identity::User ada_;
  identity::User ben_;
  identity::Group press_;
  std::map<std::string, std::string> cookies_;
};

}  // namespace

TEST_P(GroupsApi, IsForAdmins) {
  const std::string one = "groups/" + press_.id;
  const std::vector<std::tuple<const char*, std::string, std::string>> requests{
      {"GET", "groups", ""},
      {"POST", "groups", R"({"name":"Mine"})"},
      {"GET", one, ""},
      {"PATCH", one, R"({"name":"Mine"})"},
      {"DELETE", one, ""},
      {"GET", one + "/members", ""},
      {"POST", one + "/members", members(ben_.id)}};
  for (const auto& [method, path, body] : requests) {
    EXPECT_EQ(outcome(as("", method, path, body)), "401 identity.signed_out") << method << path;
    EXPECT_EQ(outcome(as("ben", method, path, body)), "403 identity.forbidden") << method << path;
  }
  EXPECT_EQ(identity().groups().list().items.size(), 1U);
  EXPECT_EQ(identity().groups().find(press_.id)->members, 0U);
}

TEST_P(GroupsApi, MakesAndListsGroups) {
  const Reply made = as("ada", "POST", "groups", R"({"name":"Board <b>","description":"Decides"})");
  EXPECT_EQ(made.status, 201) << made.body;
  const auto group = base::parse_json_object(made.body);
  const std::string id = group->getValue<std::string>("id");
  EXPECT_EQ(made.header("location"), "/api/core/groups/" + id);
  EXPECT_EQ(group->getValue<std::string>("name"), "Board <b>");
  EXPECT_EQ(group->getValue<int>("members"), 0);
  EXPECT_EQ(as("ada", "GET", "groups/" + id).body, made.body);
  const Reply page = as("ada", "GET", "groups?limit=1");
  EXPECT_EQ(page.body, R"({"items":[)" + made.body + R"(],"next":"board \u003cb>"})");
  EXPECT_NE(as("ada", "GET", "groups?limit=1&cursor=board%20%3Cb%3E").body.find(R"("Press")"),
            std::string::npos);
}

TEST_P(GroupsApi, SaysWhatIsWrong) {
  const std::string one = "groups/" + press_.id;
  EXPECT_EQ(outcome(as("ada", "GET", "groups?limit=201")), "422 identity.validation limit:invalid");
  EXPECT_EQ(outcome(as("ada", "POST", "groups", "{}")), "422 identity.validation name:required");
  EXPECT_EQ(outcome(as("ada", "POST", "groups", R"({"name":" ","description":1,"id":"x"})")),
            "422 identity.validation description:type id:unknown");
  EXPECT_EQ(outcome(as("ada", "POST", "groups", R"({"name":"PRESS"})")),
            "409 identity.group_name_taken name:taken");
  EXPECT_EQ(outcome(as("ada", "PATCH", one, R"({"name":""})")),
            "422 identity.validation name:required");
  EXPECT_EQ(outcome(as("ada", "POST", one + "/members", R"({"add":"ben","remove":[1]})")),
            "422 identity.validation add:type remove:type");
  EXPECT_EQ(outcome(as("ada", "POST", one + "/members", members("unknown"))),
            "422 identity.validation add:unknown");
  std::string ids = "\"x\"";
  for (std::size_t i = 0; i < ChangeMembers::max_ids; ++i)
    ids += ",\"x\"";
  EXPECT_EQ(outcome(as("ada", "POST", one + "/members", R"({"add":[)" + ids + "]}")),
            "422 identity.validation add:too_many");
  for (const auto& [method, path] :
       {std::pair{"GET", "groups/none"}, {"DELETE", "groups/none"}, {"GET", "groups/none/members"}})
    EXPECT_EQ(outcome(as("ada", method, path)), "404 identity.unknown_group") << method << path;
  EXPECT_EQ(outcome(as("ada", "PATCH", "groups/none", "{}")), "404 identity.unknown_group");
  EXPECT_EQ(outcome(as("ada", "POST", "groups/none/members", "{}")), "404 identity.unknown_group");
}

TEST_P(GroupsApi, ChangesGroupsAndPutsItOnRecord) {
  const std::string one = "groups/" + press_.id;
  const auto before = audited().size();
  EXPECT_NE(as("ada", "PATCH", one, R"({"description":"Radio"})").body.find(R"("Radio")"),
            std::string::npos);
  const Reply joined = as("ada", "POST", one + "/members", members(ben_.id));
  EXPECT_NE(joined.body.find(R"("members":1)"), std::string::npos) << joined.body;
  // A user who joined is notified.
  EXPECT_NE(as("ben", "GET", "session").body.find(R"("groups":[")" + press_.id + R"("])"),
            std::string::npos);
  const Reply list = as("ada", "GET", one + "/members");
  EXPECT_NE(list.body.find(R"("login":"ben")"), std::string::npos) << list.body;
  EXPECT_EQ(outcome(as("ada", "POST", one + "/members", members("", ben_.id))), "200");
  EXPECT_EQ(as("ada", "GET", one + "/members").body, R"({"items":[],"next":null})");
  EXPECT_EQ(outcome(as("ada", "DELETE", one)), "204");
  EXPECT_EQ(outcome(as("ada", "GET", one)), "404 identity.unknown_group");
  std::vector<std::string> actions = audited();
  actions.erase(actions.begin(), actions.begin() + static_cast<std::ptrdiff_t>(before));
  EXPECT_EQ(actions, (std::vector<std::string>{"groups.changed", "groups.members_changed",
                                               "groups.members_changed", "groups.deleted"}));
}

TEST_P(GroupsApi, FindsPeopleWithoutShowingLogins) {
  EXPECT_EQ(outcome(as("", "GET", "people?q=a")), "401 identity.signed_out");
  identity().users().change(ada_.id,
                            {.name = "Ada Lovelace", .role = {}, .disabled = {}, .password = {}});
  const std::string ada = R"({"kind":"user","id":")" + ada_.id + R"(","name":"Ada Lovelace"})";
  const std::string press = R"({"kind":"group","id":")" + press_.id + R"(","name":"Press"})";
  EXPECT_EQ(as("ben", "GET", "people?q=lov").body, R"({"items":[)" + ada + R"(],"next":null})");
  EXPECT_EQ(as("ben", "GET", "people?kind=group").body,
            R"({"items":[)" + press + R"(],"next":null})");
  EXPECT_EQ(as("ben", "GET", "people?ids=" + press_.id + ",," + ada_.id).body,
            R"({"items":[)" + press + "," + ada + R"(],"next":null})");
  EXPECT_EQ(as("ben", "GET", "people?limit=1").body, R"({"items":[)" + ada + R"(],"next":null})");
}

TEST_P(GroupsApi, PeopleSayWhatIsWrong) {
  EXPECT_EQ(outcome(as("ben", "GET", "people?kind=role")), "422 identity.validation kind:invalid");
  EXPECT_EQ(outcome(as("ben", "GET", "people?limit=51")), "422 identity.validation limit:invalid");
  std::string ids = "x";
  for (int i = 0; i < 100; ++i)
    ids += ",x";
  EXPECT_EQ(outcome(as("ben", "GET", "people?ids=" + ids)), "422 identity.validation ids:invalid");
}

TENON_ON_BOTH_ENGINES(GroupsApi);

}  // namespace tenon::console
