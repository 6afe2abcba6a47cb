#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data::postgresql {

/// A statement of the common subset as PostgreSQL takes it.
struct StatementText {
  std::string sql;             ///< `?` and `?N` are `$N`
  std::size_t parameters = 0;  ///< the highest number
  std::vector<bool> is_used;   ///< of each number, whether the text has it
};

/// Translates one statement. Texts in quotes, dollar quotes and comments are left as they are; a
/// bare `?` has the number after the highest one before it, as in SQLite. The operators `?`, `?|`
/// and `?&` of jsonb are placeholders here; jsonb_exists() and its sisters do the same.
///
/// Unless `is_trusted`, throws 500 data.denied for what a plugin's SQL may not do and PostgreSQL's
/// rights do not deny: anything but SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES and WITH (so
/// LISTEN, SET, COPY, DO, transactions); names that begin with pg_ or lo_, information_schema;
/// functions that change settings or run text as SQL; functions of another schema. Throws 500
/// data.sql for a text without a statement.
StatementText translate(std::string_view sql, bool is_trusted);

/// The statements of a migration's file, one after the other, without what holds none.
std::vector<std::string> split_script(std::string_view script);

/// Throws 500 data.denied for what a plugin's migration may not do and its role's rights do not
/// deny: all that a plugin's SQL may not, but for CREATE, ALTER and DROP of tables, indexes, views
/// and sequences, COMMENT and TRUNCATE; CREATE TABLE … AS EXECUTE; and names that begin with
/// tenon_, which are the host's. So there are no functions, through which everything else could be
/// reached at any time.
void check_migration(std::string_view statement);

}  // namespace tenon::data::postgresql
