#include "identity/sessions/sessions.hpp"

#include <atomic>
#include <set>
#include <thread>

#include "identity/sessions/cookie.hpp"
#include "identity/tests/fixture.hpp"

namespace tenon::identity {

namespace {

using namespace std::chrono_literals;

class SessionsTest : public IdentityFixture {
 protected:
  SessionsTest() {
    ada_ = add("ada", Role::admin);
    ben_ = add("ben");
  }
  User ada_;
  User ben_;
};

UserChange disable() {
  return {.name = {}, .role = {}, .disabled = true, .password = {}};
}
UserChange new_password() {
  return {.name = {}, .role = {}, .disabled = {}, .password = "another password"};
}

}  // namespace

TEST_P(SessionsTest, NameTheirUser) {
  const auto issued = sign_in("ben");
  const PrincipalPtr principal = sessions().find(issued.token);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->user_id, ben_.id);
  EXPECT_EQ(principal->login, "ben");
  EXPECT_EQ(principal->role, Role::member);
  EXPECT_EQ(principal, sessions().find(issued.token)) << "one object for all requests of a session";
  EXPECT_EQ(issued.expires_ms, now_ + limits_.absolute.count());
}

TEST_P(SessionsTest, FindsNoUserForUnknownTokens) {
  const auto issued = sign_in("ben");
  std::string changed = issued.token;
  changed[5] = changed[5] == 'A' ? 'B' : 'A';
  for (const std::string& token :
       {std::string(), changed, issued.token + "A", issued.token.substr(1), std::string(43, '\0'),
        std::string(1'000'000, 'A')}) {
    EXPECT_FALSE(sessions().find(token));
  }
}

TEST_P(SessionsTest, StoreRandomTokensAsHashes) {
  std::set<std::string> tokens;
  for (int i = 0; i < 3; ++i)
    tokens.insert(sign_in("ben").token);
  EXPECT_EQ(tokens.size(), 3U);
  for (const std::string& token : tokens) {
    EXPECT_EQ(token.size(), 43U) << "256 bits in base64url";
    data::Rows rows = database_->query("SELECT * FROM identity_sessions");
    while (rows.next()) {
      for (int column = 0; column < rows.columns(); ++column)
        EXPECT_EQ(rows.text(column).find(token), std::string::npos);
    }
  }
}

TEST_P(SessionsTest, SurviveARestart) {
  const auto issued = sign_in("ben");
  reopen();
  const PrincipalPtr principal = sessions().find(issued.token);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->user_id, ben_.id);
  EXPECT_EQ(principal->session_id, issued.principal->session_id);
}

TEST_P(SessionsTest, EndWhenNotUsed) {
  const auto issued = sign_in("ben");
  advance(limits_.idle - 1ms);
  ASSERT_TRUE(is_signed_in(issued)) << "and this was a use";
  advance(limits_.idle - 1ms);
  ASSERT_TRUE(is_signed_in(issued));
  advance(limits_.idle);
  EXPECT_FALSE(is_signed_in(issued));
  EXPECT_TRUE(sessions().of_user(ben_.id).empty());
}

TEST_P(SessionsTest, EndAtTheLatest) {
  const auto issued = sign_in("ben");
  for (auto time = 0ms; time < limits_.absolute - 1h; time += 24h) {
    ASSERT_TRUE(is_signed_in(issued));
    advance(24h);
  }
  EXPECT_FALSE(is_signed_in(issued));
}

TEST_P(SessionsTest, RemovesExpiredSessionsAndPublishesThem) {
  sign_in("ben");
  advance(limits_.idle);
  const auto kept = sign_in("ben");
  published();
  sessions().sweep();
  EXPECT_EQ(sessions().size(), 1U);
  EXPECT_EQ(count("SELECT count(*) FROM identity_sessions"), 1);
  ASSERT_EQ(published().size(), 1U);
  EXPECT_TRUE(is_signed_in(kept));
}

TEST_P(SessionsTest, StoreTheirLastUseInTheSweep) {
  const auto issued = sign_in("ben");
  advance(limits_.idle - 1h);
  ASSERT_TRUE(is_signed_in(issued));
  sessions().sweep();
  reopen();
  advance(limits_.idle - 1h);
  EXPECT_TRUE(is_signed_in(issued)) << "the use before the restart counts";
}

TEST_P(SessionsTest, StayExpiredAfterARestart) {
  const auto issued = sign_in("ben");
  advance(limits_.idle);
  reopen();
  EXPECT_FALSE(is_signed_in(issued));
  EXPECT_EQ(sessions().size(), 0U);
}

TEST_P(SessionsTest, AreRotatedAtSignIn) {
  const auto before = sign_in("ben");
  const auto after = sign_in("ada", password, before.token);
  EXPECT_FALSE(is_signed_in(before));
  EXPECT_TRUE(is_signed_in(after));
  EXPECT_NE(before.token, after.token);
  EXPECT_EQ(refusal([&] { sign_in("ada", "wrong password", after.token); }),
            "identity.wrong_credentials");
  EXPECT_TRUE(is_signed_in(after)) << "a failed sign-in takes nothing away";
}

TEST_P(SessionsTest, AreListedAndEndedOneByOne) {
  const auto first = sign_in("ben");
  advance(1s);
  const auto second = sign_in("ben");
  const auto of_ada = sign_in("ada");
  const auto list = sessions().of_user(ben_.id);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].id, first.principal->session_id);
  EXPECT_EQ(list[0].address, "10.0.0.1");
  EXPECT_EQ(list[0].user_agent, "Test/1.0");
  EXPECT_FALSE(sessions().end(ben_.id, of_ada.principal->session_id)) << "not one's own";
  EXPECT_FALSE(sessions().end(ben_.id, "no such session"));
  EXPECT_TRUE(published().empty());
  EXPECT_TRUE(sessions().end(ben_.id, list[0].id));
  EXPECT_FALSE(sessions().end(ben_.id, list[0].id));
  EXPECT_FALSE(is_signed_in(first));
  EXPECT_TRUE(is_signed_in(second));
  EXPECT_TRUE(is_signed_in(of_ada));
  reopen();
  EXPECT_FALSE(is_signed_in(first));
  EXPECT_TRUE(is_signed_in(second));
}

TEST_P(SessionsTest, EndWhenTheirUserIsDisabled) {
  const auto of_ben = sign_in("ben");
  const auto of_ada = sign_in("ada");
  users().change(ben_.id, disable());
  EXPECT_FALSE(is_signed_in(of_ben));
  EXPECT_TRUE(is_signed_in(of_ada));
  const auto events = published();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0], session_event(of_ben.principal->session_id, ben_.id, SessionEnd::disabled));
  users().change(ben_.id, {.name = {}, .role = {}, .disabled = false, .password = {}});
  EXPECT_FALSE(is_signed_in(of_ben));
  reopen();
  EXPECT_FALSE(is_signed_in(of_ben));
}

TEST_P(SessionsTest, EndWithANewPassword) {
  const auto of_ben = sign_in("ben");
  users().change(ben_.id, new_password());
  EXPECT_FALSE(is_signed_in(of_ben));
  EXPECT_EQ(published(), std::vector<std::string>{session_event(of_ben.principal->session_id,
                                                                ben_.id, SessionEnd::signed_out)});
  EXPECT_TRUE(is_signed_in(sign_in("ben", "another password")));
}

TEST_P(SessionsTest, KeepTheSessionThatChangedThePassword) {
  const auto other = sign_in("ben");
  const auto mine = sign_in("ben");
  identity_->change_own_password(*mine.principal, password, "another password", {"10.0.0.1"});
  EXPECT_FALSE(is_signed_in(other));
  EXPECT_TRUE(is_signed_in(mine));
  EXPECT_EQ(published(), std::vector<std::string>{session_event(other.principal->session_id,
                                                                ben_.id, SessionEnd::signed_out)});
  reopen();
  EXPECT_FALSE(is_signed_in(other));
  EXPECT_TRUE(is_signed_in(mine));
  users().change(ben_.id, {.name = {}, .role = {}, .disabled = {}, .password = "a third password"});
  EXPECT_FALSE(is_signed_in(mine));
}

TEST_P(SessionsTest, AreVoidWhenTheirRowsOutliveTheirEnd) {
  const auto of_ben = sign_in("ben");
  // As a crash right after the new password was committed would leave it.
  database_->exec("UPDATE identity_users SET generation = generation + 1 WHERE id = ?1", {ben_.id});
  reopen();
  EXPECT_FALSE(is_signed_in(of_ben));
}

TEST_P(SessionsTest, ShowAChangedRoleAtTheNextRequest) {
  const auto of_ben = sign_in("ben");
  users().change(ben_.id,
                 {.name = "Benjamin", .role = Role::admin, .disabled = {}, .password = {}});
  const PrincipalPtr principal = sessions().find(of_ben.token);
  ASSERT_TRUE(principal);
  EXPECT_EQ(principal->name, "Benjamin");
  EXPECT_EQ(principal->role, Role::admin);
  EXPECT_EQ(principal->session_id, of_ben.principal->session_id);
  EXPECT_EQ(of_ben.principal->role, Role::member) << "a principal in use does not change";
  EXPECT_TRUE(published().empty());
}

TEST_P(SessionsTest, CannotBeOpenedForADisabledUser) {
  const User checked = *users().check("ben", password);
  users().change(ben_.id, disable());
  EXPECT_EQ(refusal([&] { sessions().issue(checked, "10.0.0.1", ""); }),
            "identity.wrong_credentials");
  users().change(ben_.id, {.name = {}, .role = {}, .disabled = false, .password = {}});
  EXPECT_EQ(refusal([&] { sessions().issue(checked, "10.0.0.1", ""); }),
            "identity.wrong_credentials");
  EXPECT_EQ(sessions().size(), 0U);
}

TEST_P(SessionsTest, AreBoundedForEachUser) {
  limits_.per_user = 3;
  reopen();
  std::vector<Sessions::Issued> issued;
  for (int i = 0; i < 3; ++i) {
    advance(1s);
    issued.push_back(sign_in("ben"));
  }
  advance(1s);
  ASSERT_TRUE(is_signed_in(issued[0]));
  issued.push_back(sign_in("ben"));
  EXPECT_TRUE(is_signed_in(issued[0]));
  EXPECT_FALSE(is_signed_in(issued[1])) << "the one that was not used longest";
  EXPECT_TRUE(is_signed_in(issued[2]));
  EXPECT_TRUE(is_signed_in(issued[3]));
  EXPECT_EQ(count("SELECT count(*) FROM identity_sessions"), 3);
  EXPECT_EQ(published().size(), 1U);
}

TEST_P(SessionsTest, KeepOnlyPrintableFactsOfTheBrowser) {
  const auto issued =
      sessions().issue(*users().find(ben_.id), std::string(100, '1'), std::string(500, 'x') + "\n");
  const auto other = sessions().issue(*users().find(ben_.id), "::1", "a\x1b[31m\nb\xC3\xA9");
  const auto list = sessions().of_user(ben_.id);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].user_agent, std::string(200, 'x'));
  EXPECT_EQ(list[0].address.size(), 64U);
  EXPECT_EQ(list[1].user_agent, "a?[31m?b??");
}

TEST_P(SessionsTest, ShowAnEventToItsHolderOnly) {
  const auto of_ben = sign_in("ben");
  const events::Event event{
      1, std::string(session_topic),
      session_event(of_ben.principal->session_id, ben_.id, SessionEnd::disabled)};
  EXPECT_EQ(event_for_session(event, of_ben.principal->session_id), "{\"reason\":\"disabled\"}");
  EXPECT_EQ(event_for_session(event, ben_.id), std::nullopt) << "an id that is merely in it";
  EXPECT_EQ(event_for_session(event, sign_in("ada").principal->session_id), std::nullopt);
  EXPECT_EQ(event_for_session({2, "core.plugins", event.data}, of_ben.principal->session_id),
            std::nullopt);
}

TEST_P(SessionsTest, CanBeReadWhileTheyChange) {
  const auto steady = sign_in("ada");
  const User ben = *users().find(ben_.id);
  std::atomic<bool> stop{false};
  std::atomic<int> lost{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        if (!is_signed_in(steady)) ++lost;
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop)
      sessions().sweep();
  });
  threads.emplace_back([&] {
    for (int i = 0; !stop; ++i)
      users().change(
          ada_.id,
          {.name = "Ada " + std::to_string(i), .role = {}, .disabled = {}, .password = {}});
  });
  for (int i = 0; i < 100; ++i) {
    const auto issued = sessions().issue(ben, "10.0.0.1", "");
    EXPECT_TRUE(is_signed_in(issued));
    EXPECT_TRUE(sessions().end(ben.id, issued.principal->session_id));
    EXPECT_FALSE(is_signed_in(issued));
  }
  stop = true;
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(sessions().size(), 1U);
}

// Once the user is disabled, no session of theirs is alive in memory or comes back from the file,
// whatever comes between.
TEST_P(SessionsTest, AllowNoSignInPastDisabling) {
  for (int round = 0; round < 25; ++round) {
    const User ben =
        users().change(ben_.id, {.name = {}, .role = {}, .disabled = false, .password = {}});
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] { refusal([&] { sessions().issue(ben, "10.0.0.1", ""); }); });
    }
    threads.emplace_back([&] { users().change(ben_.id, disable()); });
    for (auto& thread : threads)
      thread.join();
    ASSERT_EQ(sessions().size(), 0U);
    ASSERT_EQ(count("SELECT count(*) FROM identity_sessions"), 0);
  }
}

TEST_P(SessionsTest, AreReadFromTheCookieOfTheConnection) {
  const Authenticator& authenticator = identity_->authenticator();
  const auto issued = sign_in("ben");
  const std::string plain = "a=b; tenon_session=" + issued.token;
  const std::string host = "__Host-tenon_session=" + issued.token;
  EXPECT_TRUE(authenticator.authenticate({.cookie = plain, .authorization = {}, .secure = false}));
  EXPECT_TRUE(authenticator.authenticate({.cookie = host, .authorization = {}, .secure = true}));
  EXPECT_FALSE(authenticator.authenticate({.cookie = plain, .authorization = {}, .secure = true}));
  EXPECT_FALSE(authenticator.authenticate({.cookie = host, .authorization = {}, .secure = false}));
  EXPECT_FALSE(authenticator.authenticate(
      {.cookie = {}, .authorization = "Bearer " + issued.token, .secure = false}));
  EXPECT_EQ(authenticator.challenge().code(), "identity.signed_out");
}

TENON_ON_BOTH_ENGINES(SessionsTest);

}  // namespace tenon::identity
