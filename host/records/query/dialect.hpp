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

/// Returns the request of a search as JSON, for all functions below:
/// {"fields":[0,2],"columns":"\"title\"","terms":[{"text":"a","beginning":false,"excluded":false}]}.
/// `columns` is the number of columns of the search index. "columns" is left out if all are
/// searched. Any text is valid in a term.
std::string search_request(const std::vector<SearchTerm>& terms,
                           const std::vector<SearchField>& fields, std::size_t columns);

/// Returns SQL for the JSON object of the matches in the record `t`:
/// {"title":[{"text":"…","match":true},…]}, a member for each field with a match. The request is
/// bound to `parameter`.
std::string highlight(data::Dialect engine, const std::vector<SearchField>& fields,
                      std::size_t parameter);

/// Returns the condition that the record `t` matches the request that is bound to this parameter.
std::string is_match(data::Dialect engine, const std::string& table, std::size_t request);

/// "WITH …", the beginning of a statement with from_matches() or ranked_matches(). If it is not
/// complete, SQLite may search for some of the words with a prefix only (sqlite/search/
/// ranked_match.hpp).
std::string with_query(data::Dialect engine, const std::string& table, std::size_t request,
                       bool is_complete);
/// Returns SQL that is 1 if with_query() left words out.
std::string_view is_partial(data::Dialect engine) noexcept;

/// Returns the clauses that select the matching records `t`, after with_query(). AND may follow.
std::string from_matches(data::Dialect engine, const std::string& table, std::size_t request);

/// After with_query(): the table `m` of the most recent matches, at most
/// data::max_ranked_matches(), with "row" and "rank". The smallest rank is the best. `conditions`
/// begins with AND or is empty. Bound are the request and the weights of the index's columns, a
/// JSON array ("[8,1]"). `fields`: number of fields of the request.
std::string ranked_matches(data::Dialect engine, const std::string& table,
                           const std::string& conditions, std::size_t request, std::size_t weights,
                           std::size_t fields);

/// The first characters of a text.
std::string beginning(const std::string& value, std::size_t characters);

/// Whether a statement failed because a sum of integers is beyond 64 bits.
bool is_sum_overflow(data::Dialect engine, const data::SqlError& error) noexcept;

}  // namespace tenon::records::dialect
