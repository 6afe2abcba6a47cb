#include "store/revisions.hpp"

#include <algorithm>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/notes.hpp"
#include "store/problems.hpp"

namespace notes::store {
namespace {

bool continues(const Revision& newest, const NewRevision& next) {
  if (newest.kind != next.kind || newest.author != next.author) return false;
  if (next.kind != kind::edit && next.kind != kind::rename) return false;
  const auto first = tenon::parse_rfc3339(newest.created);
  const auto now = tenon::parse_rfc3339(next.time);
  return first && now && *now >= *first && *now - *first < revision_span;
}

void prune(tenon::Statements& db, std::string_view note) {
  struct Size {
    std::int64_t version = 0;
    std::int64_t size = 0;
  };
  const auto sizes = db.all<Size>(
      "SELECT version, size FROM revisions WHERE note = ? ORDER BY version DESC LIMIT ?", note,
      max_revisions + 1);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    bytes += sizes[i].size;
    const bool is_too_many =
        i >= static_cast<std::size_t>(max_revisions) || bytes > max_revision_bytes;
    if (i > 0 && is_too_many) {
      db.exec("DELETE FROM revisions WHERE note = ? AND version <= ?", note, sizes[i].version);
      return;
    }
  }
}

constexpr std::string_view list_sql =
    "SELECT id, version, kind, author, created, updated, size, title FROM revisions "
    "WHERE note = ? AND version < ? ORDER BY version DESC LIMIT ?";

}  // namespace

void add_revision(tenon::Statements& db, const NewRevision& revision) {
  const auto newest = list_revisions(db, revision.note, INT64_MAX, 1);
  const auto size = static_cast<std::int64_t>(revision.text.size());
  if (!newest.empty() && continues(newest.front(), revision)) {
    db.exec(
        "UPDATE revisions SET version = ?, updated = ?, size = ?, title = ?, text = ? WHERE id = ?",
        revision.version, revision.time, size, revision.title, revision.text, newest.front().id);
  } else {
    db.exec(
        "INSERT INTO revisions (id, note, version, kind, author, created, updated, size, title, "
        "text) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9)",
        tenon::new_id(), revision.note, revision.version, revision.kind, revision.author,
        revision.time, size, revision.title, revision.text);
  }
  prune(db, revision.note);
}

std::vector<Revision> list_revisions(tenon::Statements& db, std::string_view note,
                                     std::int64_t before_version, std::int64_t limit) {
  return db.all<Revision>(list_sql, note, before_version, limit);
}

Revision need_revision(tenon::Statements& db, std::string_view note, std::string_view id) {
  auto found = db.first<Revision>(
      "SELECT id, version, kind, author, created, updated, size, title FROM revisions WHERE id = ? "
      "AND note = ?",
      id, note);
  if (!found) throw not_found();
  return *std::move(found);
}

std::string revision_text(tenon::Statements& db, std::string_view id) {
  return db.first<std::string>("SELECT text FROM revisions WHERE id = ?", id).value_or("");
}

}  // namespace notes::store
