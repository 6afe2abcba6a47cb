#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

namespace notes::store {

/// A notebook's id; empty optional: the top, where notes lie that are in no notebook.
using Place = std::optional<std::string>;

struct Notebook {
  std::string id;
  Place parent;
  std::string name;
  std::int64_t notes = 0;  ///< outside the trash, directly in it
};

/// How many notes there are.
struct Totals {
  std::int64_t notes = 0;
  std::int64_t unfiled = 0;
  std::int64_t pinned = 0;
  std::int64_t trash = 0;
};

/// All, siblings in their order.
std::vector<Notebook> all_notebooks(tenon::Statements& db);
Totals totals(tenon::Statements& db);
std::optional<Notebook> find_notebook(tenon::Statements& db, std::string_view id);

/// Throws 422 notes.validation for `field` when the place is a notebook that is not there.
void require_place(tenon::Statements& db, const Place& place, const std::string& field);

/// The names from the top, joined by '/'; "" for the top itself.
std::string path_of(tenon::Statements& db, const Place& place);

/// How deep a place lies: 0 for the top, 1 for a notebook there.
std::int64_t depth_of(tenon::Statements& db, const Place& place);

/// The notebook at a path of names below the top; nullopt when one is missing. "" is no notebook:
/// it gives nullopt too.
std::optional<std::string> notebook_at(tenon::Statements& db, std::string_view path);

/// `place` and all notebooks inside it, each with its path, parents before children.
std::vector<std::pair<std::string, std::string>> subtree(tenon::Statements& db,
                                                         const std::string& notebook);

/// Adds one behind its siblings. Throws 409 notes.name_taken, 422 too_deep and
/// notes.too_many_notebooks.
Notebook add_notebook(tenon::Statements& db, const std::string& id, const std::string& name,
                      const Place& parent);

/// Finds or makes notebooks along paths, remembering them. For one transaction.
class Paths {
 public:
  explicit Paths(tenon::Statements& db) : db_(&db) {}

  /// The place at `names` below `start`, made where it is missing. Throws as add_notebook does.
  Place make(const Place& start, const std::vector<std::string>& names);

 private:
  tenon::Statements* db_;
  std::map<std::pair<std::string, std::string>, std::string> known_;  // (parent, name) → id
};

/// What a PATCH asks for.
struct NotebookChange {
  std::optional<std::string> name;
  std::optional<Place> parent;
  std::optional<Place> before;  ///< a sibling; the inner nullopt: last
};

/// Throws 404, 409 notes.name_taken, 422 `cycle`, `too_deep`, `unknown`.
Notebook change_notebook(tenon::Statements& db, const std::string& id,
                         const NotebookChange& change);

}  // namespace notes::store
