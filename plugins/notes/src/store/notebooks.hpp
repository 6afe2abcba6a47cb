#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/database.hpp>

namespace notes::store {

/// A notebook's id; empty optional: the top, where notes lie that are in no notebook.
using Location = std::optional<std::string>;

struct Notebook {
  std::string id;
  Location parent;
  std::string name;
  std::int64_t notes = 0;  ///< outside the trash, directly in it
  /// The same for all notebooks in one tree; empty: made when everything was everybody's. Any
  /// writer of these may do with them what an owner may, but not share them otherwise.
  std::optional<std::string> owner;
};

class Scope;

/// Numbers of notes that a person may read.
struct Totals {
  std::int64_t notes = 0;
  std::int64_t unfiled = 0;  ///< their own in no notebook
  std::int64_t pinned = 0;
  std::int64_t shared = 0;  ///< made by others
  std::int64_t trash = 0;
  std::int64_t trash_own = 0;
};

/// All that may be read, siblings in their order.
std::vector<Notebook> all_notebooks(Scope& scope);
Totals totals(Scope& scope);
std::optional<Notebook> find_notebook(tenon::Statements& db, std::string_view id);

/// The names from the top, joined by '/'; "" for the top itself.
std::string path_of(tenon::Statements& db, const Location& location);

/// How deep a location lies: 0 for the top, 1 for a notebook there.
std::int64_t depth_of(tenon::Statements& db, const Location& location);

/// The owner that distinguishes the trees at the top.
using Owner = std::optional<std::string>;

/// The notebook at a path of names below the top of an owner; nullopt when one is missing. "" is no
/// notebook: it gives nullopt too.
std::optional<std::string> notebook_at(tenon::Statements& db, const Owner& owner,
                                       std::string_view path);

/// `location` and all notebooks inside it, each with its path, parents before children.
std::vector<std::pair<std::string, std::string>> subtree(tenon::Statements& db,
                                                         const std::string& notebook);

/// Adds one after its siblings; inside another one it belongs to that one's owner. Throws 409
/// notes.name_taken, 422 too_deep and notes.too_many_notebooks.
Notebook add_notebook(tenon::Statements& db, const std::string& id, const std::string& name,
                      const Location& parent, const std::string& author);

/// Finds or makes notebooks along paths, remembering them. For one transaction.
class Paths {
 public:
  /// `author` owns those at the top, found and made.
  Paths(tenon::Statements& db, std::string author) : db_(&db), author_(std::move(author)) {}

  /// The place at `names` below `start`, made where it is missing. Throws as add_notebook does.
  Location make(const Location& start, const std::vector<std::string>& names);

 private:
  tenon::Statements* db_;
  std::string author_;
  std::map<std::pair<std::string, std::string>, std::string> known_;  // (parent, name) → id
};

/// The changes that a PATCH requests.
struct NotebookChange {
  std::optional<std::string> name;
  std::optional<Location> parent;
  std::optional<Location> before;  ///< a sibling; the inner nullopt: last
};

/// For who may write into it, and into where it goes: the notebook of another owner is for its own
/// one only. Throws 404, 403 notes.read_only and notes.not_owner, 409 notes.name_taken, 422
/// `cycle`, `too_deep`, `unknown`.
Notebook change_notebook(Scope& scope, const std::string& id, const NotebookChange& change);

}  // namespace notes::store
