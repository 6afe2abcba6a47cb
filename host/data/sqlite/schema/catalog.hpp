#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/sqlite/connection.hpp"

namespace tenon::data::schema {

/// A column as SQLite has it.
struct ActualColumn {
  std::string name;
  std::string storage;        ///< TEXT, INTEGER, REAL, …
  std::string default_value;  ///< SQL; empty: none
};

/// A table as SQLite has it.
struct ActualTable {
  std::string sql;                    ///< CREATE TABLE …
  std::vector<ActualColumn> columns;  ///< in the order of the file, rowid and id among them
  /// Made as create_sql makes tables: STRICT, rowid the integer primary key, id unique, no other
  /// key.
  bool has_our_shape = false;

  const ActualColumn* find(std::string_view name) const noexcept;
};

/// Reads one table; nullopt when there is none of this name. Needs the room's own access.
std::optional<ActualTable> read_table(sqlite::Connection& connection, std::string_view name);

/// True for a table made as create_link_sql makes them; where the references lead is not looked at.
bool is_link_table(sqlite::Connection& connection, std::string_view name);

/// Names of the indexes that the host planned on this table.
std::vector<std::string> read_planned_indexes(sqlite::Connection& connection,
                                              std::string_view table);

/// The columns of an index, in order.
std::vector<std::string> read_index_fields(sqlite::Connection& connection, std::string_view index);

}  // namespace tenon::data::schema
