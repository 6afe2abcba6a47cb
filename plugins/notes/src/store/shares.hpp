#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

#include "store/access.hpp"

namespace notes::store {

/// Another person who may read or write a note, or a notebook with all in it.
struct Share {
  std::string subject;  ///< see user_subject
  std::string level;    ///< "reader" or "writer"

  bool operator==(const Share&) const = default;
};

/// The kind of a shared object.
enum class Shared : std::uint8_t { note, notebook };

/// By subject.
std::vector<Share> shares_of(tenon::Statements& db, Shared what, std::string_view id);

/// Shares a note or notebook with exactly these, each subject once.
void set_shares(tenon::Statements& db, Shared what, std::string_view id,
                const std::vector<Share>& shares, const std::string& author);

/// Access of a person to one of some notes, and whether others may see it.
struct NoteAccess {
  Level level = Level::none;
  bool is_shared = false;
};
std::map<std::string, NoteAccess> access_of(Scope& scope, const std::vector<NoteRow>& notes);

/// The shares of the notebooks around a location, nearest first, each with the notebook's id. All
/// of them, also of notebooks that the person may not see.
struct InheritedShare {
  std::string notebook;
  std::string name;  ///< of the notebook
  std::optional<std::string> owner;
  std::string subject;
  std::string level;
};
std::vector<InheritedShare> inherited_shares(tenon::Statements& db, const Location& location);

}  // namespace notes::store
