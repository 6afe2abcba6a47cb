#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

namespace notes::store {

/// A state of a note, to be kept.
struct NewRevision {
  std::string_view note;
  std::int64_t version;
  std::string_view kind;
  std::string_view author;
  std::string_view time;
  std::string_view title;
  std::string_view text;
};

/// Keeps a state as the note's newest revision. Edits and renames by one author within
/// revision_span of the first are one revision; the oldest go beyond max_revisions and
/// max_revision_bytes.
void add_revision(tenon::Statements& db, const NewRevision& revision);

/// A revision without its text. `created` and `updated` are the times of its first and last save.
struct Revision {
  std::string id;
  std::int64_t version = 0;
  std::string kind;
  std::string author;
  std::string created;
  std::string updated;
  std::int64_t size = 0;  ///< bytes of text
  std::string title;
};

/// Newest first, below `before_version`.
std::vector<Revision> list_revisions(tenon::Statements& db, std::string_view note,
                                     std::int64_t before_version, std::int64_t limit);

/// Throws 404 when the note has no such revision.
Revision need_revision(tenon::Statements& db, std::string_view note, std::string_view id);
std::string revision_text(tenon::Statements& db, std::string_view id);

}  // namespace notes::store
