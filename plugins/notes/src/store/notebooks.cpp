#include "store/notebooks.hpp"

#include <algorithm>
#include <utility>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/access.hpp"
#include "store/dialect.hpp"
#include "store/places.hpp"
#include "store/problems.hpp"

namespace notes::store {
namespace {

void append_siblings(std::string& sql, tenon::Arguments& arguments, const Location& parent,
                     const Owner& owner) {
  append_equals(sql, arguments, "parent", parent);
  sql += " AND ";
  append_equals(sql, arguments, "owner", owner);
}

/// Names at the top are unique per owner of the notebooks.
std::optional<std::string> child(tenon::Statements& db, const Location& parent, const Owner& owner,
                                 std::string_view name) {
  tenon::Arguments arguments;
  std::string sql = "SELECT id FROM notebooks WHERE ";
  if (parent) {
    append_equals(sql, arguments, "parent", parent);
  } else {
    append_siblings(sql, arguments, parent, owner);
  }
  arguments.add(name);
  return db.first<std::string>(sql + " AND name = ?", arguments);
}

void require_free_name(tenon::Statements& db, const Location& parent, const Owner& owner,
                       std::string_view name, std::string_view self) {
  const auto taken = child(db, parent, owner, name);
  if (taken && *taken != self) {
    throw tenon::Error(409, "notes.name_taken", "There is a notebook with this name already.",
                       {{"name", "taken", "There is a notebook with this name already."}});
  }
}

tenon::Error too_deep(std::string field) {
  return invalid(std::move(field), "too_deep",
                 "Notebooks nest " + std::to_string(max_notebook_depth) + " deep at most.");
}

/// Levels below a notebook, itself included.
std::int64_t height_of(tenon::Statements& db, const std::string& id) {
  return db
      .first<std::int64_t>(
          "WITH RECURSIVE below (id, level) AS (SELECT id, 1 FROM notebooks WHERE id = ? UNION ALL "
          "SELECT n.id, level + 1 FROM below JOIN notebooks n ON n.parent = below.id) "
          "SELECT max(level) FROM below",
          id)
      .value_or(1);
}

bool is_within(tenon::Statements& db, Location location, const std::string& notebook) {
  while (location) {
    if (*location == notebook) return true;
    location = db.first<Location>("SELECT parent FROM notebooks WHERE id = ?", *location)
                   .value_or(std::nullopt);
  }
  return false;
}

/// To another place of its owner, for who may write in both; its owner may take it to the top.
void require_movable(Scope& scope, const Notebook& notebook, const Location& parent) {
  tenon::Statements& db = scope.db();
  const std::string& id = notebook.id;
  require_location(scope, parent, "parent");
  const Owner other = parent ? scope.notebooks().find(*parent)->second.owner : notebook.owner;
  const bool is_theirs = notebook.owner == scope.actor().user;
  if (other != notebook.owner || (!parent && !is_theirs && notebook.owner)) {
    throw tenon::Error(403, "notes.not_owner",
                       "Only its owner can move a notebook there, among their own.");
  }
  if (is_within(db, parent, id)) {
    throw invalid("parent", "cycle", "A notebook cannot lie inside itself.");
  }
  if (depth_of(db, parent) + height_of(db, id) > max_notebook_depth) throw too_deep("parent");
}

/// Renumbers the siblings, with `id` before `before` or last.
void put_before(tenon::Statements& db, const std::string& id, const Location& parent,
                const Owner& owner, const Location& before) {
  struct Numbered {
    std::string id;
    std::int64_t position = 0;
  };
  tenon::Arguments arguments;
  std::string sql = "SELECT id, position FROM notebooks WHERE ";
  append_siblings(sql, arguments, parent, owner);
  sql += " AND id <> ? ORDER BY position, name";
  arguments.add(id);
  auto siblings = db.all<Numbered>(sql, arguments);
  auto at = siblings.end();
  if (before) {
    at = std::find_if(siblings.begin(), siblings.end(),
                      [&](const Numbered& each) { return each.id == *before; });
    if (at == siblings.end()) {
      throw invalid("before", "unknown", "There is no such notebook next to this one.");
    }
  }
  siblings.insert(at, Numbered{id, -1});
  std::int64_t position = 0;
  for (const auto& each : siblings) {
    ++position;
    if (each.position == position) continue;
    db.exec("UPDATE notebooks SET position = ? WHERE id = ?", position, each.id);
  }
}

}  // namespace

std::vector<Notebook> all_notebooks(Scope& scope) {
  std::vector<Notebook> all;
  for (const auto& id : scope.db().all<std::string>(
           "SELECT id FROM notebooks ORDER BY parent NULLS FIRST, position, name")) {
    const auto found = scope.notebooks().find(id);
    if (found != scope.notebooks().end()) all.push_back(found->second);
  }
  return all;
}

Totals totals(Scope& scope) {
  tenon::Statements& db = scope.db();
  const std::string& user = scope.actor().user;
  const auto own = [&](std::string_view where) {
    const std::string sql =
        std::string("SELECT count(*) FROM notes WHERE author = ? AND ").append(where);
    return db.first<std::int64_t>(sql, user).value_or(0);
  };
  const auto readable = [&](std::string_view where) {
    tenon::Arguments arguments;
    const std::string sql = std::string("SELECT count(*) FROM notes n WHERE ").append(where) +
                            " AND " + scope.readable("n", arguments);
    return db.first<std::int64_t>(sql, arguments).value_or(0);
  };
  // Counted without a look at each note: what lies in notebooks is counted there.
  std::int64_t in_notebooks = 0;
  for (const auto& [id, notebook] : scope.notebooks())
    in_notebooks += notebook.notes;
  const std::string in_json(dialect_of(db).in_json);
  const auto own_there = db.first<std::int64_t>(
      "SELECT count(*) FROM notes WHERE author = ? AND deleted IS NULL AND notebook " + in_json,
      user, scope.readable_notebooks());
  const auto direct = db.first<std::int64_t>(
      "SELECT count(DISTINCT n.id) FROM shares s JOIN notes n ON n.id = s.note WHERE s.subject " +
          in_json +
          " AND n.deleted IS NULL AND n.author <> ? AND (n.notebook IS NULL OR n.notebook NOT " +
          in_json + ")",
      scope.actor().subjects, user, scope.readable_notebooks());
  Totals totals;
  totals.shared = in_notebooks - own_there.value_or(0) + direct.value_or(0);
  totals.notes = own("deleted IS NULL") + totals.shared;
  totals.unfiled = own("notebook IS NULL AND deleted IS NULL");
  totals.pinned = readable("n.deleted IS NULL AND n.pinned = TRUE");
  totals.trash = readable("n.deleted IS NOT NULL");
  totals.trash_own = own("deleted IS NOT NULL");
  return totals;
}

std::optional<Notebook> find_notebook(tenon::Statements& db, std::string_view id) {
  return db.first<Notebook>("SELECT id, parent, name, notes, owner FROM notebooks WHERE id = ?",
                            id);
}

std::string path_of(tenon::Statements& db, const Location& location) {
  std::string path;
  Location next = location;
  while (next) {
    const auto notebook = find_notebook(db, *next);
    if (!notebook) break;
    path = path.empty() ? notebook->name : notebook->name + "/" + path;
    next = notebook->parent;
  }
  return path;
}

std::int64_t depth_of(tenon::Statements& db, const Location& location) {
  std::int64_t depth = 0;
  for (Location next = location; next; ++depth) {
    next = db.first<Location>("SELECT parent FROM notebooks WHERE id = ?", *next)
               .value_or(std::nullopt);
  }
  return depth;
}

std::optional<std::string> notebook_at(tenon::Statements& db, const Owner& owner,
                                       std::string_view path) {
  Location location;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    location = child(db, location, owner, path.substr(0, slash));
    if (!location) return std::nullopt;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return location;
}

std::vector<std::pair<std::string, std::string>> subtree(tenon::Statements& db,
                                                         const std::string& notebook) {
  // substr(): a text without letters that compares as the names do.
  auto all = db.all<std::pair<std::string, std::string>>(
      "WITH RECURSIVE below (id, path, level) AS (SELECT id, substr(name, 1, 0), 1 FROM notebooks "
      "WHERE id = ? UNION ALL SELECT n.id, path || '/' || n.name, level + 1 FROM below JOIN "
      "notebooks n ON "
      "n.parent = below.id) SELECT id, path FROM below ORDER BY level",
      notebook);
  const std::string top = path_of(db, notebook);
  for (auto& [id, path] : all)
    path.insert(0, top);
  return all;
}

Notebook add_notebook(tenon::Statements& db, const std::string& id, const std::string& name,
                      const Location& parent, const std::string& author) {
  const auto around = parent ? find_notebook(db, *parent) : std::nullopt;
  const Owner owner = around ? around->owner : Owner(author);
  require_free_name(db, parent, owner, name, {});
  if (depth_of(db, parent) >= max_notebook_depth) throw too_deep("parent");
  const auto count = db.first<std::int64_t>("SELECT count(*) FROM notebooks").value_or(0);
  if (count >= max_notebooks) {
    throw tenon::Error(
        422, "notes.too_many_notebooks",
        "There are " + std::to_string(max_notebooks) + " notebooks, which is the most.");
  }
  tenon::Arguments arguments;
  std::string sql = "SELECT coalesce(max(position), 0) FROM notebooks WHERE ";
  append_siblings(sql, arguments, parent, owner);
  const auto last = db.first<std::int64_t>(sql, arguments).value_or(0);
  db.exec(
      "INSERT INTO notebooks (id, parent, name, position, notes, created, owner) VALUES (?, ?, ?, "
      "?, 0, ?, ?)",
      id, parent, name, last + 1, tenon::now_text(), owner);
  refresh_readers(db, id);
  return {id, parent, name, 0, owner};
}

Location Paths::make(const Location& start, const std::vector<std::string>& names) {
  Location location = start;
  for (const auto& name : names) {
    auto& known = known_[{location.value_or(""), name}];
    if (known.empty()) {
      auto found = child(*db_, location, author_, name);
      known = found ? *std::move(found)
                    : add_notebook(*db_, tenon::new_id(), name, location, author_).id;
    }
    location = known;
  }
  return location;
}

Notebook change_notebook(Scope& scope, const std::string& id, const NotebookChange& change) {
  tenon::Statements& db = scope.db();
  const Notebook notebook = need_notebook(scope, id, Level::writer);
  const Location parent = change.parent.value_or(notebook.parent);
  const std::string name = change.name.value_or(notebook.name);
  const bool moves = parent != notebook.parent;
  if (moves) require_movable(scope, notebook, parent);
  if (moves || name != notebook.name) {
    require_free_name(db, parent, notebook.owner, name, id);
    db.exec("UPDATE notebooks SET parent = ?, name = ? WHERE id = ?", parent, name, id);
    if (moves) refresh_readers(db, id);
  }
  if (moves || change.before)
    put_before(db, id, parent, notebook.owner, change.before.value_or(std::nullopt));
  return {id, parent, name, notebook.notes, notebook.owner};
}

}  // namespace notes::store
