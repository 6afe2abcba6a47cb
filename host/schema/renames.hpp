#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/tables.hpp"

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
/// name, but under one of its former names, is renamed. More than one of these is added to
/// `refusals`.
Renames find_renames(Catalog& catalog, const Tables& declared, std::vector<Refusal>& refusals);

/// `tables` (those that were applied last) under the names of the declaration.
Tables renamed(Tables tables, const Renames& renames);

}  // namespace tenon::data::schema
