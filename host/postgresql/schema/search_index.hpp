#pragma once

#include "postgresql/client/sql.hpp"
#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/tables.hpp"

namespace tenon::data::postgresql {

/// Characters of a record's searchable fields whose words are in its index, shared evenly by the
/// fields, so that no record exceeds PostgreSQL's limit.
inline constexpr std::size_t searched_characters = 150'000;

// The search indexes of tables with searchable fields: `tenon_<table>_search(rowid, words)` with a
// GIN index, written by a trigger of the table. Each word has the number of its field as prefix
// ("0.word"), so that a search can leave fields out. Compared by a hash in the table's comment.

/// Adds the steps that lead to the indexes of the declared tables.
void add_search_steps(Sql& sql, const schema::Tables& declared, schema::SearchUpgrade upgrade,
                      schema::Plan& plan);

/// Drops indexes that differ from their declaration, or all. Call it first in an open transaction.
void drop_search_indexes(Sql& sql, const schema::Tables& declared, schema::SearchUpgrade upgrade);

/// Creates and fills missing indexes. Call it last in an open transaction.
void make_search_indexes(Sql& sql, const std::string& schema, const schema::Tables& declared);

}  // namespace tenon::data::postgresql
