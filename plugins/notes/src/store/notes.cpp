#include "store/notes.hpp"

#include <utility>

#include "store/access.hpp"
#include "store/dialect.hpp"
#include "store/links.hpp"
#include "store/problems.hpp"
#include "store/revisions.hpp"
#include "store/tags.hpp"
#include "text/front_matter.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"
#include "text/plain.hpp"

namespace notes::store {
namespace {

std::string select_note(std::string_view where) {
  return std::string("SELECT ").append(note_columns).append(" FROM notes n WHERE ").append(where);
}

bool is_file_taken(tenon::Statements& db, const Location& location, const std::string& author,
                   const std::string& file, std::string_view self) {
  tenon::Arguments arguments;
  std::string sql = "SELECT 1 FROM notes WHERE ";
  append_equals(sql, arguments, "notebook", location);
  sql += " AND file = ? AND deleted IS NULL AND id <> ?";
  arguments.add(file).add(self);
  if (!location) {
    // Few notes of one notebook have the file, many the author.
    sql.append(" AND ").append(dialect_of(db).plus).append("author = ?");
    arguments.add(author);
  }
  return db.first<std::int64_t>(sql + " LIMIT 1", arguments).has_value();
}

/// The file follows the title while it was made from it.
std::string file_after_rename(tenon::Statements& db, const NoteRow& before,
                              const std::string& title) {
  const std::string made = text::file_name_of(before.title);
  const bool is_made =
      before.file == made || (before.file.starts_with(std::string(text::stem(made)) + " (") &&
                              before.file.ends_with(").md"));
  return is_made
             ? free_file(db, before.notebook, before.author, text::file_name_of(title), before.id)
             : before.file;
}

std::vector<std::string> joined(std::vector<std::string> names,
                                const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

std::optional<NoteRow> find_note(tenon::Statements& db, std::string_view id) {
  static const std::string sql = select_note("n.id = ?");
  return db.first<NoteRow>(sql, id);
}

NoteRow need_note(tenon::Statements& db, std::string_view id) {
  auto note = find_note(db, id);
  if (!note) throw not_found();
  return *std::move(note);
}

std::string text_of(tenon::Statements& db, std::int64_t rowid) {
  return db.first<std::string>("SELECT text FROM notes WHERE rowid = ?", rowid).value_or("");
}

std::string free_file(tenon::Statements& db, const Location& location, const std::string& author,
                      const std::string& wanted, std::string_view self) {
  if (!is_file_taken(db, location, author, wanted, self)) return wanted;
  const auto is_free = [&](std::int64_t number) {
    return !is_file_taken(db, location, author, text::numbered(wanted, number), self);
  };
  // Doubling and halving, so that the thousandth "Untitled" does not ask for all the others.
  std::int64_t taken = 1;
  std::int64_t free = 2;
  while (!is_free(free)) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const std::int64_t middle = taken + (free - taken) / 2;
    (is_free(middle) ? free : taken) = middle;
  }
  return text::numbered(wanted, free);
}

std::string add_note(Scope& scope, const NewNote& note) {
  tenon::Statements& db = scope.db();
  const std::string wanted = note.file.empty() ? text::file_name_of(note.title) : note.file;
  const std::string file = free_file(db, note.notebook, note.author, wanted, {});
  db.exec(
      "INSERT INTO notes (id, notebook, pinned, version, created, updated, author, editor, title, "
      "title_key, "
      "file, file_key, excerpt, text) VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, "
      "?11)",
      note.id, note.notebook, note.pinned, note.time, note.author, note.title,
      text::fold(note.title), file, text::fold(text::stem(file)),
      text::excerpt(note.text, note.title), note.text);
  add_revision(db, {note.id, 1, note.kind, note.author, note.time, note.title, note.text});
  set_tags(db, note.id, joined(note.tags, text::read_front_matter(note.text).tags));
  const NoteRow row = need_note(db, note.id);
  record_links(scope, row, note.text, {});
  adopt_links(db, row);
  return file;
}

Rewritten change_note(Scope& scope, const NoteRow& before, std::string_view before_text,
                      const std::string& title, const std::string& text, std::string_view kind) {
  tenon::Statements& db = scope.db();
  const std::string& editor = scope.actor().user;
  const std::string now = tenon::now_text();
  const std::string title_key = text::fold(title);
  const bool is_renamed = title != before.title;
  const std::string file = is_renamed ? file_after_rename(db, before, title) : before.file;
  db.exec(
      "UPDATE notes SET version = version + 1, updated = ?, editor = ?, title = ?, title_key = ?, "
      "file = ?, "
      "file_key = ?, excerpt = ?, text = ? WHERE rowid = ?",
      now, editor, title, title_key, file, text::fold(text::stem(file)), text::excerpt(text, title),
      text, before.rowid);
  add_revision(db, {before.id, before.version + 1, kind, editor, now, title, text});
  const NoteRow row = need_note(db, before.id);
  if (text != before_text) {
    follow_front_matter(db, before.id, text::read_front_matter(before_text).tags,
                        text::read_front_matter(text).tags);
    record_links(scope, row, text, {});
  }
  if (!is_renamed) return {};
  adopt_links(db, row);
  return before.title_key == title_key ? Rewritten{} : rewrite_links(scope, row, before.title_key);
}

void move_note(Scope& scope, const NoteRow& note, const Location& notebook) {
  if (note.notebook == notebook) return;
  tenon::Statements& db = scope.db();
  require_location(scope, notebook, "notebook");
  if (note.author != scope.actor().user) {
    const auto from = note.notebook ? find_notebook(db, *note.notebook) : std::nullopt;
    const auto to = notebook ? find_notebook(db, *notebook) : std::nullopt;
    if (!from || !to || from->owner != to->owner) {
      throw tenon::Error(403, "notes.not_owner",
                         "Only who made a note can move it there; others may move it within the "
                         "notebooks that it is shared in.");
    }
  }
  const std::string file = free_file(db, notebook, note.author, note.file, note.id);
  db.exec("UPDATE notes SET notebook = ?, file = ?, file_key = ? WHERE rowid = ?", notebook, file,
          text::fold(text::stem(file)), note.rowid);
  adopt_links(db, need_note(db, note.id));
}

void pin_note(tenon::Statements& db, const NoteRow& note, bool pinned) {
  if (note.pinned != pinned)
    db.exec("UPDATE notes SET pinned = ? WHERE rowid = ?", pinned, note.rowid);
}

}  // namespace notes::store
