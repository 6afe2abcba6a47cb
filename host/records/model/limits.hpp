#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tenon::records {

inline constexpr std::size_t default_page = 50;         ///< records of a list that names no limit
inline constexpr std::size_t max_page = 200;            ///< records of a list
inline constexpr std::size_t max_counted = 10'000;      ///< records up to which count=true is exact
inline constexpr std::size_t max_sort_keys = 4;         ///< fields that a list is sorted by
inline constexpr std::size_t max_cached_filters = 128;  ///< compiled filters of a table
/// Bytes of a cursor as it is sent; what a longer one is sorted by cannot be paged through.
inline constexpr std::size_t max_cursor_bytes = 6 * 1024;

inline constexpr std::size_t max_search_bytes = 512;  ///< of q
inline constexpr std::size_t max_search_terms = 16;   ///< words and phrases of q
inline constexpr std::size_t max_snippet_words = 32;  ///< of a field, around what was found

inline constexpr std::size_t default_search_hits = 20;  ///< of a search over all plugins
inline constexpr std::size_t max_search_hits = 50;
inline constexpr std::size_t max_hit_title = 200;  ///< characters of the title of a record in it
inline constexpr std::chrono::milliseconds plugin_search_time{500};  ///< of each plugin in it
inline constexpr std::chrono::milliseconds search_time{2000};        ///< of all together

inline constexpr std::size_t max_expands = 10;             ///< references that a response expands
inline constexpr std::size_t expand_levels = 2;            ///< steps of one reference path
inline constexpr std::size_t max_expanded = 100;           ///< records of one field of one record
inline constexpr std::size_t max_expanded_of_page = 2000;  ///< records of one field of a response

inline constexpr std::size_t default_groups = 200;  ///< groups of a response without a limit
inline constexpr std::size_t max_groups = 1000;     ///< groups of a response
inline constexpr std::size_t max_group_keys = 4;    ///< values that records are grouped by
inline constexpr std::size_t max_aggregates = 10;   ///< values of a group

inline constexpr std::size_t max_filter_values = 100;      ///< bound to a filter of a plugin
inline constexpr std::size_t max_extra_bytes = 64 * 1024;  ///< that a plugin adds to a record
/// Time limit of a plugin's code before a write, while the write lock is held.
inline constexpr std::chrono::milliseconds before_write_time{1'000};
inline constexpr std::size_t max_refused_fields = 100;  ///< of one write by a plugin

inline constexpr std::size_t max_idempotency_key_bytes = 255;  ///< of an Idempotency-Key
inline constexpr std::int64_t response_retention_ms =
    24 * 3600 * 1000;  ///< of one to a request with such a key
inline constexpr std::size_t max_retained_responses = 1000;  ///< of a person, in one plugin
inline constexpr std::size_t max_retained_response_bytes = 16 * 1024 * 1024;  ///< of these together

inline constexpr std::size_t max_members = 1000;  ///< values of a field with many
inline constexpr std::size_t max_new_files = 20;  ///< uploads that one field takes at once
inline constexpr std::size_t max_batch = 100;     ///< changes of a batch
inline constexpr std::uint64_t max_body_bytes = 1024 * 1024;  ///< of a record or a batch as sent

inline constexpr std::size_t max_exports = 2;  ///< of a plugin at once; each has a reader
/// From the beginning of an export to its last record: as long as its snapshot may live.
inline constexpr std::chrono::milliseconds export_time{60'000};
inline constexpr std::size_t export_batch_rows = 256;  ///< records read and written at once
inline constexpr std::size_t export_batch_bytes = 64 * 1024;

inline constexpr std::uint64_t max_import_bytes = 256 * 1024 * 1024;  ///< of a file
inline constexpr std::size_t max_import_cell_bytes = 512 * 1024;
inline constexpr std::size_t max_import_columns = 500;
inline constexpr std::size_t import_batch_rows = 100;             ///< of one write transaction
inline constexpr std::chrono::milliseconds import_lock_time{20};  ///< that it holds the write lock
inline constexpr std::size_t max_whole_import_rows = 2000;        ///< of an import all or nothing
inline constexpr std::size_t max_import_errors = 1000;            ///< that are kept of an import
inline constexpr std::int64_t import_retention_ms = 7LL * 24 * 3600 * 1000;  ///< what became of one

}  // namespace tenon::records
