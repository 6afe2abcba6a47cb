#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

#include "store/notebooks.hpp"

namespace notes::store {

/// A note without its text. Members in the order of note_columns.
struct NoteRow {
  std::int64_t rowid = 0;
  std::string id;
  Location notebook;
  bool pinned = false;
  std::int64_t version = 1;  ///< counts changes of title and text
  std::string created;
  std::string updated;  ///< of title or text
  std::optional<std::string> deleted;
  std::string author;
  std::string editor;
  std::string title;
  std::string title_key;
  std::string file;
  std::optional<std::string> trashed_from;
  std::string excerpt;
};

/// The columns of a NoteRow, of table `n`.
inline constexpr std::string_view note_columns =
    "n.rowid, n.id, n.notebook, n.pinned, n.version, n.created, n.updated, n.deleted, n.author, "
    "n.editor, n.title, n.title_key, n.file, n.trashed_from, n.excerpt";

std::optional<NoteRow> find_note(tenon::Statements& db, std::string_view id);
/// Throws 404 notes.not_found.
NoteRow need_note(tenon::Statements& db, std::string_view id);
std::string text_of(tenon::Statements& db, std::int64_t rowid);

/// Why a revision was made.
namespace kind {
inline constexpr std::string_view edit = "edit";
inline constexpr std::string_view import = "import";
inline constexpr std::string_view restore = "restore";
inline constexpr std::string_view rename = "rename";
}  // namespace kind

/// A note to be.
struct NewNote {
  std::string id;
  Location notebook;
  std::string title;  ///< clean
  std::string text;
  std::vector<std::string> tags;  ///< names, joined with those of the front matter
  bool pinned = false;
  std::string author;
  std::string_view kind = kind::edit;
  std::string file;  ///< as wanted; empty: made from the title
  std::string time;  ///< RFC 3339
};

/// Adds a note with everything that hangs on it: revision, tags, links, index. Returns the name of
/// its file. Links are looked up among what the scope may read.
std::string add_note(Scope& scope, const NewNote& note);

/// The effect of renaming on the notes that link here.
struct Rewritten {
  std::int64_t notes = 0;
  std::int64_t left = 0;
};

/// Gives a note a new title and text as a new version, with everything that hangs on them. `before`
/// is the note as it is.
Rewritten change_note(Scope& scope, const NoteRow& before, std::string_view before_text,
                      const std::string& title, const std::string& text, std::string_view kind);

/// Moves a note that is not in the trash: its author to wherever they may write, others within the
/// notebooks of one owner. Throws 422 when the notebook is not there, 403 notes.not_owner.
void move_note(Scope& scope, const NoteRow& note, const Location& notebook);

void pin_note(tenon::Statements& db, const NoteRow& note, bool pinned);

/// A name like `wanted` that no note of the notebook outside the trash has, `self` aside. At the
/// top only the notes of `author` count.
std::string free_file(tenon::Statements& db, const Location& location, const std::string& author,
                      const std::string& wanted, std::string_view self);

}  // namespace notes::store
