#include "identity/users/users.hpp"

#include <thread>

#include "identity/tests/fixture.hpp"

namespace tenon::identity {

using UsersTest = IdentityFixture;

TEST_P(UsersTest, AreFoundByIdAndCaseInsensitiveLogin) {
  const User made = users().create(
      {.login = "Ada.L", .name = "Ada Lovelace", .role = Role::admin, .password = password});
  for (const auto& found :
       {users().find(made.id), users().find_by_login("ada.l"), users().find_by_login("ADA.L")}) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id, made.id);
    EXPECT_EQ(found->login, "Ada.L");
    EXPECT_EQ(found->name, "Ada Lovelace");
    EXPECT_EQ(found->role, Role::admin);
    EXPECT_FALSE(found->disabled);
    EXPECT_EQ(found->created_ms, now_);
  }
  EXPECT_FALSE(users().find("unknown"));
  EXPECT_FALSE(users().find_by_login("unknown"));
  EXPECT_EQ(add("ben").name, "ben") << "the login replaces a missing name";
}

TEST_P(UsersTest, ReturnNamesOfExistingIds) {
  const std::string ada = add("ada").id;
  add("ben");
  const std::vector<std::pair<std::string, std::string>> expected{{ada, "ada"}};
  EXPECT_EQ(users().names({ada, "unknown", "'\"\\"}), expected);
  EXPECT_TRUE(users().names({}).empty());
}

TEST_P(UsersTest, RefuseLoginsThatDifferInCaseOnly) {
  add("ada");
  EXPECT_EQ(refusal([&] { add("ADA"); }), "identity.login_taken login:taken");
  EXPECT_EQ(count("SELECT count(*) FROM identity_users"), 1);
}

TEST_P(UsersTest, ReportAllInvalidFieldsAtOnce) {
  const auto create = [&](const NewUser& user) { return refusal([&] { users().create(user); }); };
  EXPECT_EQ(create({}), "identity.validation login:required password:required");
  EXPECT_EQ(create({.login = "a b", .name = "x\ny", .password = "1234567"}),
            "identity.validation login:invalid name:invalid password:too_short");
  EXPECT_EQ(create({.login = std::string(65, 'a'),
                    .name = std::string(201, 'a'),
                    .password = std::string(1025, 'a')}),
            "identity.validation login:too_long name:too_long password:too_long");
  EXPECT_EQ(create({.login = "j\xC3\xBCrgen", .name = "\xC3(", .password = password}),
            "identity.validation login:invalid name:invalid");
  EXPECT_EQ(create({.login = "x", .name = "   ", .password = password}),
            "identity.validation name:required");
  EXPECT_EQ(count("SELECT count(*) FROM identity_users"), 0);
  EXPECT_EQ(create({.login = std::string(64, 'a'),
                    .name = std::string(200, 'a'),
                    .password = std::string(1024, 'a')}),
            "");
  EXPECT_EQ(create({.login = "a.b_c@d+e-f", .name = "J\xC3\xBCrgen", .password = "8 bytes!"}), "");
}

TEST_P(UsersTest, KnowWhetherAnyExistAfterARestart) {
  EXPECT_FALSE(users().any());
  add("ada");
  EXPECT_TRUE(users().any());
  reopen();
  EXPECT_TRUE(users().any());
}

TEST_P(UsersTest, AreListedInPages) {
  for (const char* login : {"Eve", "ada", "Cleo", "ben", "dora"})
    add(login);
  std::vector<std::string> logins;
  std::string cursor;
  int pages = 0;
  do {
    const UserPage page = users().list(2, cursor);
    for (const User& user : page.items)
      logins.push_back(user.login);
    cursor = page.next;
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(logins, (std::vector<std::string>{"ada", "ben", "Cleo", "dora", "Eve"}));
  EXPECT_EQ(pages, 3);
  EXPECT_TRUE(users().list(5).next.empty());
  EXPECT_EQ(users().list(0).items.size(), 1U);
}

TEST_P(UsersTest, CanBeWalkedById) {
  std::vector<std::string> ids;
  for (const char* login : {"eve", "ada", "cleo"})
    ids.push_back(add(login).id);
  std::vector<std::string> walked;
  std::string last;
  while (const auto user = users().find_after(last))
    walked.push_back(last = user->id);
  EXPECT_EQ(walked, ids) << "in the order of their creation";
  EXPECT_EQ(users().find_after("0 is no id")->id, ids[0]);
}

TEST_P(UsersTest, CheckPasswordsOfEnabledUsersOnly) {
  const User ada = add("ada", Role::admin);
  const User ben = add("ben");
  EXPECT_TRUE(users().check("ADA", password));
  EXPECT_FALSE(users().check("ada", "wrong password"));
  EXPECT_FALSE(users().check("unknown", password));
  EXPECT_FALSE(users().check("ada", std::string(1025, 'x')));
  users().change(ben.id, {.name = {}, .role = {}, .disabled = true, .password = {}});
  EXPECT_FALSE(users().check("ben", password));
}

TEST_P(UsersTest, SpendAHashOnUnknownUsers) {
  Passwords passwords({});
  const Users mine(*database_, passwords, sessions(), [this] { return now_.load(); });
  ASSERT_EQ(passwords.max_running(), 0U);
  EXPECT_FALSE(mine.check("unknown", password));
  EXPECT_EQ(passwords.max_running(), 1U);
}

TEST_P(UsersTest, StorePasswordsOnlyAsHashes) {
  add("ada");
  EXPECT_EQ(count("SELECT count(*) FROM identity_users WHERE password LIKE '$argon2id$%' AND "
                  "password NOT LIKE '%correct%'"),
            1);
}

TEST_P(UsersTest, ChangeOnlyTheNamedFields) {
  add("ada", Role::admin);
  const User ben = add("ben");
  advance(std::chrono::seconds(1));
  const User changed = users().change(
      ben.id, {.name = "Ben B.", .role = Role::admin, .disabled = {}, .password = {}});
  EXPECT_EQ(changed.name, "Ben B.");
  EXPECT_EQ(changed.role, Role::admin);
  EXPECT_EQ(changed.updated_ms, ben.updated_ms + 1000);
  const User again = users().change(ben.id, {});
  EXPECT_EQ(again.name, "Ben B.");
  EXPECT_EQ(again.role, Role::admin);
  EXPECT_TRUE(users().check("ben", password));
  EXPECT_EQ(refusal([&] { users().change("unknown", {}); }), "identity.unknown_user");
  EXPECT_EQ(refusal([&] {
              users().change(ben.id, {.name = "", .role = {}, .disabled = {}, .password = "x"});
            }),
            "identity.validation name:required password:too_short");
}

TEST_P(UsersTest, KeepTheLastAdmin) {
  const User ada = add("ada", Role::admin);
  const User ben = add("ben", Role::admin);
  users().change(ben.id, {.name = {}, .role = {}, .disabled = true, .password = {}});
  EXPECT_EQ(refusal([&] {
              users().change(ada.id,
                             {.name = {}, .role = Role::member, .disabled = {}, .password = {}});
            }),
            "identity.last_admin");
  EXPECT_EQ(refusal([&] {
              users().change(ada.id, {.name = {}, .role = {}, .disabled = true, .password = {}});
            }),
            "identity.last_admin");
  EXPECT_EQ(users().find(ada.id)->role, Role::admin);
  users().change(ben.id, {.name = {}, .role = {}, .disabled = false, .password = {}});
  EXPECT_EQ(users()
                .change(ada.id, {.name = {}, .role = Role::member, .disabled = {}, .password = {}})
                .role,
            Role::member);
}

TEST_P(UsersTest, KeepOneOfTwoAdminsDemotingEachOther) {
  const User ada = add("ada", Role::admin);
  const User ben = add("ben", Role::admin);
  for (int round = 0; round < 20; ++round) {
    const auto demote = [&](const User& user) {
      refusal([&] {
        users().change(user.id, {.name = {}, .role = Role::member, .disabled = {}, .password = {}});
      });
    };
    std::thread first([&] { demote(ada); });
    std::thread second([&] { demote(ben); });
    first.join();
    second.join();
    ASSERT_EQ(count("SELECT count(*) FROM identity_users WHERE role = 'admin'"), 1);
    for (const User& user : {ada, ben})
      users().change(user.id, {.name = {}, .role = Role::admin, .disabled = {}, .password = {}});
  }
}

TEST_P(UsersTest, RejectCommonPasswordsAndTheLogin) {
  const auto create = [&](const char* login, const char* wanted) {
    return refusal([&] { users().create({.login = login, .name = {}, .password = wanted}); });
  };
  for (const char* common : {"password", "12345678", "qwertyuiop", "PassWord", "Iloveyou1"})
    EXPECT_EQ(create("ada", common), "identity.validation password:too_common") << common;
  EXPECT_EQ(create("Ada.Lovelace", "ada.lovelace"), "identity.validation password:is_login");
  // Not lines of the list: a part of one, and two of them.
  EXPECT_EQ(create("one", "0.0.0.00"), "");
  EXPECT_EQ(create("two", "!qaz2wsx\n%%passwo"), "");

  const User ben = add("ben.miller");
  const auto change = [&](const char* wanted) {
    return refusal([&] {
      users().change(ben.id, {.name = {}, .role = {}, .disabled = {}, .password = wanted});
    });
  };
  EXPECT_EQ(change("sunshine"), "identity.validation password:too_common");
  EXPECT_EQ(change("BEN.MILLER"), "identity.validation password:is_login");
  EXPECT_EQ(refusal([&] { users().change_password(ben.id, password, "computer", ""); }),
            "identity.validation new_password:too_common");
  EXPECT_EQ(refusal([&] { users().change_password(ben.id, password, "ben.miller", ""); }),
            "identity.validation new_password:is_login");
  EXPECT_TRUE(users().check("ben.miller", password));
}

TEST_P(UsersTest, RequireTheOldPasswordForANewOne) {
  const User ada = add("ada");
  EXPECT_EQ(
      refusal([&] { users().change_password(ada.id, "not the old one", "a new password", ""); }),
      "identity.wrong_password old_password:wrong");
  EXPECT_EQ(refusal([&] { users().change_password(ada.id, password, "short", ""); }),
            "identity.validation new_password:too_short");
  EXPECT_TRUE(users().check("ada", password));
  users().change_password(ada.id, password, "a new password", "");
  EXPECT_FALSE(users().check("ada", password));
  EXPECT_TRUE(users().check("ada", "a new password"));
}

TENON_ON_BOTH_ENGINES(UsersTest);

}  // namespace tenon::identity
