#include "identity/users/groups.hpp"

#include <atomic>
#include <thread>

#include "identity/tests/fixture.hpp"
#include "identity/users/name_key.hpp"

namespace tenon::identity {

namespace {

class GroupsTest : public IdentityFixture {
 protected:
  GroupsTest() : ada_(add("ada", Role::admin)), ben_(add("ben")) {}

  Groups& groups() { return identity_->groups(); }
  Group make(const std::string& name) { return groups().create({.name = name}); }
  /// The groups that requests of this session are made with.
  std::vector<std::string> groups_of(const Sessions::Issued& issued) {
    const PrincipalPtr principal = sessions().find(issued.token);
    return principal ? principal->groups : std::vector<std::string>{"unknown"};
  }
  std::string logins(const Group& group) {
    std::string text;
    for (const User& user : users().members_of(group.id).items)
      text += (text.empty() ? "" : " ") + user.login;
    return text;
  }

  User ada_;
  User ben_;
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_P(GroupsTest, AreKeptWithNameAndDescription) {
  const Group made =
      groups().create({.name = "  Press team ", .description = "Speaks to the papers"});
  reopen();
  const auto found = groups().find(made.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "Press team");
  EXPECT_EQ(found->description, "Speaks to the papers");
  EXPECT_EQ(found->members, 0U);
  EXPECT_EQ(found->created_ms, now_);
  EXPECT_FALSE(groups().find("none"));
}

TEST_P(GroupsTest, RefuseNamesThatDifferInCaseOnly) {
  const Group press = make("\xC3\x89quipe");
  EXPECT_EQ(refusal([&] { make("\xC3\xA9QUIPE "); }), "identity.group_name_taken name:taken");
  const Group other = make("Other");
  EXPECT_EQ(refusal([&] { groups().change(other.id, {.name = "\xC3\xA9quipe"}); }),
            "identity.group_name_taken name:taken");
  EXPECT_EQ(groups().change(press.id, {.name = "\xC3\x89QUIPE"}).name, "\xC3\x89QUIPE")
      << "its own name is free";
}

TEST_P(GroupsTest, ReportAllInvalidFieldsAtOnce) {
  const auto create = [&](const NewGroup& group) {
    return refusal([&] { groups().create(group); });
  };
  EXPECT_EQ(create({.name = " ", .description = "a\nb"}),
            "identity.validation name:required description:invalid");
  EXPECT_EQ(create({.name = std::string(201, 'a'), .description = std::string(1001, 'a')}),
            "identity.validation name:too_long description:too_long");
  EXPECT_EQ(create({.name = "\xC3("}), "identity.validation name:invalid");
  EXPECT_EQ(create({.name = std::string(200, 'a'), .description = std::string(1000, 'a')}), "");
  EXPECT_EQ(count("SELECT count(*) FROM identity_groups"), 1);
}

TEST_P(GroupsTest, ChangeOnlyWhatIsNamed) {
  const Group made = groups().create({.name = "Press", .description = "Papers"});
  advance(std::chrono::seconds(1));
  const Group changed = groups().change(made.id, {.description = ""});
  EXPECT_EQ(changed.name, "Press");
  EXPECT_EQ(changed.description, "");
  EXPECT_EQ(changed.updated_ms, made.updated_ms + 1000);
  EXPECT_EQ(groups().change(made.id, {.name = "Media"}).name, "Media");
  EXPECT_EQ(refusal([&] { groups().change("none", {.name = "x"}); }), "identity.unknown_group");
}

TEST_P(GroupsTest, AreListedInPagesByName) {
  for (const char* name : {"Eve", "ada", "\xC3\x89quipe", "ben"})
    make(name);
  std::vector<std::string> names;
  std::string cursor;
  do {
    const GroupPage page = groups().list(2, cursor);
    for (const Group& group : page.items)
      names.push_back(group.name);
    cursor = page.next;
  } while (!cursor.empty());
  EXPECT_EQ(names, (std::vector<std::string>{"ada", "ben", "Eve", "\xC3\x89quipe"}));
  EXPECT_EQ(groups().list(0).items.size(), 1U);
}

TEST_P(GroupsTest, AddAndRemoveMembers) {
  const Group press = make("Press");
  EXPECT_EQ(groups().change_members(press.id, {.add = {ben_.id, ada_.id, ben_.id}}).members, 2U);
  EXPECT_EQ(logins(press), "ada ben");
  EXPECT_EQ(groups().find(press.id)->members, 2U);
  EXPECT_EQ(groups().list().items[0].members, 2U);
  groups().change_members(press.id, {.remove = {ben_.id, "unknown"}});
  EXPECT_EQ(logins(press), "ada");
  const UserPage page = users().members_of(press.id, 1, "a");
  EXPECT_EQ(page.items.size(), 1U);
  EXPECT_TRUE(page.next.empty());
}

TEST_P(GroupsTest, ChangeMembersAtomically) {
  const Group press = make("Press");
  groups().change_members(press.id, {.add = {ada_.id}});
  EXPECT_EQ(refusal([&] {
              groups().change_members(press.id, {.add = {ben_.id, "unknown"}, .remove = {ada_.id}});
            }),
            "identity.validation add:unknown");
  EXPECT_EQ(logins(press), "ada");
  EXPECT_EQ(refusal([&] { groups().change_members("none", {.add = {ada_.id}}); }),
            "identity.unknown_group");
  EXPECT_EQ(count("SELECT count(*) FROM identity_members"), 1);
}

TEST_P(GroupsTest, ApplyToTheNextRequest) {
  const Group press = make("Press");
  const Group board = make("Board");
  const auto before = sign_in("ben");
  const auto ada = sign_in("ada");
  EXPECT_EQ(groups_of(before), Ids{});
  groups().change_members(board.id, {.add = {ben_.id}});
  groups().change_members(press.id, {.add = {ben_.id}});
  const Ids both{press.id, board.id};
  EXPECT_EQ(groups_of(before), both) << "in the order of ids";
  EXPECT_EQ(groups_of(sign_in("ben")), both);
  EXPECT_EQ(groups_of(ada), Ids{});
  groups().change_members(press.id, {.remove = {ben_.id}});
  EXPECT_EQ(groups_of(before), Ids{board.id});
  groups().remove(board.id);
  EXPECT_EQ(groups_of(before), Ids{});
}

TEST_P(GroupsTest, SurviveARestartAndOtherChanges) {
  const Group press = make("Press");
  groups().change_members(press.id, {.add = {ben_.id}});
  const auto issued = sign_in("ben");
  reopen();
  EXPECT_EQ(groups_of(issued), Ids{press.id});
  users().change(ben_.id, {.name = "Ben B.", .role = {}, .disabled = {}, .password = {}});
  EXPECT_EQ(groups_of(issued), Ids{press.id});
  EXPECT_EQ(sessions().find(issued.token)->name, "Ben B.");
  EXPECT_EQ(sessions().find(issued.token)->session_id, issued.principal->session_id);
}

TEST_P(GroupsTest, AreGoneWithTheirMembersWhenDeleted) {
  const Group press = make("Press");
  groups().change_members(press.id, {.add = {ada_.id, ben_.id}});
  const Group removed = groups().remove(press.id);
  EXPECT_EQ(removed.name, "Press");
  EXPECT_EQ(removed.members, 2U);
  EXPECT_FALSE(groups().find(press.id));
  EXPECT_EQ(count("SELECT count(*) FROM identity_members"), 0);
  EXPECT_EQ(refusal([&] { groups().remove(press.id); }), "identity.unknown_group");
  EXPECT_NE(make("Press").id, press.id);
}

TEST_P(GroupsTest, AreBounded) {
  database_->exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
      "INSERT INTO identity_groups SELECT 'g' || i, 'g' || i, 'g' || i, '', 0, 0 FROM n");
  const Group last = make("the thousandth");
  EXPECT_EQ(refusal([&] { make("one more"); }), "identity.too_many_groups");

  database_->exec(
      "INSERT INTO identity_members SELECT id, ?1 FROM identity_groups WHERE id LIKE 'g%' LIMIT "
      "199",
      {ben_.id});
  groups().change_members(last.id, {.add = {ben_.id}});
  const Group free = groups().find("g999").value();
  EXPECT_EQ(refusal([&] { groups().change_members(free.id, {.add = {ben_.id}}); }),
            "identity.too_many_groups");
  EXPECT_EQ(logins(free), "");

  database_->exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
      "INSERT INTO identity_members SELECT ?1, 'u' || i FROM n",
      {last.id});
  EXPECT_EQ(groups().find(last.id)->members, Groups::max_members);
  EXPECT_EQ(refusal([&] { groups().change_members(last.id, {.add = {ada_.id}}); }),
            "identity.too_many_members");
}

TEST_P(GroupsTest, AreCurrentForAConcurrentSignIn) {
  const Group press = make("Press");
  for (int round = 0; round < 10; ++round) {
    Sessions::Issued issued;
    std::thread signing([&] { issued = sign_in("ben"); });
    groups().change_members(press.id, {.add = {ben_.id}});
    signing.join();
    ASSERT_EQ(groups_of(issued), Ids{press.id});
    groups().change_members(press.id, {.remove = {ben_.id}});
    ASSERT_EQ(groups_of(issued), Ids{});
  }
}

TEST(NameKey, IsLowerCaseOfAllScripts) {
  EXPECT_EQ(name_key("Ada L."), "ada l.");
  EXPECT_EQ(name_key("\xC3\x89QUIPE \xCE\xA3"), "\xC3\xA9quipe \xCF\x83");
  EXPECT_EQ(name_key("\xE5\xBC\xA0\xE4\xBC\x9F"), "\xE5\xBC\xA0\xE4\xBC\x9F");
  EXPECT_EQ(name_key("\xC3("), "\xC3(");
}

TENON_ON_BOTH_ENGINES(GroupsTest);

}  // namespace tenon::identity
