#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data_copy/copy.hpp"

namespace tenon::console {

/// The source and the target of a copy. The caller locks both: no server uses them.
struct DataCopy {
  std::string data;  ///< the data directory, absolute; has the files if an engine is SQLite
  std::string from;  ///< URL of PostgreSQL; empty: the files in `data`
  std::string to;    ///< the same
  std::vector<std::string> plugins = {};  ///< where their folders are looked for
  /// Receives the progress of each batch; `database` is "core" or a plugin's id.
  std::function<void(std::string_view database, const data::copying::Progress&)> watch;
  /// Called after all checks, just before the target is written.
  std::function<void()> begin = {};
  /// Called when all data is copied and equal, just before the target is marked as complete.
  std::function<void()> bind = {};
};

/// The result of a copy.
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

/// The state of a copy, which the target stores in the metadata of its host's database.
inline constexpr std::string_view state_note = "state";
inline constexpr std::string_view is_copying = "copying";
inline constexpr std::string_view is_complete = "complete";

/// Returns whether a copy of this source into the target is complete.
bool is_copy_complete(const DataCopy& move);

/// Copies an installation's rows from one engine to the other and compares them;
/// docs/decisions/0050. Another call continues an interrupted copy. If rows differ the report has
/// the difference, and the target stays incomplete. Throws 409 data.copy_refused before anything is
/// copied: there is no source, a plugin's folder is missing or not of the version of its data, the
/// target holds something else; 422 data.copy_refused for tables and rows that the target cannot
/// hold; errors of the plugins' migrations there.
CopyReport copy_installation(const DataCopy& move);

/// Compares only; changes nothing. The target must be complete.
CopyReport check_copy(const DataCopy& move);

}  // namespace tenon::console
