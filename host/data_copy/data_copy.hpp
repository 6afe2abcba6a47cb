#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data_copy/copy.hpp"

namespace tenon::console {

/// Which rows are to be copied where. Both sides are held by the caller: no server uses them.
struct DataCopy {
  std::string data;  ///< the data directory, absolute: the files of an engine that is SQLite
  std::string from;  ///< URL of PostgreSQL; empty: the files in `data`
  std::string to;    ///< the same
  std::vector<std::string> plugins = {};  ///< where their folders are looked for
  /// Told of each batch; `database` is "core" or a plugin's id.
  std::function<void(std::string_view database, const data::copying::Progress&)> watch;
  /// Called when nothing speaks against the copy, just before the target is written to.
  std::function<void()> begin = {};
  /// Called when everything is there and equal, just before the target says so of itself.
  std::function<void()> bind = {};
};

/// What a copy comes to.
struct CopyReport {
  struct Database {
    std::string name;
    std::vector<data::copying::Compared> tables;
  };
  std::vector<Database> databases;

  bool is_equal() const noexcept;
  /// Lines for a terminal: a database each, or a line for each table that differs.
  std::string text() const;
  /// {"equal":…,"databases":[{"name","tables":[{"name","rows","target_rows","checksum","equal"}]}]}
  std::string json() const;
};

/// What the target notes of a copy, in the ledger of its host's database.
inline constexpr std::string_view state_note = "state";
inline constexpr std::string_view is_copying = "copying";
inline constexpr std::string_view is_complete = "complete";

/// True when the target says that a copy of this source into it came to its end.
bool is_move_complete(const DataCopy& move);

/// Copies an installation's rows from one engine to the other and compares them;
/// docs/decisions/0050. Called again after an interruption it goes on. Where rows differ the report
/// says so, and the target stays unfinished. Throws 409 data.copy_refused before anything is
/// copied: there is no source, a plugin's folder is missing or not of the version of its data, the
/// target holds something else; 422 data.copy_refused for tables and rows that have no place in the
/// target; what the plugins' migrations fail with there.
CopyReport move_installation(const DataCopy& move);

/// Compares only; changes nothing. The target must be complete.
CopyReport check_move(const DataCopy& move);

}  // namespace tenon::console
