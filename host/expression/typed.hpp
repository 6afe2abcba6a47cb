#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/tables.hpp"

namespace tenon::expression {

/// As data keeps them: booleans are integers 0 and 1; dates, times and ids texts; monostate is
/// null.
using data::schema::Value;

enum class Type : std::uint8_t {
  null_,  ///< the literal null where nothing else says what it might be
  boolean,
  integer,
  number,
  text,
  date,
  datetime,
  id,
  other,  ///< json and blob: can only be compared with null
};
/// For people: "a text", "an id".
std::string_view name_of(Type type) noexcept;

/// The operation of a typed node on its parts. Conditions are never null.
enum class Op : std::uint8_t {
  literal,
  user,
  now,
  today,
  days_ago,  ///< the time of the request without `value` days
  can,       ///< condition; `name` is the permission
  column,    ///< `path` without any many
  member,    ///< the value that the `any` around it looks at
  any,       ///< condition: the part holds for one of the values of `path`
  is_empty,  ///< condition: the many field at the end of `path` has no value
  is_null,   ///< condition
  equal,     ///< conditions, up to greater_equal
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in_list,    ///< condition: the first part equals one of the others
  in_groups,  ///< condition
  like,       ///< condition: first part, pattern as a literal
  not_,
  and_,
  or_,
  widen,  ///< integer to number
  whole,  ///< number to integer, cut towards zero and held within 64 bits
  add,    ///< arithmetic of numbers, up to negate; null where the result is not finite
  subtract,
  multiply,
  divide,
  negate,
  remainder,  ///< of integers
  concat,
  lower,
  upper,
  trim,
  length,
  coalesce,
  absolute,
  round,
  date,
  year,
  month,
  day,
  if_,
};

/// From a record of `table` through one of its fields to a record of `target`.
struct Hop {
  std::string table;
  std::string field;
  std::string target;  ///< empty where it is another database
  bool is_many = false;
};

struct Path {
  std::vector<Hop> hops;
  std::string table;  ///< whose field is at the end
  std::string field;  ///< "id" or a column; for is_empty the many field
  Type type = Type::null_;
  bool ends_on_link = false;  ///< the last hop is many, and its ids are the values
  bool is_members = false;    ///< the field is a JSON array, whose members are the values
};

struct Typed {
  Op op = Op::literal;
  Type type = Type::null_;
  bool is_nullable = true;
  bool needs_record = false;
  Value value;       ///< literal, days_ago
  std::string name;  ///< can
  Path path;         ///< column, any, is_empty
  std::vector<Typed> parts;
  std::size_t sql_stack = 1;  ///< what SQLite's parser stacks up in its SQL, at most
};

/// True for what is never null, so that it needs no comparison with true.
constexpr bool is_condition(Op op) noexcept {
  return op == Op::can || (op >= Op::any && op <= Op::or_);
}
/// Whether the operation is arithmetic for which SQLite may return an infinity.
constexpr bool is_arithmetic(Op op) noexcept {
  return op >= Op::add && op <= Op::negate;
}

}  // namespace tenon::expression
