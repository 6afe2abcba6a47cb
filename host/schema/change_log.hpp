#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schema/tables.hpp"

namespace tenon::data::schema {

/// The change log: `tenon_changes(seq, at, tbl, record, kind, before)` in a plugin's database.
/// Each change of a record of a published table, or of one that such a table refers to, is a row of
/// it in the same transaction, for any SQL that makes the change: triggers write it. `kind` is
/// create, update, delete or links (only values of many references changed); `before` the record's
/// row before the change, null for create:
///   - a JSON array of objects, which together have a member for each field that is not computed;
///   - numbers as texts with every significant digit, booleans as 0 and 1, many
///     values as arrays; json and files as 1 where there is something;
///   - 0 instead of a text or array that is longer than retained_characters.
inline constexpr std::int64_t retained_changes = 20'000;  ///< the oldest are deleted
inline constexpr std::int64_t retained_seconds = std::int64_t{24} * 60 * 60;
inline constexpr std::size_t retained_characters = 1'000;  ///< of one text in `before`
/// Number of changes between two deletions of old ones.
inline constexpr std::int64_t trimmed_every = 256;

/// Reserved prefix of the names of the log's triggers; these alone write it. No table begins with
/// "_", so no name made of one (tenon_<table>_search) has this prefix.
inline constexpr const char* change_log_prefix = "tenon__live_";
inline constexpr const char* change_log_table = "tenon_changes";

/// Members of one object of `before`: a function of SQL takes 100 arguments.
inline constexpr std::size_t pairs_of_object = 40;

/// The tables whose changes are logged: what is published, and what paths from there can lead to.
std::vector<const Table*> logged_tables(const Tables& tables);

/// Returns a fingerprint of the statements that make a log; empty if there are none.
std::string change_log_fingerprint(const std::vector<std::string>& statements);

}  // namespace tenon::data::schema
