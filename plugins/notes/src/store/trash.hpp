#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/database.hpp>

#include "store/access.hpp"
#include "store/notes.hpp"

namespace notes::store {

/// Puts a note into the trash; nothing when it is there.
void trash_note(tenon::Statements& db, const NoteRow& note);

/// Takes a note out of the trash, making its notebook again when that is gone, as one of the note's
/// author; nothing when it is not there.
void restore_note(tenon::Statements& db, const NoteRow& note);

/// Deletes a note that is in the trash for ever, with its revisions and files: for who made it.
/// Throws 403 notes.not_owner, 409 notes.not_in_trash.
void purge_note(Scope& scope, const NoteRow& note);

/// Deletes for ever up to bulk_step notes that a person made and that lie in the trash, fewer when
/// their revisions are large; how many.
std::int64_t purge_step(tenon::Statements& db, const std::string& author);

/// One transaction's worth of deleting a notebook with those inside it.
struct TrashStep {
  std::int64_t trashed = 0;
  bool is_done = false;  ///< the notebooks are gone too
};

/// Trashes up to bulk_step notes of the notebooks, and deletes these when no note is left in them:
/// for their owner. Throws 404 when the notebook is not there, 403 notes.not_owner.
TrashStep trash_notebook_step(Scope& scope, const std::string& notebook);

}  // namespace notes::store
