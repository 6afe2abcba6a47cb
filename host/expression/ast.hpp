#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/tables.hpp"

namespace tenon::expression {

/// Bounds on one expression; what is beyond them is 422 expression.invalid.
inline constexpr std::size_t max_bytes = data::schema::max_expression_bytes;
inline constexpr std::size_t max_depth = 32;  ///< of nodes within each other, and of parentheses
inline constexpr std::size_t max_nodes = 200;
inline constexpr std::size_t max_steps = 8;            ///< names of one path
inline constexpr std::size_t max_members = 100;        ///< of a list, and arguments of a call
inline constexpr std::int64_t max_days_ago = 36'500;   ///< 100 years
inline constexpr std::size_t max_pattern_bytes = 200;  ///< of a pattern of `like`
/// Entries of SQLite's parser stack that its SQL may take: SQLite has 100, the caller's statement
/// needs some.
inline constexpr std::size_t max_sql_stack = 75;

enum class Kind : std::uint8_t {
  null_,
  boolean,  ///< `integer` is 0 or 1
  integer,
  number,
  text,
  path,
  user,
  groups,  ///< only after `in`
  now,
  today,
  call,
  list,  ///< only after `in`
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
  like,
  not_like,
  not_,
  and_,  ///< two or more children, as or_
  or_,
};

/// One name of a path.
struct Step {
  std::string name;
  std::size_t at = 0;
};

struct Node {
  Kind kind = Kind::null_;
  std::size_t at =
      0;  ///< offset in the text, bytes; of an operator itself for those with two sides
  std::size_t height = 1;    ///< nodes from here down to the deepest leaf
  std::int64_t integer = 0;  ///< integer, boolean
  double number = 0;         ///< number
  std::string text;          ///< text: its value; call: the function's name
  std::vector<Step> path;    ///< path
  std::vector<Node> children;

  /// Equal in meaning: positions do not count.
  bool operator==(const Node& other) const;
};

/// A parsed expression and the text that its positions refer to.
struct Ast {
  std::string text;
  Node root;
};

/// The expression as text with no more parentheses than it needs; parse() reads it back to an equal
/// tree (where it is not longer than max_bytes).
std::string print(const Node& node);

/// Throws 422 expression.invalid: "<where>: <what>", where being the byte offset `at` in `text`,
/// and line and column (in characters, from 1) where the text has several lines.
[[noreturn]] void refuse(std::string_view text, std::size_t at, const std::string& what);

}  // namespace tenon::expression
