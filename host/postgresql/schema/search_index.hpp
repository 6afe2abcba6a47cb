#pragma once

#include "postgresql/client/sql.hpp"
#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/tables.hpp"

namespace tenon::data::postgresql {

/// Characters of a record's searchable fields whose words stand in its index, shared evenly by the
/// fields, so that no record is more than PostgreSQL takes.
inline constexpr std::size_t searched_characters = 150'000;

// The search indexes of tables with searchable fields: `tenon_<table>_search(rowid, words)` with a
// GIN index, written by a trigger of the table. A word stands there behind the number of its field
// ("0.word"), so that a search can leave fields out. Compared by a hash, which stands in the
// table's comment.

/// Adds the steps that lead to the indexes of the declared tables.
void add_search_steps(Sql& sql, const schema::Tables& declared, schema::SearchUpgrade upgrade,
                      schema::Plan& plan);

/// Before everything else in an open transaction: drops what is not as declared, or all.
void drop_search_indexes(Sql& sql, const schema::Tables& declared, schema::SearchUpgrade upgrade);

/// After everything else in an open transaction: makes and fills what is missing.
void make_search_indexes(Sql& sql, const std::string& schema, const schema::Tables& declared);

}  // namespace tenon::data::postgresql
