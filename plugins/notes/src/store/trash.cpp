#include "store/trash.hpp"

#include <algorithm>
#include <optional>

#include <tenon/json.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/dialect.hpp"
#include "store/links.hpp"
#include "store/problems.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"

namespace notes::store {
namespace {

constexpr std::int64_t purge_bytes = 64LL * 1024 * 1024;

std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    names.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return names;
}

}  // namespace

void trash_note(tenon::Statements& db, const NoteRow& note) {
  if (note.deleted) return;
  db.exec("UPDATE notes SET deleted = ? WHERE rowid = ?", tenon::now_text(), note.rowid);
}

void restore_note(tenon::Statements& db, const NoteRow& note) {
  if (!note.deleted) return;
  Location location = note.notebook;
  if (!location && note.trashed_from)
    location = Paths(db, note.author).make(std::nullopt, names_in(*note.trashed_from));
  const std::string file = free_file(db, location, note.author, note.file, note.id);
  db.exec(
      "UPDATE notes SET deleted = NULL, trashed_from = NULL, notebook = ?, file = ?, file_key = ? "
      "WHERE rowid = ?",
      location, file, text::fold(text::stem(file)), note.rowid);
  adopt_links(db, need_note(db, note.id));
}

void purge_note(Scope& scope, const NoteRow& note) {
  if (note.author != scope.actor().user) {
    throw tenon::Error(403, "notes.not_owner", "Only who made a note can delete it for ever.");
  }
  if (!note.deleted) {
    throw tenon::Error(409, "notes.not_in_trash",
                       "Only a note in the trash can be deleted for ever.");
  }
  scope.db().exec("DELETE FROM notes WHERE rowid = ?", note.rowid);
}

std::int64_t purge_step(tenon::Statements& db, const std::string& author) {
  struct Candidate {
    std::string id;
    std::int64_t bytes = 0;
  };
  const auto candidates = db.all<Candidate>(
      "SELECT n.id, coalesce((SELECT sum(size) FROM revisions r WHERE r.note = n.id), 0) FROM "
      "notes n "
      "WHERE n.deleted IS NOT NULL AND n.author = ? ORDER BY n.deleted, n.id LIMIT ?",
      author, bulk_step);
  std::int64_t bytes = 0;
  tenon::Json ids = tenon::Json::array();
  for (const auto& candidate : candidates) {
    if (!ids.empty() && bytes + candidate.bytes > purge_bytes) break;
    ids.push_back(candidate.id);
    bytes += candidate.bytes;
  }
  const std::string sql = std::string("DELETE FROM notes WHERE id ").append(dialect_of(db).in_json);
  return db.exec(sql, tenon::to_text(ids)).rows;
}

TrashStep trash_notebook_step(Scope& scope, const std::string& notebook) {
  tenon::Statements& db = scope.db();
  const Notebook top = need_notebook(scope, notebook, Level::writer);
  if (top.owner && *top.owner != scope.actor().user) {
    throw tenon::Error(403, "notes.not_owner", "Only its owner can delete a notebook.");
  }
  const auto notebooks = subtree(db, notebook);
  const Dialect& dialect = dialect_of(db);
  TrashStep step;
  std::int64_t room = bulk_step;
  for (const auto& [id, path] : notebooks) {
    const auto ids =
        db.all<std::string>("SELECT id FROM notes WHERE notebook = ? LIMIT ?", id, room);
    const std::string json = tenon::to_text(tenon::Json(ids));
    const std::string trash = std::string("UPDATE notes SET deleted = ? WHERE ")
                                  .append(dialect.plus)
                                  .append("deleted IS NULL AND id ")
                                  .append(dialect.in_json);
    step.trashed += db.exec(trash, tenon::now_text(), json).rows;
    const std::string take_out =
        std::string("UPDATE notes SET notebook = NULL, trashed_from = ? WHERE id ")
            .append(dialect.in_json);
    db.exec(take_out, path, json);
    room -= static_cast<std::int64_t>(ids.size());
    if (room == 0) return step;
  }
  for (auto each = notebooks.rbegin(); each != notebooks.rend(); ++each) {
    db.exec("DELETE FROM notebooks WHERE id = ?", each->first);
  }
  step.is_done = true;
  return step;
}

}  // namespace notes::store
