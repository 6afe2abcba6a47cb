#pragma once

#include <string_view>

namespace tenon::data::postgresql {

/// Whether a statement of a migration makes a function, of whatever kind.
bool makes_function(std::string_view statement);

/// Throws 500 data.denied for a function that a plugin's migration may not make (decision 0051).
/// Allowed is: CREATE [OR REPLACE] FUNCTION name() RETURNS trigger LANGUAGE plpgsql AS $$…$$,
/// whose body says nothing that a plugin's statements may not say.
///
/// The body is checked when it is made and runs whenever a row is written, as the role that writes:
/// the plugin's role, or the owner of the tables where a reference cascades. So it may name neither
/// what is the host's nor another schema (qualified_names.hpp), and each of its statements must be
/// one of
/// - SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES, WITH, PERFORM, an assignment, NULL, RETURN,
///   RAISE EXCEPTION without USING;
/// - BEGIN, DECLARE, IF, LOOP, WHILE, FOR (over numbers or one of these), FOREACH, EXIT, CONTINUE.
///
/// There is no dynamic SQL, no cursor, no handler of exceptions (it could catch the cancelling of
/// its statement and never end), no label, no CASE statement (the expression may be had).
void check_trigger_function(std::string_view statement);

}  // namespace tenon::data::postgresql
