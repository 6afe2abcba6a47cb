#include "store/notebooks.hpp"

#include <algorithm>
#include <utility>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/problems.hpp"

namespace notes::store {
namespace {

std::optional<std::string> child(tenon::Statements& db, const Place& parent,
                                 std::string_view name) {
  return db.first<std::string>("SELECT id FROM notebooks WHERE parent IS ? AND name = ?", parent,
                               name);
}

void require_free_name(tenon::Statements& db, const Place& parent, std::string_view name,
                       std::string_view self) {
  const auto taken = child(db, parent, name);
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
          "WITH RECURSIVE below (id, level) AS (SELECT ?1, 1 UNION ALL "
          "SELECT n.id, level + 1 FROM below JOIN notebooks n ON n.parent = below.id) "
          "SELECT max(level) FROM below",
          id)
      .value_or(1);
}

bool is_within(tenon::Statements& db, Place place, const std::string& notebook) {
  while (place) {
    if (*place == notebook) return true;
    place =
        db.first<Place>("SELECT parent FROM notebooks WHERE id = ?", *place).value_or(std::nullopt);
  }
  return false;
}

void require_movable(tenon::Statements& db, const std::string& id, const Place& parent) {
  require_place(db, parent, "parent");
  if (is_within(db, parent, id)) {
    throw invalid("parent", "cycle", "A notebook cannot lie inside itself.");
  }
  if (depth_of(db, parent) + height_of(db, id) > max_notebook_depth) throw too_deep("parent");
}

/// Numbers the siblings anew, with `id` before `before` or last.
void put_before(tenon::Statements& db, const std::string& id, const Place& parent,
                const Place& before) {
  struct Sibling {
    std::string id;
    std::int64_t position = 0;
  };
  auto siblings = db.all<Sibling>(
      "SELECT id, position FROM notebooks WHERE parent IS ? AND id <> ? ORDER BY position, name",
      parent, id);
  auto at = siblings.end();
  if (before) {
    at = std::find_if(siblings.begin(), siblings.end(),
                      [&](const Sibling& sibling) { return sibling.id == *before; });
    if (at == siblings.end()) {
      throw invalid("before", "unknown", "There is no such notebook beside this one.");
    }
  }
  siblings.insert(at, Sibling{id, -1});
  std::int64_t position = 0;
  for (const auto& sibling : siblings) {
    ++position;
    if (sibling.position == position) continue;
    db.exec("UPDATE notebooks SET position = ? WHERE id = ?", position, sibling.id);
  }
}

}  // namespace

std::vector<Notebook> all_notebooks(tenon::Statements& db) {
  return db.all<Notebook>(
      "SELECT id, parent, name, notes FROM notebooks ORDER BY parent, position, name");
}

Totals totals(tenon::Statements& db) {
  return db.first<Totals>("SELECT notes, unfiled, pinned, trash FROM totals WHERE one = 1")
      .value_or(Totals{});
}

std::optional<Notebook> find_notebook(tenon::Statements& db, std::string_view id) {
  return db.first<Notebook>("SELECT id, parent, name, notes FROM notebooks WHERE id = ?", id);
}

void require_place(tenon::Statements& db, const Place& place, const std::string& field) {
  if (place && !find_notebook(db, *place)) {
    throw invalid(field, "unknown", "This notebook is not here (any more).");
  }
}

std::string path_of(tenon::Statements& db, const Place& place) {
  std::string path;
  Place next = place;
  while (next) {
    const auto notebook = find_notebook(db, *next);
    if (!notebook) break;
    path = path.empty() ? notebook->name : notebook->name + "/" + path;
    next = notebook->parent;
  }
  return path;
}

std::int64_t depth_of(tenon::Statements& db, const Place& place) {
  std::int64_t depth = 0;
  for (Place next = place; next; ++depth) {
    next =
        db.first<Place>("SELECT parent FROM notebooks WHERE id = ?", *next).value_or(std::nullopt);
  }
  return depth;
}

std::optional<std::string> notebook_at(tenon::Statements& db, std::string_view path) {
  Place place;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    place = child(db, place, path.substr(0, slash));
    if (!place) return std::nullopt;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return place;
}

std::vector<std::pair<std::string, std::string>> subtree(tenon::Statements& db,
                                                         const std::string& notebook) {
  return db.all<std::pair<std::string, std::string>>(
      "WITH RECURSIVE below (id, path, level) AS (SELECT ?1, ?2, 1 UNION ALL "
      "SELECT n.id, path || '/' || n.name, level + 1 FROM below JOIN notebooks n ON n.parent = "
      "below.id) "
      "SELECT id, path FROM below ORDER BY level",
      notebook, path_of(db, notebook));
}

Notebook add_notebook(tenon::Statements& db, const std::string& id, const std::string& name,
                      const Place& parent) {
  require_free_name(db, parent, name, {});
  if (depth_of(db, parent) >= max_notebook_depth) throw too_deep("parent");
  const auto count = db.first<std::int64_t>("SELECT count(*) FROM notebooks").value_or(0);
  if (count >= max_notebooks) {
    throw tenon::Error(
        422, "notes.too_many_notebooks",
        "There are " + std::to_string(max_notebooks) + " notebooks, which is the most.");
  }
  db.exec(
      "INSERT INTO notebooks (id, parent, name, position, notes, created) VALUES (?1, ?2, ?3, "
      "coalesce((SELECT max(position) FROM notebooks WHERE parent IS ?2), 0) + 1, 0, ?4)",
      id, parent, name, tenon::now_text());
  return {id, parent, name, 0};
}

Place Paths::make(const Place& start, const std::vector<std::string>& names) {
  Place place = start;
  for (const auto& name : names) {
    auto& known = known_[{place.value_or(""), name}];
    if (known.empty()) {
      auto found = child(*db_, place, name);
      known = found ? *std::move(found) : add_notebook(*db_, tenon::new_id(), name, place).id;
    }
    place = known;
  }
  return place;
}

Notebook change_notebook(tenon::Statements& db, const std::string& id,
                         const NotebookChange& change) {
  auto notebook = find_notebook(db, id);
  if (!notebook) throw not_found();
  const Place parent = change.parent.value_or(notebook->parent);
  const std::string name = change.name.value_or(notebook->name);
  const bool moves = parent != notebook->parent;
  if (moves) require_movable(db, id, parent);
  if (moves || name != notebook->name) {
    require_free_name(db, parent, name, id);
    db.exec("UPDATE notebooks SET parent = ?, name = ? WHERE id = ?", parent, name, id);
  }
  if (moves || change.before) put_before(db, id, parent, change.before.value_or(std::nullopt));
  return {id, parent, name, notebook->notes};
}

}  // namespace notes::store
