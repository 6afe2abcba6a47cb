#include "identity/users/groups.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/users/name_key.hpp"
#include "identity/users/user_rules.hpp"

namespace tenon::identity {

namespace {

// Both select the columns that read_group() takes.
constexpr std::string_view select_group =
    "SELECT id, name, description, created_ms, updated_ms, "
    "(SELECT count(*) FROM identity_members WHERE group_id = g.id) "
    "FROM identity_groups g WHERE id = ?1";
constexpr std::string_view select_groups_page =
    "SELECT id, name, description, created_ms, updated_ms, "
    "(SELECT count(*) FROM identity_members WHERE group_id = g.id) "
    "FROM identity_groups g WHERE name_key > ?1 ORDER BY name_key LIMIT ?2";

Group read_group(const data::Rows& rows) {
  Group group;
  group.id = rows.text(0);
  group.name = rows.text(1);
  group.description = rows.text(2);
  group.created_ms = rows.integer(3);
  group.updated_ms = rows.integer(4);
  group.members = static_cast<std::size_t>(rows.integer(5));
  return group;
}

Group required_group(data::Transaction& transaction, std::string_view id) {
  data::Rows rows = transaction.query(select_group, {id});
  if (!rows.next()) throw base::Error(404, "identity.unknown_group", "There is no such group.");
  return read_group(rows);
}

std::size_t count(data::Transaction& transaction, std::string_view sql, data::Cells cells = {}) {
  data::Rows rows = transaction.query(sql, cells);
  rows.next();
  return static_cast<std::size_t>(rows.integer(0));
}

std::string trimmed(std::string_view name) {
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(name.substr(first, name.find_last_not_of(' ') - first + 1));
}

void require_free_name(data::Transaction& transaction, const std::string& name,
                       std::string_view id) {
  if (!transaction
           .query("SELECT 1 FROM identity_groups WHERE name_key = ?1 AND id <> ?2",
                  {name_key(name), id})
           .next())
    return;
  const std::string message = "There is a group called \"" + name + "\" already.";
  throw base::Error(409, "identity.group_name_taken", message, {{"name", "taken", message}});
}

base::Error too_many(const char* code, const std::string& message) {
  return {409, code, message};
}

// False for one who is a member already.
bool add_member(data::Transaction& transaction, std::string_view group, const std::string& user) {
  if (!transaction.query("SELECT 1 FROM identity_users WHERE id = ?1", {user}).next()) {
    const std::string message = "There is no user with the id \"" + user.substr(0, 64) + "\".";
    throw base::Error(422, "identity.validation", message, {{"add", "unknown", message}});
  }
  if (transaction
          .exec("INSERT INTO identity_members(group_id, user_id) VALUES(?1, ?2) ON CONFLICT DO "
                "NOTHING",
                {group, user})
          .changes == 0)
    return false;
  if (count(transaction, "SELECT count(*) FROM identity_members WHERE user_id = ?1", {user}) >
      Groups::max_groups_per_user) {
    throw too_many("identity.too_many_groups", "A user belongs to at most " +
                                                   std::to_string(Groups::max_groups_per_user) +
                                                   " groups. Take them out of another first.");
  }
  return true;
}

}  // namespace

Groups::Groups(data::Database& database, Sessions& sessions, Clock clock)
    : database_(database), sessions_(sessions), clock_(std::move(clock)) {}

GroupPage Groups::list(std::size_t limit, std::string_view after) const {
  limit = std::clamp<std::size_t>(limit, 1, max_page);
  GroupPage page;
  data::Rows rows = database_.query(select_groups_page, {after, limit + 1});
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next = name_key(page.items.back().name);
      break;
    }
    page.items.push_back(read_group(rows));
  }
  return page;
}

std::optional<Group> Groups::find(std::string_view id) const {
  data::Rows rows = database_.query(select_group, {id});
  if (!rows.next()) return std::nullopt;
  return read_group(rows);
}

Group Groups::create(const NewGroup& wanted) {
  UserRules rules;
  const std::string name = trimmed(wanted.name);
  rules.check_name(name);
  rules.check_description(wanted.description);
  rules.require();
  const std::int64_t now = clock_();
  Group group{.id = base::new_id(),
              .name = name,
              .description = wanted.description,
              .created_ms = now,
              .updated_ms = now};
  database_.write([&](data::Transaction& transaction) {
    require_free_name(transaction, name, {});
    if (count(transaction, "SELECT count(*) FROM identity_groups") >= max_groups) {
      throw too_many("identity.too_many_groups", "There are " + std::to_string(max_groups) +
                                                     " groups already. Delete one first.");
    }
    transaction.exec(
        "INSERT INTO identity_groups(id, name, name_key, description, created_ms, updated_ms) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?5)",
        {group.id, name, name_key(name), group.description, now});
  });
  return group;
}

Group Groups::change(std::string_view id, const GroupChange& change) {
  UserRules rules;
  std::optional<std::string> name;
  if (change.name) rules.check_name(name.emplace(trimmed(*change.name)));
  if (change.description) rules.check_description(*change.description);
  rules.require();
  return database_.write([&](data::Transaction& transaction) {
    Group group = required_group(transaction, id);
    if (name) {
      require_free_name(transaction, *name, id);
      group.name = *name;
    }
    group.description = change.description.value_or(group.description);
    group.updated_ms = clock_();
    transaction.exec(
        "UPDATE identity_groups SET name = ?2, name_key = ?3, description = ?4, updated_ms = ?5 "
        "WHERE id = ?1",
        {id, group.name, name_key(group.name), group.description, group.updated_ms});
    return group;
  });
}

Group Groups::change_members(std::string_view id, const MembersChange& change) {
  std::vector<std::string> affected;
  const Group group = database_.write([&](data::Transaction& transaction) {
    required_group(transaction, id);
    for (const std::string& user : change.remove) {
      if (transaction
              .exec("DELETE FROM identity_members WHERE group_id = ?1 AND user_id = ?2", {id, user})
              .changes > 0)
        affected.push_back(user);
    }
    for (const std::string& user : change.add) {
      if (add_member(transaction, id, user)) affected.push_back(user);
    }
    Group after = required_group(transaction, id);
    if (after.members > max_members) {
      throw too_many("identity.too_many_members",
                     "A group has at most " + std::to_string(max_members) + " members.");
    }
    return after;
  });
  sessions_.refresh(affected);
  return group;
}

Group Groups::remove(std::string_view id) {
  std::vector<std::string> members;
  const Group group = database_.write([&](data::Transaction& transaction) {
    Group before = required_group(transaction, id);
    {
      data::Rows rows =
          transaction.query("SELECT user_id FROM identity_members WHERE group_id = ?1", {id});
      while (rows.next())
        members.emplace_back(rows.text(0));
    }
    transaction.exec("DELETE FROM identity_members WHERE group_id = ?1", {id});
    transaction.exec("DELETE FROM identity_groups WHERE id = ?1", {id});
    return before;
  });
  sessions_.refresh(members);
  return group;
}

}  // namespace tenon::identity
