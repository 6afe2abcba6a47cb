#include "store/shares.hpp"

#include <algorithm>
#include <set>

#include <tenon/id.hpp>
#include <tenon/json.hpp>
#include <tenon/time.hpp>

#include "store/dialect.hpp"
#include "store/places.hpp"

namespace notes::store {
namespace {

/// The column that refers to what is shared.
std::string column_of(Shared what) {
  return what == Shared::note ? "note" : "notebook";
}

}  // namespace

std::vector<Share> shares_of(tenon::Statements& db, Shared what, std::string_view id) {
  return db.all<Share>(
      "SELECT subject, level FROM shares WHERE " + column_of(what) + " = ? ORDER BY subject", id);
}

void set_shares(tenon::Statements& db, Shared what, std::string_view id,
                const std::vector<Share>& shares, const std::string& author) {
  const auto before = shares_of(db, what, id);
  const std::string column = column_of(what);
  for (const auto& share : before) {
    if (std::find(shares.begin(), shares.end(), share) == shares.end())
      db.exec("DELETE FROM shares WHERE " + column + " = ? AND subject = ?", id, share.subject);
  }
  for (const auto& share : shares) {
    if (std::find(before.begin(), before.end(), share) != before.end()) continue;
    db.exec("INSERT INTO shares (id, " + column +
                ", subject, level, created, author) VALUES (?, ?, ?, ?, ?, ?)",
            tenon::new_id(), id, share.subject, share.level, tenon::now_text(), author);
  }
  if (what == Shared::notebook) refresh_readers(db, std::string(id));
}

std::map<std::string, NoteAccess> access_of(Scope& scope, const std::vector<NoteRow>& notes) {
  tenon::Json ids = tenon::Json::array();
  for (const auto& note : notes)
    ids.push_back(note.id);
  const std::string sql = std::string("SELECT DISTINCT note FROM shares WHERE note ")
                              .append(dialect_of(scope.db()).in_json);
  const auto shared = scope.db().all<std::string>(sql, tenon::to_text(ids));
  const std::set<std::string> own(shared.begin(), shared.end());
  std::map<std::string, NoteAccess> all;
  for (const auto& note : notes) {
    const Level level = scope.level_of(note);
    const bool is_shared = level != Level::owner || own.contains(note.id) ||
                           (note.notebook && (scope.level_at(note.notebook) != Level::owner ||
                                              scope.is_shared(*note.notebook)));
    all[note.id] = {level, is_shared};
  }
  return all;
}

std::vector<InheritedShare> inherited_shares(tenon::Statements& db, const Location& location) {
  return db.all<InheritedShare>(
      "WITH RECURSIVE around (id, parent, name, owner, step) AS ("
      "SELECT id, parent, name, owner, 1 FROM notebooks WHERE id = ? UNION ALL "
      "SELECT n.id, n.parent, n.name, n.owner, step + 1 FROM around JOIN notebooks n ON n.id = "
      "around.parent) "
      "SELECT around.id, around.name, around.owner, coalesce(s.subject, ''), coalesce(s.level, '') "
      "FROM around LEFT JOIN shares s ON s.notebook = around.id ORDER BY step, s.subject",
      location.value_or(""));
}

}  // namespace notes::store
