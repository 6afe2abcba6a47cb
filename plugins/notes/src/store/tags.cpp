#include "store/tags.hpp"

#include <set>
#include <utility>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/problems.hpp"
#include "text/front_matter.hpp"
#include "text/keys.hpp"

namespace notes::store {
namespace {

constexpr std::string_view add_sql =
    "INSERT INTO note_tags (id, note, tag, deleted, pinned, updated, title_key) "
    "SELECT ?1, n.id, ?2, n.deleted, n.pinned, n.updated, n.title_key FROM notes n WHERE n.id = ?3";

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

}  // namespace

std::optional<Tag> find_tag(tenon::Statements& db, std::string_view id) {
  return db.first<Tag>("SELECT id, name, notes FROM tags WHERE id = ?", id);
}

std::optional<Tag> find_tag_named(tenon::Statements& db, std::string_view name) {
  return db.first<Tag>("SELECT id, name, notes FROM tags WHERE name_key = ?", text::fold(name));
}

std::vector<Tag> list_tags(tenon::Statements& db, std::string_view after, std::int64_t limit) {
  return db.all<Tag>(
      "SELECT id, name, notes FROM tags WHERE name_key > ? AND notes > 0 ORDER BY name_key LIMIT ?",
      after, limit);
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
      "WHERE nt.note IN (SELECT value FROM json_each(?)) ORDER BY t.name_key",
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

Tag rename_tag(tenon::Statements& db, const Tag& tag, const std::string& name, bool merge) {
  const auto other = find_tag_named(db, name);
  if (!other || other->id == tag.id) {
    db.exec("UPDATE tags SET name = ?, name_key = ? WHERE id = ?", name, text::fold(name), tag.id);
    return {tag.id, name, tag.notes};
  }
  if (!merge) {
    throw tenon::Error(409, "notes.tag_exists", "There is a tag with this name already.",
                       {{"name", "taken", "There is a tag with this name already."}});
  }
  db.exec(
      "DELETE FROM note_tags WHERE tag = ?1 AND note IN (SELECT note FROM note_tags WHERE tag = "
      "?2)",
      tag.id, other->id);
  db.exec("UPDATE note_tags SET tag = ? WHERE tag = ?", other->id, tag.id);
  db.exec("DELETE FROM tags WHERE id = ?", tag.id);
  return find_tag(db, other->id).value_or(*other);
}

bool remove_tag_step(tenon::Statements& db, std::string_view id) {
  const auto removed = db.exec(
      "DELETE FROM note_tags WHERE rowid IN (SELECT rowid FROM note_tags WHERE tag = ? LIMIT ?)",
      id, bulk_step);
  return removed.rows < bulk_step;
}

}  // namespace notes::store
