#include "store/places.hpp"

#include <set>
#include <string_view>

#include "store/access.hpp"
#include "store/notebooks.hpp"
#include "store/shares.hpp"

namespace notes::store {
namespace {

struct Readers {
  bool everyone = false;
  std::set<std::string> users;
  std::set<std::string> groups;
};

Readers readers_of(tenon::Statements& db, const std::string& notebook) {
  constexpr std::string_view user = "user:";
  constexpr std::string_view group = "group:";
  Readers readers;
  for (const auto& share : inherited_shares(db, notebook)) {
    if (share.owner) readers.users.insert(*share.owner);
    if (share.subject == everyone) readers.everyone = true;
    if (share.subject.starts_with(user)) readers.users.insert(share.subject.substr(user.size()));
    if (share.subject.starts_with(group)) readers.groups.insert(share.subject.substr(group.size()));
  }
  return readers;
}

/// Rows that stay are not written: each change is published to all subscribers.
void set_links(tenon::Statements& db, const std::string& table, const std::string& location,
               const std::set<std::string>& wanted) {
  const auto before =
      db.all<std::string>("SELECT target FROM " + table + " WHERE record = ?", location);
  const std::set<std::string> there(before.begin(), before.end());
  for (const auto& id : there) {
    if (!wanted.contains(id))
      db.exec("DELETE FROM " + table + " WHERE record = ? AND target = ?", location, id);
  }
  for (const auto& id : wanted) {
    if (there.contains(id)) continue;
    db.exec("INSERT INTO " + table +
                " (record, target, position) SELECT ?1, ?2, coalesce(max(position), 0) + 1 FROM " +
                table + " WHERE record = ?1",
            location, id);
  }
}

}  // namespace

void refresh_readers(tenon::Statements& db, const std::string& notebook) {
  for (const auto& [id, path] : subtree(db, notebook)) {
    const Readers readers = readers_of(db, id);
    db.exec(
        "INSERT INTO places (id, everyone) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET everyone "
        "= excluded.everyone WHERE places.everyone <> excluded.everyone",
        id, readers.everyone);
    set_links(db, "places__readers", id, readers.users);
    set_links(db, "places__groups", id, readers.groups);
  }
}

}  // namespace notes::store
