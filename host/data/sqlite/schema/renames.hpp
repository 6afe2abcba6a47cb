#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/schema/plan.hpp"
#include "data/schema/tables.hpp"
#include "data/sqlite/connection.hpp"

namespace tenon::data::schema {

/// One name of a file that is another one in the declaration.
struct Rename {
  std::string table;  ///< as declared
  std::string field;  ///< as declared; empty: the table itself
  std::string from;   ///< the name in the file
};

struct Renames {
  std::vector<Rename> list;  ///< a table before its fields

  /// Names in the file of what is declared; the same ones where nothing is renamed. The views are
  /// of this or of the arguments.
  std::string_view table_in_file(std::string_view table) const noexcept;
  std::string_view field_in_file(std::string_view table, std::string_view field) const noexcept;
  /// The declared name of a field that the file calls so.
  std::string_view field_declared(std::string_view table, std::string_view in_file) const noexcept;
};

/// Compares the declared tables with a file: a table or field that the file does not have under its
/// name, but under one of its former names, is renamed. Where there is more than one of these,
/// `refusals` says so. Needs the room's own access.
Renames find_renames(sqlite::Connection& connection, const Tables& declared,
                     std::vector<Refusal>& refusals);

/// `tables` (those that were applied last) under the names of the declaration.
Tables renamed(Tables tables, const Renames& renames);

/// Renames in the file, in an open transaction: tables with their link tables, columns, and
/// whatever triggers, views and references say of them. Throws 409 data.migration_refused where
/// SQLite finds a trigger or view that it cannot change along. Needs the room's own access.
void apply_renames(sqlite::Connection& connection, const Renames& renames);

/// Search tables (FTS5 with `content=`) that take their texts from a renamed table or field are not
/// changed along by SQLite; refuses those that have not been made anew.
void refuse_stale_search(sqlite::Connection& connection, const Renames& renames,
                         std::vector<Refusal>& refusals);

}  // namespace tenon::data::schema
