#include "admin_api/control_socket/commands.hpp"

#include <stdexcept>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <gtest/gtest.h>

#include "admin_api/control_socket/user_commands.hpp"
#include "admin_api/tests/console_fixture.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

namespace tenon::console {

namespace {

class UserCommands : public ConsoleFixture {
 protected:
  UserCommands() { add_user_commands(commands_, identity()); }
  Poco::JSON::Object::Ptr run(const char* name, const std::string& arguments) {
    return base::parse_json_object(commands_.run(name, arguments));
  }
  std::string refusal(const char* name, const std::string& arguments) {
    try {
      commands_.run(name, arguments);
    } catch (const base::Error& error) {
      std::string text = error.code();
      for (const auto& field : error.fields())
        text += " " + field.field + ":" + field.code;
      return text;
    }
    return "";
  }
  Commands commands_;
};

}  // namespace

TEST_P(UserCommands, AddListDisableAndResetPassword) {
  const auto ada = run("user.add", R"({"login":"ada","role":"admin","password":"correct horse"})");
  EXPECT_EQ(ada->getValue<std::string>("role"), "admin");
  EXPECT_FALSE(ada->has("password")) << "a given password is not repeated";
  const auto ben = run("user.add", R"({"login":"ben","name":"Ben B.","role":"member"})");
  const auto made_up = ben->getValue<std::string>("password");
  EXPECT_EQ(made_up.size(), 20U);
  const std::string cookie = sign_in("ben", made_up);

  const auto items = run("user.list", "{}")->getArray("items");
  ASSERT_EQ(items->size(), 2U);
  EXPECT_EQ(items->getObject(1)->getValue<std::string>("name"), "Ben B.");
  EXPECT_FALSE(items->getObject(1)->has("password"));

  const auto new_password =
      run("user.reset_password", R"({"login":"BEN"})")->getValue<std::string>("password");
  EXPECT_EQ(send("GET", "/api/core/session", "", cookie).status, 401);
  sign_in("ben", new_password);
  EXPECT_TRUE(run("user.disable", R"({"login":"ben"})")->getValue<bool>("disabled"));
  EXPECT_EQ(
      send("POST", "/api/core/session", R"({"login":"ben","password":")" + new_password + "\"}")
          .status,
      401);
  EXPECT_FALSE(run("user.enable", R"({"login":"ben"})")->getValue<bool>("disabled"));
  sign_in("ben", new_password);

  EXPECT_EQ(audited(),
            (std::vector<std::string>{"users.created", "users.created", "session.signed_in",
                                      "users.reset_password", "session.signed_in", "users.disabled",
                                      "session.refused", "users.enabled", "session.signed_in"}));
}

TEST_P(UserCommands, RefuseAsTheConsoleDoes) {
  run("user.add", R"({"login":"ada","role":"admin"})");
  EXPECT_EQ(refusal("user.add", R"({"login":"ADA","role":"member"})"),
            "identity.login_taken login:taken");
  EXPECT_EQ(refusal("user.add", R"({"login":"x","role":"owner"})"),
            "identity.validation role:invalid");
  EXPECT_EQ(refusal("user.add", R"({"role":"member","extra":1})"),
            "identity.validation login:required extra:unknown");
  EXPECT_EQ(refusal("user.disable", R"({"login":"ada"})"), "identity.last_admin");
  EXPECT_EQ(refusal("user.disable", R"({"login":"unknown"})"), "identity.unknown_user");
  EXPECT_EQ(refusal("user.reset_password", R"({"login":"ada","password":"short"})"),
            "identity.validation password:too_short");
  EXPECT_EQ(refusal("user.list", R"({"all":true})"), "identity.validation all:unknown");
  EXPECT_EQ(refusal("user.explode", "{}"), "console.unknown_command");
}

TEST(Commands, HaveOneNameEach) {
  Commands commands;
  commands.add("a", [](std::string_view) { return "1"; });
  EXPECT_THROW(commands.add("a", [](std::string_view) { return "2"; }), std::logic_error);
  EXPECT_EQ(commands.run("a", "{}"), "1");
}

TENON_ON_BOTH_ENGINES(UserCommands);

}  // namespace tenon::console
