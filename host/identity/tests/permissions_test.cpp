#include "identity/users/permissions.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::identity {

namespace {

Principal member() {
  return {.user_id = "m", .login = "m", .name = "M", .role = Role::member, .session_id = "s"};
}
Principal admin() {
  return {.user_id = "a", .login = "a", .name = "A", .role = Role::admin, .session_id = "t"};
}

std::string refusal(Permissions& permissions, std::string_view plugin,
                    std::vector<Permission> declared) {
  try {
    permissions.declare(plugin, std::move(declared));
  } catch (const base::Error& error) {
    return error.code();
  }
  return "";
}

}  // namespace

TEST(Permissions, AreHeldByTheRolesThatAreDeclared) {
  Permissions permissions;
  permissions.declare("notes", {{"notes.use", "Use notes", {Role::member, Role::admin}},
                                {"notes.manage", "Manage", {Role::admin}}});
  EXPECT_TRUE(permissions.allows(member(), "notes.use"));
  EXPECT_FALSE(permissions.allows(member(), "notes.manage"));
  EXPECT_TRUE(permissions.allows(admin(), "notes.manage"));
  EXPECT_EQ(permissions.held_by(member()), std::vector<std::string>{"notes.use"});
  EXPECT_EQ(permissions.held_by(admin()), (std::vector<std::string>{"notes.manage", "notes.use"}));
}

TEST(Permissions, AreHeldByAdminsOnlyIfUnknown) {
  Permissions permissions;
  EXPECT_FALSE(permissions.allows(member(), "notes.use"));
  EXPECT_FALSE(permissions.allows(member(), admin_permission));
  EXPECT_FALSE(permissions.allows(member(), ""));
  EXPECT_TRUE(permissions.allows(admin(), admin_permission));
  EXPECT_TRUE(permissions.held_by(admin()).empty());
}

TEST(Permissions, DisappearWhenRemovedAndReturnWhenDeclaredAgain) {
  Permissions permissions;
  for (int i = 0; i < 500; ++i) {
    permissions.declare("notes", {{"notes.use", "Use", {Role::member}}});
    ASSERT_TRUE(permissions.allows(member(), "notes.use"));
    permissions.remove_plugin("notes");
    ASSERT_FALSE(permissions.allows(member(), "notes.use"));
    ASSERT_TRUE(permissions.held_by(member()).empty());
  }
  permissions.remove_plugin("never declared");
}

TEST(Permissions, AreReplacedWhenDeclaredAgain) {
  Permissions permissions;
  permissions.declare("notes",
                      {{"notes.use", "Use", {Role::member}}, {"notes.old", "Old", {Role::member}}});
  permissions.declare("tasks", {{"tasks.use", "Use", {Role::member}}});
  permissions.declare("notes", {{"notes.use", "Use", {}}, {"notes.new", "New", {Role::member}}});
  EXPECT_EQ(permissions.held_by(member()), (std::vector<std::string>{"notes.new", "tasks.use"}));
  EXPECT_FALSE(permissions.allows(member(), "notes.old"));
  EXPECT_FALSE(permissions.allows(member(), "notes.use"));
  EXPECT_EQ(permissions.declared().size(), 3U);
}

TEST(Permissions, CannotBeDeclaredForOthers) {
  Permissions permissions;
  permissions.declare("notes", {{"notes.use", "Use", {Role::member}}});
  EXPECT_EQ(refusal(permissions, "notes",
                    {{"notes.more", "", {Role::member}}, {"tasks.use", "", {Role::member}}}),
            "identity.permission_invalid");
  EXPECT_EQ(refusal(permissions, "notes", {{"notes.", "", {}}}), "identity.permission_invalid");
  EXPECT_EQ(refusal(permissions, "notes", {{"notesx.use", "", {}}}), "identity.permission_invalid");
  EXPECT_EQ(refusal(permissions, "notes", {{"notes.a", "", {}}, {"notes.a", "", {}}}),
            "identity.permission_invalid");
  EXPECT_EQ(permissions.held_by(member()), std::vector<std::string>{"notes.use"})
      << "a refused declaration changes nothing";
}

TEST(Permissions, AreBounded) {
  Permissions permissions;
  std::vector<Permission> many;
  for (std::size_t i = 0; i < Permissions::max_permissions; ++i)
    many.push_back({"notes." + std::to_string(i), "", {Role::member}});
  permissions.declare("notes", many);
  EXPECT_EQ(refusal(permissions, "tasks", {{"tasks.use", "", {}}}), "identity.permission_invalid");
  EXPECT_EQ(refusal(permissions, "notes", {{"notes.7", "", {Role::member}}}), "")
      << "known ones may always come back";
  EXPECT_TRUE(permissions.allows(member(), "notes.7"));
  EXPECT_FALSE(permissions.allows(member(), "notes.8"));
}

TEST(Permissions, CanBeReadWhileTheyChange) {
  Permissions permissions;
  permissions.declare("tasks", {{"tasks.use", "Use", {Role::member}}});
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      const Principal me = member();
      while (!stop) {
        permissions.allows(me, "notes.use");
        if (!permissions.allows(me, "tasks.use") || permissions.allows(me, "notes.manage")) ++wrong;
      }
    });
  }
  for (int i = 0; i < 500; ++i) {
    permissions.declare("notes", {{"notes.use", "", {Role::member}},
                                  {"notes.manage", "", {}},
                                  {"notes.v" + std::to_string(i), "", {}}});
    permissions.remove_plugin("notes");
  }
  stop = true;
  for (auto& reader : readers)
    reader.join();
  EXPECT_EQ(wrong, 0U);
}

}  // namespace tenon::identity
