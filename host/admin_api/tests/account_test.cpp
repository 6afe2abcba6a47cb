#include <algorithm>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <gtest/gtest.h>

#include "admin_api/account/account_routes.hpp"
#include "admin_api/tests/console_fixture.hpp"
#include "base/json.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/setup.hpp"

namespace tenon::console {

namespace {

using identity::Role;

std::string user_id(const Reply& reply) {
  const auto object = base::parse_json_object(reply.body);
  return (object->has("user") ? object->getObject("user") : object)->getValue<std::string>("id");
}

class Account : public ConsoleFixture {
 protected:
  Account() : ada_(add("ada", Role::admin)), ben_(add("ben")) {}
  ~Account() override {
    const std::string log = log_text();
    for (const char* secret :
         {"correct horse", "another password", "$argon2id", "tenon_session="}) {
      EXPECT_EQ(log.find(secret), std::string::npos) << "in the log: " << secret;
    }
  }
  identity::User ada_;
  identity::User ben_;
};

struct Scenario {
  const char* name;
  const char* method;
  std::string path;
  std::string body;
  const char* as;  ///< "", "ada" (admin) or "ben" (member)
  int status;
  const char* code;
  const char* fields = "";
  const char* contains = "";
};

}  // namespace

TEST_P(Account, RespondsAsEachRoleAllows) {
  const std::string ben = "/api/core/users/" + ben_.id;
  const std::string new_user =
      R"({"login":"cleo","name":"Cleo","role":"member","password":"another password"})";
  const std::string new_password =
      R"({"old_password":"correct horse","new_password":"another password"})";
  const std::vector<Scenario> scenarios{
      {"session of signed-out user", "GET", "/api/core/session", "", "", 401,
       "identity.signed_out"},
      {"session of a member", "GET", "/api/core/session", "", "ben", 200, "", "",
       R"("permissions":["notes.use"])"},
      {"session of an admin", "GET", "/api/core/session", "", "ada", 200, "", "",
       R"("permissions":["notes.manage","notes.use"])"},
      {"signing out when signed out", "DELETE", "/api/core/session", "", "", 204, ""},

      {"sign-in without anything", "POST", "/api/core/session", "", "", 422, "identity.validation",
       "login:required password:required"},
      {"sign-in with wrong types", "POST", "/api/core/session", R"({"login":1,"password":null})",
       "", 422, "identity.validation", "login:type password:required"},
      {"sign-in with an unknown field", "POST", "/api/core/session",
       R"({"login":"ada","password":"x","otp":"1"})", "", 422, "identity.validation",
       "otp:unknown"},
      {"sign-in with an array", "POST", "/api/core/session", R"(["ada"])", "", 400, "json.invalid"},
      {"sign-in with broken JSON", "POST", "/api/core/session", R"({"login":)", "", 400,
       "json.invalid"},
      {"sign-in with a wrong password", "POST", "/api/core/session",
       R"({"login":"ada","password":"wrong password"})", "", 401, "identity.wrong_credentials"},
      {"sign-in of an unknown user", "POST", "/api/core/session",
       R"({"login":"eve","password":"correct horse"})", "", 401, "identity.wrong_credentials"},
      {"set-up when it is done", "POST", "/api/core/setup",
       R"({"token":"x","login":"eve","name":"Eve","password":"correct horse"})", "", 404,
       "identity.setup_done"},

      {"users for signed-out user", "GET", "/api/core/users", "", "", 401, "identity.signed_out"},
      {"users for a member", "GET", "/api/core/users", "", "ben", 403, "identity.forbidden"},
      {"users for an admin", "GET", "/api/core/users", "", "ada", 200, "", "", R"("login":"ben")"},
      {"users with a wrong limit", "GET", "/api/core/users?limit=0", "", "ada", 422,
       "identity.validation", "limit:invalid"},
      {"users with another wrong limit", "GET", "/api/core/users?limit=201", "", "ada", 422,
       "identity.validation", "limit:invalid"},
      {"a page of users", "GET", "/api/core/users?limit=1", "", "ada", 200, "", "",
       R"("next":"ada")"},
      {"the next page", "GET", "/api/core/users?limit=1&cursor=ada", "", "ada", 200, "", "",
       R"("next":null)"},

      {"new user by signed-out user", "POST", "/api/core/users", new_user, "", 401,
       "identity.signed_out"},
      {"new user by a member", "POST", "/api/core/users", new_user, "ben", 403,
       "identity.forbidden"},
      {"new user without fields", "POST", "/api/core/users", "{}", "ada", 422,
       "identity.validation", "login:required password:required"},
      {"new user with wrong fields", "POST", "/api/core/users",
       R"({"login":"a b","role":"owner","password":"short"})", "ada", 422, "identity.validation",
       "role:invalid"},
      {"new user with values that will not do", "POST", "/api/core/users",
       R"({"login":"a b","password":"short"})", "ada", 422, "identity.validation",
       "login:invalid password:too_short"},
      {"new user with a taken login", "POST", "/api/core/users",
       R"({"login":"BEN","password":"another password"})", "ada", 409, "identity.login_taken",
       "login:taken"},
      {"new user", "POST", "/api/core/users", new_user, "ada", 201, "", "", R"("login":"cleo")"},

      {"change by signed-out user", "PATCH", ben, R"({"name":"B"})", "", 401,
       "identity.signed_out"},
      {"change by a member, of oneself too", "PATCH", ben, R"({"role":"admin"})", "ben", 403,
       "identity.forbidden"},
      {"change of unknown user", "PATCH", "/api/core/users/none", R"({"name":"B"})", "ada", 404,
       "identity.unknown_user"},
      {"change with wrong types", "PATCH", ben, R"({"name":1,"disabled":"yes","role":"x"})", "ada",
       422, "identity.validation", "name:type role:invalid disabled:type"},
      {"change of what cannot be", "PATCH", ben, R"({"login":"benjamin"})", "ada", 422,
       "identity.validation", "login:unknown"},
      {"change of the name", "PATCH", ben, R"({"name":"Benjamin <b>"})", "ada", 200, "", "",
       R"("name":"Benjamin \u003cb>")"},
      {"the last admin demotes themselves", "PATCH", "/api/core/users/" + ada_.id,
       R"({"role":"member"})", "ada", 409, "identity.last_admin"},
      {"the last admin disables themselves", "PATCH", "/api/core/users/" + ada_.id,
       R"({"disabled":true})", "ada", 409, "identity.last_admin"},
      {"an admin's own password without the old one", "PATCH", "/api/core/users/" + ada_.id,
       R"({"password":"another password"})", "ada", 422, "identity.validation", "password:own"},

      {"password by signed-out user", "POST", "/api/core/account/password", new_password, "", 401,
       "identity.signed_out"},
      {"password without the old one", "POST", "/api/core/account/password",
       R"({"new_password":"another password"})", "ben", 422, "identity.validation",
       "old_password:required"},
      {"password with a wrong old one", "POST", "/api/core/account/password",
       R"({"old_password":"wrong password","new_password":"another password"})", "ben", 403,
       "identity.wrong_password", "old_password:wrong"},
      {"password that is too short", "POST", "/api/core/account/password",
       R"({"old_password":"correct horse","new_password":"short"})", "ben", 422,
       "identity.validation", "new_password:too_short"},
      {"password", "POST", "/api/core/account/password", new_password, "ben", 204, ""},

      {"sessions of signed-out user", "GET", "/api/core/sessions", "", "", 401,
       "identity.signed_out"},
      {"sessions", "GET", "/api/core/sessions", "", "ben", 200, "", "", R"("current":true)"},
      {"end of a session by signed-out user", "DELETE", "/api/core/sessions/x", "", "", 401,
       "identity.signed_out"},
      {"end of no session", "DELETE", "/api/core/sessions/x", "", "ben", 404,
       "identity.unknown_session"},
      {"a method that is not", "PUT", "/api/core/users", "{}", "ada", 405,
       "http.method_not_allowed"},
  };
  std::map<std::string, std::string> cookies{{"", ""}};
  for (const char* login : {"ada", "ben"})
    cookies[login] = sign_in(login);
  for (const Scenario& scenario : scenarios) {
    SCOPED_TRACE(scenario.name);
    const Reply reply = send(scenario.method, scenario.path, scenario.body, cookies[scenario.as]);
    EXPECT_EQ(reply.status, scenario.status) << reply.body;
    EXPECT_EQ(reply.code(), scenario.code) << reply.body;
    EXPECT_NE(reply.body.find(scenario.contains), std::string::npos) << reply.body;
    EXPECT_EQ(reply.header("cache-control"), "no-store");
    EXPECT_EQ(reply.cookie(), "");
    if (reply.status >= 400) {
      EXPECT_EQ(reply.fields(), scenario.fields) << reply.body;
      EXPECT_EQ(reply.header("content-type"), "application/problem+json");
    }
    for (const char* secret : {"correct horse", "another password", "$argon2", "token_hash", ".cpp",
                               "SELECT", "identity_users"}) {
      EXPECT_EQ(reply.body.find(secret), std::string::npos) << secret << " in " << reply.body;
    }
  }
}

TEST_P(Account, SignsInAndOut) {
  const Reply reply =
      send("POST", "/api/core/session", R"({"login":"BEN","password":"correct horse"})");
  ASSERT_EQ(reply.status, 201);
  EXPECT_EQ(
      reply.body,
      R"({"user":{"id":")" + ben_.id +
          R"(","login":"ben","name":"ben","role":"member"},"permissions":["notes.use"],"groups":[]})");
  const std::string& set = reply.headers.at("set-cookie");
  EXPECT_TRUE(set.starts_with("tenon_session=")) << set;
  EXPECT_NE(set.find("; Path=/; HttpOnly; SameSite=Lax; Max-Age="), std::string::npos) << set;
  EXPECT_EQ(set.find("Secure"), std::string::npos) << set;
  const std::string cookie = reply.cookie();
  EXPECT_EQ(send("GET", "/api/core/session", "", cookie).body, reply.body);

  const Reply out = send("DELETE", "/api/core/session", "", cookie);
  EXPECT_EQ(out.status, 204);
  EXPECT_NE(out.headers.at("set-cookie").find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(send("GET", "/api/core/session", "", cookie).status, 401);
  EXPECT_EQ(audited(), (std::vector<std::string>{"session.signed_in", "session.signed_out"}));
}

TEST_P(Account, SigningInAgainEndsTheSessionBefore) {
  const std::string old_cookie = sign_in("ben");
  const Reply again = send("POST", "/api/core/session",
                           R"({"login":"ben","password":"correct horse"})", old_cookie);
  ASSERT_EQ(again.status, 201);
  EXPECT_EQ(send("GET", "/api/core/session", "", old_cookie).status, 401);
  EXPECT_EQ(send("GET", "/api/core/session", "", again.cookie()).status, 200);
}

TEST_P(Account, ThrottleSaysHowLongToWait) {
  const std::string wrong = R"({"login":"ben","password":"wrong password"})";
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(send("POST", "/api/core/session", wrong).status, 401);
  Reply reply = send("POST", "/api/core/session", R"({"login":"ben","password":"correct horse"})");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.code(), "identity.throttled");
  EXPECT_EQ(reply.header("retry-after"), "1");
  now_ += 1000;
  EXPECT_EQ(send("POST", "/api/core/session", wrong).status, 401);
  EXPECT_EQ(send("POST", "/api/core/session", wrong).header("retry-after"), "2");
  EXPECT_EQ(
      send("POST", "/api/core/session", R"({"login":"ada","password":"correct horse"})").status,
      201)
      << "others continue";
  now_ += 2000;
  sign_in("ben");
  const auto actions = audited();
  EXPECT_EQ(std::count(actions.begin(), actions.end(), "session.refused"), 6);
}

TEST_P(Account, RequestsFromOtherSitesDoNothing) {
  const std::string cookie = sign_in("ada");
  const std::string body = R"({"login":"eve","role":"admin","password":"another password"})";
  for (const std::map<std::string, std::string>& headers :
       std::vector<std::map<std::string, std::string>>{
           {{"Sec-Fetch-Site", "cross-site"}},
           {{"Sec-Fetch-Site", "same-site"}},
           {{"Sec-Fetch-Site", ""}, {"Origin", "https://evil.example"}}}) {
    const Reply reply = send("POST", "/api/core/users", body, cookie, headers);
    EXPECT_EQ(reply.status, 403) << reply.body;
  }
  EXPECT_FALSE(identity().users().find_by_login("eve"));
}

TEST_P(Account, OwnPasswordEndsTheOtherSessions) {
  const std::string here = sign_in("ben");
  const std::string elsewhere = sign_in("ben");
  ASSERT_EQ(send("POST", "/api/core/account/password",
                 R"({"old_password":"correct horse","new_password":"another password"})", here)
                .status,
            204);
  EXPECT_EQ(send("GET", "/api/core/session", "", here).status, 200);
  EXPECT_EQ(send("GET", "/api/core/session", "", elsewhere).status, 401);
  EXPECT_EQ(
      send("POST", "/api/core/session", R"({"login":"ben","password":"correct horse"})").status,
      401);
  sign_in("ben", "another password");
}

TEST_P(Account, DisablingEndsSessionsWithTheNextRequest) {
  const std::string admin = sign_in("ada");
  const std::string member = sign_in("ben");
  ASSERT_EQ(send("PATCH", "/api/core/users/" + ben_.id, R"({"disabled":true})", admin).status, 200);
  EXPECT_EQ(send("GET", "/api/core/session", "", member).status, 401);
  EXPECT_EQ(
      send("POST", "/api/core/session", R"({"login":"ben","password":"correct horse"})").code(),
      "identity.wrong_credentials");
}

TEST_P(Account, PromotionIsInForceWithTheNextRequest) {
  const std::string admin = sign_in("ada");
  const std::string member = sign_in("ben");
  EXPECT_EQ(send("GET", "/api/core/users", "", member).status, 403);
  ASSERT_EQ(send("PATCH", "/api/core/users/" + ben_.id, R"({"role":"admin"})", admin).status, 200);
  EXPECT_EQ(send("GET", "/api/core/users", "", member).status, 200);
  ASSERT_EQ(send("PATCH", "/api/core/users/" + ben_.id, R"({"role":"member"})", admin).status, 200);
  EXPECT_EQ(send("GET", "/api/core/users", "", member).status, 403);
}

TEST_P(Account, SessionsAreOnesOwn) {
  const std::string first = sign_in("ben");
  const std::string second = sign_in("ben");
  const std::string admin = sign_in("ada");
  const auto items = base::parse_json_object(send("GET", "/api/core/sessions", "", second).body)
                         ->getArray("items");
  ASSERT_EQ(items->size(), 2U);
  EXPECT_FALSE(items->getObject(0)->getValue<bool>("current"));
  EXPECT_TRUE(items->getObject(1)->getValue<bool>("current"));
  EXPECT_EQ(items->getObject(0)->getValue<std::string>("user_agent"), "Test/1.0");
  EXPECT_EQ(items->getObject(0)->getValue<std::string>("address"), "127.0.0.1");
  const std::string path = "/api/core/sessions/" + items->getObject(0)->getValue<std::string>("id");
  EXPECT_EQ(send("DELETE", path, "", admin).status, 404) << "not even by an admin";
  EXPECT_EQ(send("DELETE", path, "", second).status, 204);
  EXPECT_EQ(send("GET", "/api/core/session", "", first).status, 401);
  EXPECT_EQ(send("GET", "/api/core/session", "", second).status, 200);
  const Reply own =
      send("DELETE", "/api/core/sessions/" + items->getObject(1)->getValue<std::string>("id"), "",
           second);
  EXPECT_EQ(own.status, 204);
  EXPECT_NE(own.headers.at("set-cookie").find("Max-Age=0"), std::string::npos);
}

TEST_P(Account, BodiesAreBounded) {
  const std::string body =
      R"({"login":"ada","password":")" + std::string(AccountRoutes::body_limit, 'x') + R"("})";
  EXPECT_EQ(send("POST", "/api/core/session", body).status, 413);
}

TEST_P(ConsoleFixture, SetUpMakesTheFirstAdmin) {
  EXPECT_EQ(send("GET", "/api/core/session").code(), "identity.setup_required");
  const std::string token = identity().setup().issue_token();
  const auto body = [](const std::string& with) {
    return R"({"token":")" + with + R"(","login":"ada","name":"Ada","password":"correct horse"})";
  };
  EXPECT_EQ(send("POST", "/api/core/setup", "{}").fields(),
            "token:required login:required password:required");
  EXPECT_EQ(send("POST", "/api/core/setup", body("x")).code(), "identity.setup_token_wrong");
  const Reply done = send("POST", "/api/core/setup", body(token));
  ASSERT_EQ(done.status, 201) << done.body;
  EXPECT_NE(done.body.find(R"("role":"admin")"), std::string::npos);
  EXPECT_EQ(done.body.find(token), std::string::npos);
  EXPECT_EQ(user_id(send("GET", "/api/core/session", "", done.cookie())), user_id(done));
  EXPECT_EQ(send("POST", "/api/core/setup", body(token)).code(), "identity.setup_done");
  EXPECT_EQ(audited(), std::vector<std::string>{"setup.done"});
  EXPECT_EQ(log_text().find(token), std::string::npos);
}

TENON_ON_BOTH_ENGINES(Account);
TENON_ON_BOTH_ENGINES(ConsoleFixture);

}  // namespace tenon::console
