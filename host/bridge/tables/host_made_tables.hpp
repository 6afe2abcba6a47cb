#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/dialect.hpp"

namespace tenon::plugins {

/// The table of the checkpoints of migrations that are functions, and its statement for SQLite.
inline constexpr std::string_view positions_table = "tenon_function_migrations";
inline constexpr std::string_view make_positions_table =
    "CREATE TABLE tenon_function_migrations (number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT "
    "NULL, bookmark TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, is_over INTEGER "
    "NOT NULL) STRICT";

/// The table of migrations in the phase expand, after which the previous version still runs.
inline constexpr std::string_view phases_table = "tenon_function_phases";
inline constexpr std::string_view make_phases_table =
    "CREATE TABLE tenon_function_phases (number INTEGER NOT NULL PRIMARY KEY, phase TEXT NOT NULL) "
    "STRICT";

/// The table of the checkpoints of change consumers.
inline constexpr std::string_view checkpoints_table = "tenon_bookmarks";
inline constexpr std::string_view make_checkpoints_table =
    "CREATE TABLE tenon_bookmarks (name TEXT NOT NULL PRIMARY KEY, log TEXT NOT NULL, seq INTEGER "
    "NOT NULL) STRICT, WITHOUT ROWID";

/// A table of the host in a plugin's database, created on first use.
struct HostMadeTable {
  std::string name;
  std::vector<std::string> statements;  ///< that make it, with its indexes
};
/// Returns all of them, with the statements for an engine.
std::vector<HostMadeTable> host_made_tables(data::Dialect engine);

}  // namespace tenon::plugins
