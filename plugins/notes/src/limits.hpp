#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// The bounds that README.md lists; those of titles, names, tags, paths and searches are in
/// text/.
namespace notes {

inline constexpr std::size_t max_text_bytes = 786'432;
inline constexpr std::int64_t max_notebook_depth = 16;
inline constexpr std::int64_t max_notebooks = 10'000;

inline constexpr std::int64_t max_revisions = 100;
inline constexpr std::int64_t max_revision_bytes = 16LL * 1024 * 1024;
/// Autosaves of one author that follow the first within this time are one revision.
inline constexpr std::chrono::minutes revision_span{5};

inline constexpr std::size_t max_links = 1'000;
inline constexpr std::int64_t max_backlinks_shown = 100;
inline constexpr std::int64_t max_rewritten_notes = 200;
inline constexpr std::size_t max_rewritten_bytes = 8U * 1024 * 1024;

inline constexpr std::int64_t max_attachments = 200;
inline constexpr std::uint64_t max_attachment_bytes = 256ULL * 1024 * 1024;
inline constexpr std::size_t max_target_bytes = 1'024;
inline constexpr std::int64_t max_pixels = 1'000'000;

inline constexpr std::size_t max_shares = 100;

inline constexpr std::int64_t default_page = 50;
inline constexpr std::int64_t max_page = 100;
inline constexpr std::int64_t max_tag_page = 1'000;
inline constexpr std::int64_t default_search_page = 20;
inline constexpr std::int64_t max_search_page = 50;
inline constexpr std::int64_t max_search_results = 200;
inline constexpr std::int64_t default_suggestions = 8;
inline constexpr std::int64_t max_suggestions = 20;

inline constexpr std::size_t max_import_files = 100;
/// How long an import's retried batches are recognized.
inline constexpr std::chrono::hours import_memory{24 * 7};

inline constexpr int max_exports = 2;
inline constexpr std::chrono::seconds export_snapshot{50};

/// Notes that one transaction trashes, purges or untags.
inline constexpr std::int64_t bulk_step = 200;

}  // namespace notes
