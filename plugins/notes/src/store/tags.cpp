#include "store/tags.hpp"

#include <set>
#include <utility>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/access.hpp"
#include "store/dialect.hpp"
#include "store/problems.hpp"
#include "text/front_matter.hpp"
#include "text/keys.hpp"

namespace notes::store {
namespace {

constexpr std::string_view add_sql =
    "INSERT INTO note_tags (id, note, tag, deleted, pinned, updated, title_key) "
    "SELECT ?, n.id, ?, n.deleted, n.pinned, n.updated, n.title_key FROM notes n WHERE n.id = ?";

std::string tag_id(tenon::Statements& db, const std::string& name, const std::string& key) {
  if (auto id = db.first<std::string>("SELECT id FROM tags WHERE name_key = ?", key))
    return *std::move(id);
  std::string id = tenon::new_id();
  db.exec("INSERT INTO tags (id, name, name_key, notes) VALUES (?, ?, ?, 0)", id, name, key);
  return id;
}

std::set<std::string> keys_of(const std::vector<std::string>& names) {
  std::set<std::string> keys;
  for (const auto& name : names)
    keys.insert(text::fold(name));
  return keys;
}

std::optional<Tag> one_tag(Scope& scope, const std::string& where, std::string_view key) {
  tenon::Arguments arguments;
  arguments.add(key);
  const std::string readable = scope.readable("n", arguments);
  return scope.db().first<Tag>(
      "SELECT t.id, t.name, count(CASE WHEN nt.deleted IS NULL THEN 1 END) FROM tags t JOIN "
      "note_tags nt ON nt.tag = t.id JOIN notes n ON n.id = nt.note WHERE " +
          where + " AND " + readable + " GROUP BY t.id, t.name",
      arguments);
}

/// The rows of a tag on notes that may be written, as a subquery.
std::string writable_rows(Scope& scope, std::string_view tag, tenon::Arguments& arguments) {
  arguments.add(tag);
  return "SELECT nt.rowid FROM note_tags nt JOIN notes n ON n.id = nt.note WHERE nt.tag = ? AND " +
         scope.writable("n", arguments);
}

}  // namespace

std::optional<Tag> find_tag(Scope& scope, std::string_view id) {
  return one_tag(scope, "t.id = ?", id);
}

std::optional<Tag> find_tag_named(Scope& scope, std::string_view name) {
  return one_tag(scope, "t.name_key = ?", text::fold(name));
}

std::vector<Tag> list_tags(Scope& scope, std::string_view after, std::int64_t limit) {
  tenon::Arguments arguments;
  arguments.add(after);
  const std::string readable = scope.readable("n", arguments);
  arguments.add(limit);
  // min(): of equal ones; the groups are read off the index then.
  return scope.db().all<Tag>(
      "SELECT min(t.id), min(t.name), count(*) FROM tags t JOIN note_tags nt ON nt.tag = t.id JOIN "
      "notes n "
      "ON n.id = nt.note WHERE t.name_key > ? AND t.notes > 0 AND nt.deleted IS NULL AND " +
          readable + " GROUP BY t.name_key ORDER BY t.name_key LIMIT ?",
      arguments);
}

std::vector<std::string> tags_of(tenon::Statements& db, std::string_view note) {
  return db.all<std::string>(
      "SELECT t.name FROM note_tags nt JOIN tags t ON t.id = nt.tag WHERE nt.note = ? ORDER BY "
      "t.name_key",
      note);
}

std::map<std::string, std::vector<std::string>> tags_of_all(tenon::Statements& db,
                                                            const std::string& ids) {
  std::map<std::string, std::vector<std::string>> all;
  auto rows = db.query(
      "SELECT nt.note, t.name FROM note_tags nt JOIN tags t ON t.id = nt.tag "
      "WHERE nt.note " +
          std::string(dialect_of(db).in_json) + " ORDER BY t.name_key",
      ids);
  for (const tenon::Row& row : rows)
    all[row.get<std::string>(0)].push_back(row.get<std::string>(1));
  return all;
}

void set_tags(tenon::Statements& db, std::string_view note, const std::vector<std::string>& names) {
  std::map<std::string, std::string> wanted;  // key → name
  for (const auto& name : names) {
    std::string key = text::fold(name);
    if (!key.empty() && wanted.size() < text::max_tags) wanted.emplace(std::move(key), name);
  }
  struct Held {
    std::string key;
    std::string row;
  };
  const auto held = db.all<Held>(
      "SELECT t.name_key, nt.id FROM note_tags nt JOIN tags t ON t.id = nt.tag WHERE nt.note = ?",
      note);
  for (const auto& [key, row] : held) {
    if (wanted.erase(key) == 0) db.exec("DELETE FROM note_tags WHERE id = ?", row);
  }
  for (const auto& [key, name] : wanted)
    db.exec(add_sql, tenon::new_id(), tag_id(db, name, key), note);
}

void follow_front_matter(tenon::Statements& db, std::string_view note,
                         const std::vector<std::string>& before,
                         const std::vector<std::string>& after) {
  const auto old_keys = keys_of(before);
  const auto new_keys = keys_of(after);
  if (old_keys == new_keys) return;
  std::vector<std::string> names;
  for (auto& name : tags_of(db, note)) {
    const std::string key = text::fold(name);
    if (!old_keys.contains(key) || new_keys.contains(key)) names.push_back(std::move(name));
  }
  names.insert(names.end(), after.begin(), after.end());
  set_tags(db, note, names);
}

Tag rename_tag(Scope& scope, const Tag& tag, const std::string& name, bool merge) {
  tenon::Statements& db = scope.db();
  const std::string key = text::fold(name);
  const auto taken = db.first<std::string>("SELECT id FROM tags WHERE name_key = ?", key);
  tenon::Arguments others;
  const std::string own = writable_rows(scope, tag.id, others);
  others.add(tag.id);
  const bool is_all = !db.first<std::int64_t>(
      "SELECT 1 FROM note_tags WHERE rowid NOT IN (" + own + ") AND tag = ? LIMIT 1", others);
  if (taken == tag.id || (is_all && !taken)) {
    if (is_all) db.exec("UPDATE tags SET name = ?, name_key = ? WHERE id = ?", name, key, tag.id);
    return {tag.id, is_all ? name : tag.name, tag.notes};
  }
  // A tag that only others have is none that this person could know of.
  if (taken && !merge && find_tag_named(scope, name)) {
    throw tenon::Error(409, "notes.tag_exists", "There is a tag with this name already.",
                       {{"name", "taken", "There is a tag with this name already."}});
  }
  const std::string target = taken ? *taken : tag_id(db, name, key);
  tenon::Arguments doubled;
  const std::string both = writable_rows(scope, tag.id, doubled);
  doubled.add(target);
  db.exec("DELETE FROM note_tags WHERE rowid IN (" + both +
              ") AND note IN (SELECT note FROM note_tags WHERE tag = ?)",
          doubled);
  tenon::Arguments moved;
  moved.add(target);
  const std::string rows = writable_rows(scope, tag.id, moved);
  db.exec("UPDATE note_tags SET tag = ? WHERE rowid IN (" + rows + ")", moved);
  db.exec("DELETE FROM tags WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM note_tags WHERE tag = ?1)",
          tag.id);
  return find_tag(scope, target).value_or(Tag{target, name, 0});
}

bool remove_tag_step(Scope& scope, std::string_view id) {
  tenon::Arguments arguments;
  const std::string rows = writable_rows(scope, id, arguments);
  arguments.add(bulk_step);
  const auto removed =
      scope.db().exec("DELETE FROM note_tags WHERE rowid IN (" + rows + " LIMIT ?)", arguments);
  return removed.rows < bulk_step;
}

}  // namespace notes::store
