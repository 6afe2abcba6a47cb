#pragma once

#include <string>
#include <string_view>

#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

// The full-text indexes of tables with searchable fields. Each has an FTS5 table with external
// content, a queue, and three triggers that put changed records into the queue;
// search/pending_index.hpp empties it at the COMMIT. Their SQL is compared with that in the file,
// so that a file of an earlier host is upgraded, too. All functions need internal access.

/// The index whose queue this is, and the table that it is of.
std::string index_of_queue(std::string_view queue);
std::string table_of_queue(std::string_view queue);

/// The name of the fts5vocab table with the words of a table's search index. Files of earlier hosts
/// do not have it until make_search_indexes() ran.
std::string word_table(std::string_view table);

/// Adds the steps that lead to the indexes of the declared tables.
void add_search_steps(sqlite::Connection& connection, const Tables& declared, SearchUpgrade upgrade,
                      Plan& plan);

/// Before everything else in an open transaction: drops what is not as declared, or all.
void drop_search_indexes(sqlite::Connection& connection, const Tables& declared,
                         SearchUpgrade upgrade);

/// Returns whether a file of an earlier host lacks a word table.
bool lacks_word_table(sqlite::Connection& connection, const Tables& declared);

/// After everything else in an open transaction: makes and fills what is missing.
void make_search_indexes(sqlite::Connection& connection, const Tables& declared);

}  // namespace tenon::data::schema
