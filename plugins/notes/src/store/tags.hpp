#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

namespace notes::store {

struct Tag {
  std::string id;
  std::string name;
  std::int64_t notes = 0;  ///< outside the trash, of those that may be read
};

class Scope;

/// A tag of a note that may be read, also one in the trash.
std::optional<Tag> find_tag(Scope& scope, std::string_view id);
/// By name, in any case.
std::optional<Tag> find_tag_named(Scope& scope, std::string_view name);

/// Tags of notes outside the trash that may be read, by name, after the key `after`.
std::vector<Tag> list_tags(Scope& scope, std::string_view after, std::int64_t limit);

/// Names of a note's tags, by name.
std::vector<std::string> tags_of(tenon::Statements& db, std::string_view note);
/// The same for many notes at once; `ids` is a JSON array. Notes without tags are not in it.
std::map<std::string, std::vector<std::string>> tags_of_all(tenon::Statements& db,
                                                            const std::string& ids);

/// Gives a note exactly these tags: proper names; what is the same but for case counts once, beyond
/// max_tags is left out.
void set_tags(tenon::Statements& db, std::string_view note, const std::vector<std::string>& names);

/// Adds and removes what the front matter of a text gained and lost.
void follow_front_matter(tenon::Statements& db, std::string_view note,
                         const std::vector<std::string>& before,
                         const std::vector<std::string>& after);

/// Renames a tag on all notes that may be written; to the name of another one only with `merge`,
/// when the notes get that one. If others have the tag too, it stays theirs, and the notes get
/// another one. Throws 409 notes.tag_exists.
Tag rename_tag(Scope& scope, const Tag& tag, const std::string& name, bool merge);

/// Takes a tag from up to bulk_step notes that may be written; true when none is left.
bool remove_tag_step(Scope& scope, std::string_view id);

}  // namespace notes::store
