#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/database.hpp>

#include "store/notes.hpp"

namespace notes::store {

/// Destinations of links of a note that are not to be looked up: (kind, target as written) → note.
using KnownTargets = std::map<std::pair<std::string, std::string>, std::string>;

/// Keeps the links of a text as those of the note. A link that led somewhere before still does,
/// also when its title or path has changed since; `known` goes before that. New ones are looked up
/// among what the scope may read.
void record_links(Scope& scope, const NoteRow& note, std::string_view text,
                  const KnownTargets& known);

/// Leads links here that waited for a note of this title, file name or path, or whose note is in
/// the trash: those of notes by the same author, or in notebooks of the same owner. A note of
/// another person must not take what waits for one of theirs.
void adopt_links(tenon::Statements& db, const NoteRow& note);

/// Writes the new title into the `[[…]]` of the notes that link to `renamed` by `old_key`, each as
/// a new version. Notes that may not be written are `left`; those that may not be read stay as they
/// are, uncounted.
Rewritten rewrite_links(Scope& scope, const NoteRow& renamed, const std::string& old_key);

/// A link as written in a text, and the note it leads to.
struct OutgoingLink {
  std::string kind;
  std::string target;
  std::optional<std::string> note;
  std::optional<std::string> title;
  std::optional<std::string> deleted;
};

/// Returns links in order of the text. A link to a note that may not be read leads nowhere.
std::vector<OutgoingLink> links_of(Scope& scope, std::string_view note);

struct Backlink {
  std::string id;
  std::string title;
  std::string excerpt;
};

/// Notes outside the trash that link here and may be read, at most `limit`.
std::vector<Backlink> backlinks_of(Scope& scope, std::string_view note, std::int64_t limit);

}  // namespace notes::store
