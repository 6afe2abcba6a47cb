#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

#include "store/access.hpp"
#include "store/notes.hpp"

namespace notes::store {

/// `shared`: made by others.
enum class View : std::uint8_t { all, recent, pinned, shared, trash };
enum class Sort : std::uint8_t { updated, title };

/// Which notes, in which order. `in_notebook` and `tag` go with View::all only, and not together.
struct ListQuery {
  View view = View::all;
  Sort sort = Sort::updated;
  bool is_direct = false;  ///< only those directly in `location`; at the top only one's own
  Location location;
  std::optional<std::string> tag;  ///< id of a tag
};

/// The end of a page: the note's place in the order.
struct Position {
  bool pinned = false;
  std::string key;  ///< `updated`, `title_key` or `deleted`
  std::string id;
};

/// Up to `limit` rows after a position that may be read, read off an index: a page costs the same
/// at any depth, and as much more as there are rows between that may not be read.
std::vector<NoteRow> list_notes(Scope& scope, const ListQuery& query,
                                const std::optional<Position>& after, std::int64_t limit);

/// The position of a row in the order of a query.
Position position_of(const NoteRow& row, const ListQuery& query);

}  // namespace notes::store
