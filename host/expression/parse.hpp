#pragma once

#include <string_view>

#include "expression/ast.hpp"

namespace tenon::expression {

/// Reads one expression (docs/expressions.md). Knows no table: names are not looked up here. Throws
/// 422 expression.invalid whose message says where, what was found and what was expected. The depth
/// of recursion is bounded by max_depth.
Ast parse(std::string_view text);

}  // namespace tenon::expression
