#pragma once

#include <span>

#include "postgresql/sql_guard/lexer.hpp"

namespace tenon::data::postgresql {

/// Throws 500 data.denied where the body of a function names what is in another schema: a name with
/// a dot that is called, or that stands where a table, a type or a collation does, and an operator
/// written as OPERATOR(…). Dots of variables, of NEW and OLD and of columns stand elsewhere. Which
/// schemas there are is not asked, so those made later are none either.
///
/// It also denies nextval() and setval(), which take a name as text, and an INTO of variables that
/// is neither behind SELECT nor in front of a clause or the end: PL/pgSQL cuts it out, and what
/// stood around it would become one name.
///
/// `body` has neither spaces nor comments.
void check_qualified_names(std::span<const Token> body);

}  // namespace tenon::data::postgresql
