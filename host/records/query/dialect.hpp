#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/dialect.hpp"
#include "records/search/search_words.hpp"
#include "schema/tables.hpp"

namespace tenon::data {
class SqlError;
}

/// SQL and error checks of this room that differ between the engines. All other SQL runs on both.
/// `rowid` is the order in which records were created.
namespace tenon::records::dialect {

/// The parameter of this number.
std::string parameter(std::size_t number);

/// The targets of a link field of the record `t`, in order, as a JSON array.
std::string link_value(data::Dialect engine, const std::string& table,
                       const data::schema::Field& field);

/// The condition that `column` is a member of the JSON array which is bound to the parameter.
std::string is_member(data::Dialect engine, std::string_view column, std::size_t number);

/// The suffix of a column of ORDER BY: empty values come first, or last if it is descending.
std::string_view order(data::Dialect engine, bool is_descending) noexcept;

/// The join between two sources, followed by ON. The engine reads the first source first, even if
/// it would decide otherwise.
std::string_view join_in_order(data::Dialect engine) noexcept;

/// Between two values: equal, or both empty.
std::string_view is_same(data::Dialect engine) noexcept;

/// The sum and the average of the numbers `value`, in 64 bits where they are integers.
std::string sum(data::Dialect engine, const std::string& value, bool is_integer);
std::string average(data::Dialect engine, const std::string& value);

/// A condition that no record satisfies; it reads nothing.
inline constexpr std::string_view never = "1 = 0";

/// Has a row where there is a table of the name that is bound.
std::string_view find_table(data::Dialect engine) noexcept;

/// A statement of those below, written for SQLite, as the engine takes it.
std::string host_table(data::Dialect engine, std::string_view statement);

/// Statements that create the tables of retained responses, of the claims of files, and of imports.
inline constexpr std::array<std::string_view, 3> idempotency_table = {
    "CREATE TABLE tenon_idempotency (\"user\" TEXT NOT NULL, \"key\" TEXT NOT NULL, fingerprint "
    "TEXT "
    "NOT NULL, made INTEGER NOT NULL, status INTEGER NOT NULL, location TEXT, etag TEXT, bytes "
    "INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (\"user\", \"key\")) STRICT",
    "CREATE INDEX tenon_idempotency_user ON tenon_idempotency (\"user\", made, bytes)",
    "CREATE INDEX tenon_idempotency_made ON tenon_idempotency (made)"};
inline constexpr std::string_view files_table =
    "CREATE TABLE tenon_files (\"table\" TEXT NOT NULL, record TEXT NOT NULL, field TEXT NOT NULL, "
    "blob TEXT NOT NULL, claim TEXT NOT NULL, PRIMARY KEY (\"table\", record, field, blob)) "
    "STRICT, "
    "WITHOUT ROWID";
inline constexpr std::array<std::string_view, 3> import_tables = {
    "CREATE TABLE tenon_imports (id TEXT NOT NULL PRIMARY KEY, made INTEGER NOT NULL, blob TEXT "
    "NOT "
    "NULL, claim TEXT NOT NULL, \"rows\" INTEGER NOT NULL, created INTEGER NOT NULL, changed "
    "INTEGER "
    "NOT NULL, wrong INTEGER NOT NULL, errors INTEGER NOT NULL, is_over INTEGER NOT NULL, failure "
    "TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX tenon_imports_made ON tenon_imports (made)",
    "CREATE TABLE tenon_import_errors (import TEXT NOT NULL, number INTEGER NOT NULL, line INTEGER "
    "NOT NULL, field TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY "
    "(import, "
    "number)) STRICT, WITHOUT ROWID"};
/// A field that is searched.
struct SearchField {
  std::string name;
  std::size_t column = 0;  ///< its place in the search index
};

/// Returns the query of the search index: every term except the excluded ones, each anywhere in the
/// fields. FTS5 and tenon_search_query() of PostgreSQL accept it for all terms.
std::string match_expression(data::Dialect engine, const std::vector<SearchTerm>& terms,
                             const std::vector<SearchField>& fields);

/// Returns the search as highlight() takes it:
/// {"fields":[0,2],"terms":[{"text":"a","beginning":false,"excluded":false}]}.
std::string asked(const std::vector<SearchTerm>& terms, const std::vector<SearchField>& fields);

/// The JSON object of the found places of the record `t`: {"title":[{"text":"…","match":true},…]},
/// a member for each field with any. asked() is bound to `parameter`.
std::string highlight(data::Dialect engine, const std::vector<SearchField>& fields,
                      std::size_t parameter);

/// The condition that the record `t` is found.
std::string is_found(data::Dialect engine, const std::string& table, std::size_t parameter);

/// Returns FROM of the records `t` that are found, in the order of the search index, and WHERE;
/// append further conditions after an AND. Bound are the result of match_expression() and, to
/// `ranking`, the weight of a word in each column of the search index, a JSON array ("[8,1]").
std::string from_found(data::Dialect engine, const std::string& table, std::size_t parameter,
                       std::size_t ranking);
/// The rank of the record in from_found(); the smallest is the best. `is_compared`: with those of
/// other searches.
std::string rank(data::Dialect engine, const std::string& table, std::size_t ranking,
                 bool is_compared);

/// The same of SQLite, with "p"."rank" and "p"."rowid": in this order it has the best first without
/// sorting, and looks at a record only when those before it were looked at.
std::string from_best(const std::string& table, std::size_t parameter, std::size_t ranking);

/// The first characters of a text.
std::string beginning(const std::string& value, std::size_t characters);

/// Whether a statement failed because a sum of integers is beyond 64 bits.
bool is_sum_overflow(data::Dialect engine, const data::SqlError& error) noexcept;

}  // namespace tenon::records::dialect
