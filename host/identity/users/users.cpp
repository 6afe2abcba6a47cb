#include "identity/users/users.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "identity/dialect.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/users/passwords.hpp"
#include "identity/users/user_rules.hpp"

namespace tenon::identity {

namespace {

// All select the columns that read_user() takes.
constexpr std::string_view select_user =
    "SELECT id, login, name, role, disabled, created_ms, updated_ms, generation "
    "FROM identity_users WHERE id = ?1";
constexpr std::string_view select_next =
    "SELECT id, login, name, role, disabled, created_ms, updated_ms, generation "
    "FROM identity_users WHERE id > ?1 ORDER BY id LIMIT 1";
constexpr std::string_view select_by_login =
    "SELECT id, login, name, role, disabled, created_ms, updated_ms, generation, password "
    "FROM identity_users WHERE login_key = ?1";
constexpr std::string_view select_users_page =
    "SELECT id, login, name, role, disabled, created_ms, updated_ms, generation "
    "FROM identity_users WHERE login_key > ?1 ORDER BY login_key LIMIT ?2";
constexpr std::string_view select_members =
    "SELECT u.id, login, name, role, disabled, created_ms, updated_ms, generation "
    "FROM identity_members m JOIN identity_users u ON u.id = m.user_id "
    "WHERE m.group_id = ?3 AND login_key > ?1 ORDER BY login_key LIMIT ?2";

User read_user(const data::Rows& rows) {
  User user;
  user.id = rows.text(0);
  user.login = rows.text(1);
  user.name = rows.text(2);
  user.role = parse_role(rows.text(3)).value_or(Role::member);
  user.disabled = rows.boolean(4);
  user.created_ms = rows.integer(5);
  user.updated_ms = rows.integer(6);
  user.generation = rows.integer(7);
  return user;
}

std::optional<User> first_user(data::Rows rows) {
  if (!rows.next()) return std::nullopt;
  return read_user(rows);
}

base::Error unknown_user() {
  return {404, "identity.unknown_user", "There is no such user."};
}

User required_user(data::Transaction& transaction, std::string_view id) {
  auto user = first_user(transaction.query(select_user, {id}));
  if (!user) throw unknown_user();
  return *std::move(user);
}

bool has_row(data::Transaction& transaction, std::string_view sql, data::Cells cells = {}) {
  return transaction.query(sql, cells).next();
}

bool is_active_admin(const User& user) {
  return user.role == Role::admin && !user.disabled;
}

void require_another_admin(data::Transaction& transaction, std::string_view id) {
  if (has_row(
          transaction,
          "SELECT 1 FROM identity_users WHERE role = 'admin' AND disabled = 0 AND id <> ?1 LIMIT 1",
          {id}))
    return;
  throw base::Error(409, "identity.last_admin",
                    "This is the last admin. Make another user an admin first.");
}

UserPage read_page(data::Rows rows, std::size_t limit) {
  UserPage page;
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next = login_key(page.items.back().login);
      break;
    }
    page.items.push_back(read_user(rows));
  }
  return page;
}

NewUser with_defaults(NewUser user) {
  if (user.name.empty()) user.name = user.login;
  return user;
}

}  // namespace

Users::Users(data::Database& database, Passwords& passwords, Sessions& sessions, Clock clock)
    : database_(database), passwords_(passwords), sessions_(sessions), clock_(std::move(clock)) {
  any_ = database_.query("SELECT 1 FROM identity_users LIMIT 1").next();
}

UserPage Users::list(std::size_t limit, std::string_view after) const {
  limit = std::clamp<std::size_t>(limit, 1, max_page);
  return read_page(database_.query(select_users_page, {after, limit + 1}), limit);
}

UserPage Users::members_of(std::string_view group_id, std::size_t limit,
                           std::string_view after) const {
  limit = std::clamp<std::size_t>(limit, 1, max_page);
  return read_page(database_.query(select_members, {after, limit + 1, group_id}), limit);
}

std::optional<User> Users::find(std::string_view id) const {
  return first_user(database_.query(select_user, {id}));
}

std::optional<Principal> Users::principal(std::string_view id) const {
  std::optional<User> user = find(id);
  if (!user || user->disabled) return std::nullopt;
  Principal principal{
      std::move(user->id), std::move(user->login), std::move(user->name), user->role, {}};
  data::Rows rows = database_.query(
      "SELECT group_id FROM identity_members WHERE user_id = ?1 ORDER BY group_id", {id});
  while (rows.next())
    principal.groups.emplace_back(rows.text(0));
  return principal;
}

std::optional<User> Users::find_after(std::string_view id) const {
  return first_user(database_.query(select_next, {id}));
}

std::vector<std::pair<std::string, std::string>> Users::names(
    const std::vector<std::string>& ids) const {
  std::string list;
  base::JsonWriter writer(list);
  writer.begin_array();
  for (const std::string& id : ids)
    writer.value(id);
  writer.end_array();
  std::vector<std::pair<std::string, std::string>> names;
  data::Rows rows = database_.query(room_sql(database_.dialect()).names, {list});
  while (rows.next())
    names.emplace_back(rows.text(0), rows.text(1));
  return names;
}

std::optional<User> Users::find_by_login(std::string_view login) const {
  return first_user(database_.query(select_by_login, {login_key(login)}));
}

User Users::create(const NewUser& user) {
  return insert(with_defaults(user), false);
}

User Users::create_first(NewUser user) {
  user.role = Role::admin;
  return insert(with_defaults(std::move(user)), true);
}

User Users::insert(const NewUser& wanted, bool only_first) {
  UserRules rules;
  rules.check_login(wanted.login);
  // A missing name was replaced by the login, whose own mistakes are reported already.
  if (wanted.name != wanted.login) rules.check_name(wanted.name);
  rules.check_password(wanted.password, wanted.login);
  rules.require();
  const std::string key = login_key(wanted.login);
  const std::string hash = passwords_.hash(wanted.password);
  const std::int64_t now = clock_();
  User user{.id = base::new_id(),
            .login = wanted.login,
            .name = wanted.name,
            .role = wanted.role,
            .created_ms = now,
            .updated_ms = now};
  database_.write([&](data::Transaction& transaction) {
    if (only_first && has_row(transaction, "SELECT 1 FROM identity_users LIMIT 1")) {
      throw base::Error(404, "identity.setup_done", "The set-up is done. Sign in.");
    }
    if (has_row(transaction, "SELECT 1 FROM identity_users WHERE login_key = ?1", {key})) {
      const std::string message = "There is a user with the login \"" + user.login + "\" already.";
      throw base::Error(409, "identity.login_taken", message, {{"login", "taken", message}});
    }
    transaction.exec(
        "INSERT INTO identity_users(id, login, login_key, name, role, disabled, password, "
        "generation, created_ms, updated_ms) "
        "VALUES(?1, ?2, ?3, ?4, ?5, 0, ?6, 0, ?7, ?7)",
        {user.id, user.login, key, user.name, to_string(user.role), hash, now});
    transaction.exec("DELETE FROM identity_setup");
  });
  any_.store(true, std::memory_order_release);
  return user;
}

User Users::change(std::string_view id, const UserChange& change) {
  // A user who is not there must not cost a hash.
  const std::optional<User> known = find(id);
  if (!known) throw unknown_user();
  UserRules rules;
  if (change.name) rules.check_name(*change.name);
  if (change.password) rules.check_password(*change.password, known->login);
  rules.require();
  const std::optional<std::string> hash =
      change.password ? std::optional(passwords_.hash(*change.password)) : std::nullopt;

  bool ends_sessions = false;
  const User user = database_.write([&](data::Transaction& transaction) {
    User before = required_user(transaction, id);
    User after = before;
    after.name = change.name.value_or(before.name);
    after.role = change.role.value_or(before.role);
    after.disabled = change.disabled.value_or(before.disabled);
    after.updated_ms = clock_();
    ends_sessions = hash.has_value() || (after.disabled && !before.disabled);
    if (ends_sessions) ++after.generation;
    if (is_active_admin(before) && !is_active_admin(after)) require_another_admin(transaction, id);
    transaction.exec(
        "UPDATE identity_users SET name = ?2, role = ?3, disabled = ?4, updated_ms = ?5, "
        "generation = ?6, "
        "password = coalesce(?7, password) WHERE id = ?1",
        {id, after.name, to_string(after.role), after.disabled, after.updated_ms, after.generation,
         hash});
    return after;
  });
  if (ends_sessions)
    sessions_.end_before(id, user.generation,
                         user.disabled ? SessionEnd::disabled : SessionEnd::signed_out);
  else
    sessions_.refresh({std::string(id)});
  return user;
}

void Users::change_password(std::string_view id, std::string_view old_password,
                            std::string_view new_password, std::string_view except_session) {
  std::string stored;
  std::string login;
  {
    data::Rows rows =
        database_.query("SELECT password, login FROM identity_users WHERE id = ?1", {id});
    if (!rows.next()) throw unknown_user();
    stored = rows.text(0);
    login = rows.text(1);
  }
  UserRules rules;
  rules.check_password(new_password, login, "new_password");
  rules.require();
  if (old_password.size() > Passwords::max_bytes || !passwords_.verify(stored, old_password)) {
    const std::string message = "This is not your password.";
    throw base::Error(403, "identity.wrong_password", message,
                      {{"old_password", "wrong", message}});
  }
  const std::string hash = passwords_.hash(new_password);
  const std::int64_t generation = database_.write([&](data::Transaction& transaction) {
    // Another change came between: the old password that was given is no longer the one.
    const auto changed = transaction.exec(
        "UPDATE identity_users SET password = ?2, generation = generation + 1, updated_ms = ?3 "
        "WHERE id = ?1 AND password = ?4",
        {id, hash, clock_(), stored});
    if (changed.changes == 0)
      throw base::Error(403, "identity.wrong_password", "Your password was changed a moment ago.");
    const User user = required_user(transaction, id);
    transaction.exec("UPDATE identity_sessions SET generation = ?3 WHERE id = ?1 AND user_id = ?2",
                     {except_session, id, user.generation});
    return user.generation;
  });
  sessions_.end_before(id, generation, SessionEnd::signed_out, except_session);
}

std::optional<User> Users::check(std::string_view login, std::string_view password) const {
  std::optional<User> user;
  std::string stored;
  {
    data::Rows rows = database_.query(select_by_login, {login_key(login)});
    if (rows.next()) {
      user = read_user(rows);
      stored = rows.text(8);
    }
  }
  // No password is that long; the check takes its time all the same.
  if (password.size() > Passwords::max_bytes) {
    stored.clear();
    password = password.substr(0, Passwords::max_bytes);
  }
  const bool is_right = passwords_.verify(stored, password);
  if (!is_right || !user || user->disabled) return std::nullopt;
  return user;
}

}  // namespace tenon::identity
