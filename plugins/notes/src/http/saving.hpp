#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/database.hpp>
#include <tenon/response.hpp>

#include "http/shapes.hpp"
#include "store/notes.hpp"

namespace notes::http {

/// Timeout of a transaction that saves a note: a thousand links are recorded, two hundred notes
/// rewritten, and PostgreSQL runs a statement for each.
inline constexpr std::chrono::seconds save_deadline{30};

/// New content of a note, made from one of its versions.
struct Save {
  std::string note;
  std::optional<std::int64_t> base;  ///< from If-Match
  std::optional<std::string> title;
  std::optional<std::string> text;
  std::string_view kind;
};

/// The note has a newer version. Carries that version, so that the response is made outside the
/// transaction.
struct Conflict {
  store::NoteRow row;
  std::string text;
};

/// Saves, unless the note has these very contents already (a retried save). Throws Conflict when
/// the note is no longer the version that the contents were made from, and 428
/// notes.version_required when that is not said.
store::Rewritten save_content(store::Scope& scope, const store::NoteRow& note, const Save& save);

/// 412 notes.conflict with the note as it is.
tenon::Error conflict_error(const Conflict& conflict, People& people);

/// Runs `work()` and responds to a Conflict that it throws.
template <class Work>
tenon::Response respond_to_conflicts(People& people, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Conflict& conflict) {
    return tenon::Response::problem(conflict_error(conflict, people));
  }
}

}  // namespace notes::http
