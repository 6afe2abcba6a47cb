#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/cell.hpp"
#include "data/dialect.hpp"
#include "expression/check.hpp"
#include "expression/context.hpp"

namespace tenon::expression {

/// SQLite 3.40 and newer; PostgreSQL 15 and newer, with the functions of postgresql/schema/ddl.hpp
/// in the search path.
using data::Dialect;

/// The meaning of a parameter of the SQL.
struct Slot {
  enum class Kind : std::uint8_t { constant, user, groups, now, today, days_ago, can };

  Kind kind = Kind::constant;
  Value constant;          ///< constant, days_ago
  std::string permission;  ///< can

  bool operator==(const Slot&) const = default;
};

/// An expression as SQL. The text is made once and used for every request; only cells are bound.
/// Immutable, safe for any number of threads.
struct Sql {
  std::string text;         ///< in parentheses where it needs them
  std::vector<Slot> slots;  ///< of its parameters, in the order of their numbers
};

struct SqlOptions {
  Dialect dialect = Dialect::sqlite;
  /// The table's name or alias in the enclosing statement, unquoted. Not "e" followed by a number:
  /// these aliases are made here.
  std::string_view alias;
  /// The number of the first parameter: ?5 or $5, then ascending.
  std::size_t first_parameter = 1;
};

/// Returns SQL for WHERE: true for exactly the records for which the expression holds. For others
/// it is false or null, so that an index can be used; wrap it in nothing that distinguishes these.
/// Only for conditions.
Sql to_sql_condition(const Checked& checked, const SqlOptions& options);

/// Returns SQL for a column of a result: the value. Conditions are true or false, never null.
Sql to_sql_value(const Checked& checked, const SqlOptions& options);

/// Appends a cell for each slot, in order. They borrow from `sql` and `context`.
void append_cells(const Sql& sql, const Context& context, std::vector<data::Cell>& cells);

}  // namespace tenon::expression
