#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>
#include <tenon/detail/link.hpp>
#include <tenon/json.hpp>
#include <tenon/records.hpp>
#include <tenon/search.h>

namespace tenon {

/// The search text and the tables to search: `{.text = "garden \"next year\" -roses", .tables =
/// {"cards"}}`.
struct SearchQuery {
  std::string_view text;                   ///< like parameter q of a list
  std::vector<std::string_view> tables{};  ///< empty: all declared tables with searchable fields
  std::uint32_t limit = 0;                 ///< 1…200; 0: 20
};

/// Full-text search over the plugin's declared tables, with the indexes and rules of a list request
/// with q. `db` is the transaction to read in, or database(). Throws the Errors of Records.
/// Thread-safe; usable from start on; blocks.
class Search {
 public:
  explicit Search(detail::Link& link) noexcept : link_(&link) {}

  /// Returns the hits as JSON, sorted by rank across all tables:
  /// {"items":[{"table","id","title","highlight"}],"more":…}.
  std::string find_text(const Statements& db, const Actor& actor, const SearchQuery& query) {
    std::vector<tenon_span> tables;
    tables.reserve(query.tables.size());
    for (const std::string_view table : query.tables)
      tables.push_back(detail::span(table));
    const tenon_search_query raw{sizeof(tenon_search_query),
                                 0,
                                 detail::span(query.text),
                                 tables.data(),
                                 static_cast<std::uint32_t>(tables.size()),
                                 query.limit};
    return Records(*link_).call(db, [&](const tenon_text_sink& sink, tenon_error* error) {
      const tenon_tables_actor raw_actor = actor.raw();
      return TENON_CALL(*link_, tenon_search, find, &raw_actor, db.handle(), &raw, &sink, error);
    });
  }

#ifndef TENON_WITHOUT_JSON
  /// Returns the hits as parsed JSON.
  Json find(const Statements& db, const Actor& actor, const SearchQuery& query) {
    return parse_json(find_text(db, actor, query));
  }
#endif

 private:
  detail::Link* link_;
};

}  // namespace tenon
