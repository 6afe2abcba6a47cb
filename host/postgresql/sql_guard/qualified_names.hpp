#pragma once

#include <span>

#include "postgresql/sql_guard/lexer.hpp"

namespace tenon::data::postgresql {

/// Throws 500 data.denied where the body of a function names what is in another schema: a name with
/// a dot that is called, or that is in the position of a table, a type or a collation, and an
/// operator written as OPERATOR(…). Dots of variables, of NEW and OLD and of columns are in other
/// positions. It does not ask which schemas exist, so it covers those made later too.
///
/// It also denies nextval() and setval(), which take a name as text, and an INTO of variables that
/// neither follows SELECT nor precedes a clause or the end: PL/pgSQL cuts it out, and the text
/// around it would become one name.
///
/// `body` has neither spaces nor comments.
void check_qualified_names(std::span<const Token> body);

}  // namespace tenon::data::postgresql
