#include "identity/identity.hpp"

#include <atomic>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "identity/audit_log.hpp"
#include "identity/tests/fixture.hpp"

namespace tenon::identity {

using namespace std::chrono_literals;

using SetupTest = IdentityFixture;
using SignInTest = IdentityFixture;
using AuditTest = IdentityFixture;

namespace {

NewUser first_user() {
  return {.login = "ada", .name = "Ada", .role = Role::member, .password = "correct horse"};
}

}  // namespace

TEST_P(SetupTest, CreatesOneAdminFromTheToken) {
  EXPECT_EQ(identity_->authenticator().challenge().code(), "identity.setup_required");
  const std::string token = identity_->setup().issue_token();
  EXPECT_EQ(token.size(), 43U);
  EXPECT_EQ(refusal([&] { identity_->setup().run(std::string(43, 'x'), first_user()); }),
            "identity.setup_token_wrong");
  EXPECT_EQ(refusal([&] { identity_->setup().run("", first_user()); }),
            "identity.setup_token_wrong");
  EXPECT_EQ(refusal([&] {
              identity_->setup().run(token, {.login = "ada", .name = "", .password = "short"});
            }),
            "identity.validation password:too_short");
  const User ada = identity_->setup().run(token, first_user());
  EXPECT_EQ(ada.role, Role::admin);
  EXPECT_EQ(refusal([&] {
              identity_->setup().run(token, {.login = "eve", .name = "", .password = password});
            }),
            "identity.setup_done");
  EXPECT_EQ(identity_->setup().issue_token(), "");
  EXPECT_EQ(count("SELECT count(*) FROM identity_setup"), 0);
  EXPECT_EQ(identity_->authenticator().challenge().code(), "identity.signed_out");
}

TEST_P(SetupTest, StoresTheTokenAsHashAndReplacesIt) {
  const std::string old_token = identity_->setup().issue_token();
  EXPECT_EQ(count("SELECT count(*) FROM identity_setup WHERE token_hash = '" +
                  base::sha256_hex(old_token) + "'"),
            1);
  reopen();
  const std::string token = identity_->setup().issue_token();
  EXPECT_NE(token, old_token);
  EXPECT_EQ(refusal([&] { identity_->setup().run(old_token, first_user()); }),
            "identity.setup_token_wrong");
  EXPECT_EQ(refusal([&] { identity_->setup().run(token, first_user()); }), "");
}

TEST_P(SetupTest, RefusesASetUpWithoutAToken) {
  EXPECT_EQ(refusal([&] { identity_->setup().run("", first_user()); }),
            "identity.setup_token_wrong");
  EXPECT_EQ(refusal([&] { identity_->setup().run(base::sha256_hex(""), first_user()); }),
            "identity.setup_token_wrong");
}

TEST_P(SetupTest, LetsOneOfTwoConcurrentSetUpsWin) {
  const std::string token = identity_->setup().issue_token();
  std::atomic<int> admins{0};
  std::vector<std::thread> threads;
  for (const char* login : {"ada", "eve"}) {
    threads.emplace_back([&, login] {
      if (refusal([&] {
            identity_->setup().run(token, {.login = login, .name = "", .password = password});
          }).empty())
        ++admins;
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(admins, 1);
  EXPECT_EQ(count("SELECT count(*) FROM identity_users"), 1);
}

TEST_P(SetupTest, EndsWithAUserFromTheCommandLine) {
  const std::string token = identity_->setup().issue_token();
  add("ben", Role::admin);
  EXPECT_EQ(refusal([&] { identity_->setup().run(token, first_user()); }), "identity.setup_done");
}

TEST_P(SignInTest, RefusesUnknownDisabledAndWrongAlike) {
  add("ada", Role::admin);
  users().change(add("ben").id, {.name = {}, .role = {}, .disabled = true, .password = {}});
  std::vector<std::string> errors;
  for (const auto& [login, with] :
       {std::pair("ada", "wrong password"), std::pair("ben", "correct horse"),
        std::pair("unknown", "correct horse")}) {
    try {
      sign_in(login, with);
      ADD_FAILURE() << login;
    } catch (const base::Error& error) {
      errors.push_back(std::to_string(error.status()) + error.code() + error.message());
    }
  }
  EXPECT_EQ(std::set<std::string>(errors.begin(), errors.end()).size(), 1U);
  EXPECT_EQ(sessions().size(), 0U);
}

TEST_P(SignInTest, IsThrottledWithTheTimeToWait) {
  add("ada");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(refusal([&] { sign_in("ada", "wrong password"); }), "identity.wrong_credentials");
  try {
    sign_in("ada");
    ADD_FAILURE() << "not throttled";
  } catch (const Throttled& throttled) {
    EXPECT_EQ(throttled.status(), 429);
    EXPECT_EQ(throttled.code(), "identity.throttled");
    EXPECT_EQ(throttled.retry_after(), 1);
  }
  advance(1s);
  EXPECT_TRUE(is_signed_in(sign_in("ada"))) << "never locked out";
  EXPECT_NE(metrics_->prometheus().find("tenon_identity_sign_ins_total{result=\"throttled\"} 1"),
            std::string::npos);
}

TEST_P(SignInTest, ThrottlesGuessesOfTheOldPassword) {
  add("ada");
  const auto mine = sign_in("ada");
  const auto guess = [&] {
    return refusal([&] {
      identity_->change_own_password(*mine.principal, "a wrong one", "another password",
                                     {"10.0.0.1"});
    });
  };
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(guess(), "identity.wrong_password old_password:wrong");
  EXPECT_EQ(guess(), "identity.throttled");
}

TEST_P(SignInTest, BoundsTheMemoryOfManyAtOnce) {
  add("ada");
  std::atomic<int> other{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 60; ++i) {
    threads.emplace_back([&, i] {
      // Each from an address of its own and for a login of its own: the throttle does not help
      // here.
      const std::string code = refusal([&] {
        identity_->sign_in("user" + std::to_string(i), password, {"10.0.1." + std::to_string(i)},
                           "", "");
      });
      if (code != "identity.wrong_credentials" && code != "identity.busy") ++other;
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(other, 0);
}

TEST_P(AuditTest, RecordsActionsWithoutSecrets) {
  const User ada = add("ada");
  const auto issued = sign_in("ada");
  refusal([&] { sign_in("ada", "wrong password"); });
  refusal([&] { sign_in(std::string(5000, 'x'), "wrong password"); });
  identity_->audit().record(
      {.actor = ada.id, .action = "plugins.disabled", .object = "notes", .details = {}});
  std::vector<std::string> records;
  data::Rows rows = database_->query(
      "SELECT actor, action, object, details, time_ms FROM identity_audit ORDER BY id");
  while (rows.next()) {
    EXPECT_EQ(rows.integer(4), now_);
    std::string record;
    for (int column = 0; column < 4; ++column)
      record += std::string(rows.text(column)) + "|";
    EXPECT_EQ(record.find("password"), std::string::npos);
    EXPECT_EQ(record.find(issued.token), std::string::npos);
    records.push_back(record);
  }
  EXPECT_EQ(records,
            (std::vector<std::string>{
                ada.id + "|session.signed_in|" + issued.principal->session_id +
                    "|{\"address\":\"10.0.0.1\"}|",
                "nobody|session.refused|ada|{\"address\":\"10.0.0.1\"}|",
                "nobody|session.refused|" + std::string(64, 'x') + "|{\"address\":\"10.0.0.1\"}|",
                ada.id + "|plugins.disabled|notes|{}|"}));
}

TEST_P(AuditTest, KeepsOtherRecordsDespiteFailedSignIns) {
  identity_->audit().record(
      {.actor = "system", .action = "users.created", .object = "first", .details = {}});
  // More than one write deletes. Ids of one length, in their order.
  database_->exec(
      "INSERT INTO identity_audit(id, time_ms, actor, action, object, details) WITH RECURSIVE n(i) "
      "AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) SELECT 'r' || (100000 + i), 0, "
      "'nobody', ?2, CAST(i AS TEXT), '{}' FROM n",
      {AuditLog::max_refusals + 7000, AuditLog::refusal});
  identity_->maintain();
  EXPECT_EQ(count("SELECT count(*) FROM identity_audit WHERE action = 'session.refused'"),
            static_cast<std::int64_t>(AuditLog::max_refusals));
  EXPECT_EQ(count("SELECT min(cast(object AS INTEGER)) FROM identity_audit WHERE action = "
                  "'session.refused'"),
            7000)
      << "the oldest go";
  EXPECT_EQ(count("SELECT count(*) FROM identity_audit WHERE object = 'first'"), 1);
}

TEST_P(AuditTest, KeepsTheActionWhenStoringFails) {
  database_->close();
  identity_->audit().record(
      {.actor = "system", .action = "users.created", .object = "x", .details = {}});
}

TEST_P(SignInTest, CountsSessionsInMetrics) {
  add("ada");
  sign_in("ada");
  EXPECT_NE(metrics_->prometheus().find("tenon_identity_sessions 1\n"), std::string::npos);
  identity_.reset();
  EXPECT_EQ(metrics_->prometheus().find("tenon_identity_sessions"), std::string::npos);
}

TENON_ON_BOTH_ENGINES(SetupTest);
TENON_ON_BOTH_ENGINES(SignInTest);
TENON_ON_BOTH_ENGINES(AuditTest);

}  // namespace tenon::identity
