#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

#include "store/notebooks.hpp"
#include "store/notes.hpp"

namespace notes::store {

/// Access of a person to a note or a notebook; each level includes those before it.
enum class Level : std::uint8_t { none, reader, writer, owner };
std::string_view name_of(Level level) noexcept;

/// The person of a request.
struct Reader {
  std::string user;
  std::string subjects;  ///< whom a share may name to mean them, as a JSON array

  Reader(std::string user_id, const std::vector<std::string>& groups);
};

/// How shares name people: everyone, a user, a group.
inline constexpr std::string_view everyone = "all";
std::string user_subject(std::string_view id);
std::string group_subject(std::string_view id);

/// The notes and notebooks that one person may see, within one transaction. A note is theirs to
/// read when they made it, when it lies in a notebook that they may read, or when it is shared with
/// them itself; a notebook when they own it, when it is shared with them, or when one around it is.
/// Every statement that gives notes to a person has readable() or writable() in it, or asks
/// level_of() for the note.
class Scope {
 public:
  Scope(tenon::Statements& db, const Reader& who) : db_(&db), actor_(&who) {}

  tenon::Statements& db() const noexcept { return *db_; }
  const Reader& actor() const noexcept { return *actor_; }

  /// A condition on notes as `alias`, whose arguments are added. It is written so that the order of
  /// the index is kept that the statement reads.
  std::string readable(std::string_view alias, tenon::Arguments& arguments);
  std::string writable(std::string_view alias, tenon::Arguments& arguments);

  /// Ids of the notebooks that may be read, as a JSON array.
  const std::string& readable_notebooks();
  /// All notebooks that may be read, by id.
  const std::map<std::string, Notebook, std::less<>>& notebooks();
  /// Returns the access to a location: `none` for a notebook that does not exist or is not visible;
  /// the top is everybody's own.
  Level level_at(const Location& location);
  /// Whether others than its owner may see a notebook, one of those that may be read.
  bool is_shared(const std::string& notebook);
  /// Returns the access to a note. Only its author is `owner`.
  Level level_of(const NoteRow& note);

 private:
  void load();
  std::string condition(std::string_view alias, const std::string& notebooks, bool writes,
                        tenon::Arguments& arguments) const;

  tenon::Statements* db_;
  const Reader* actor_;
  bool is_loaded_ = false;
  std::map<std::string, Notebook, std::less<>> notebooks_;
  std::map<std::string, Level, std::less<>> levels_;
  std::map<std::string, bool, std::less<>> shared_;
  std::string readable_;  ///< ids of notebooks as JSON
  std::string writable_;
};

/// A note that may be read; else 404 notes.not_found, as for one that is not there.
NoteRow need_readable(Scope& scope, std::string_view id);
/// A note that may be written. Throws 404, and 403 notes.read_only where it may be read only.
NoteRow need_writable(Scope& scope, std::string_view id);
/// The same, where it does not lie in the trash: 409 notes.in_trash.
NoteRow need_editable(Scope& scope, std::string_view id);

/// Throws 422 notes.validation for `field` when the location is no notebook that may be written
/// into.
void require_location(Scope& scope, const Location& location, const std::string& field);
/// A notebook that may be read and, with `writer`, written into: 404, 403 notes.read_only.
Notebook need_notebook(Scope& scope, std::string_view id, Level level);

}  // namespace notes::store
