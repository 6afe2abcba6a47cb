#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "expression/context.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// The search `q` of a list, for one reader.
struct Search {
  std::string expression;  ///< for the search index; bound to `parameter`
  std::string ranking;     ///< how much a word in each field counts: "[8,1]"
  std::size_t parameter = 0;
  std::string asked;         ///< for `highlight`; bound to the parameter after it
  bool is_ranked = false;    ///< the best come first; false: an order was asked for
  bool is_compared = false;  ///< the ranks are, with those of other searches
  FieldModel highlight;      ///< a member of the response: the found words in their context
};

/// Returns the number of a search's parameter. It comes after those of the table's rule and the
/// filter (null: none).
inline std::size_t search_parameter(const TableModel& table, const Rule* filter) noexcept {
  return table.read_slots.slots.size() + (filter ? filter->sql.slots.size() : 0) + 1;
}

/// Reads `q`. Looks into the fields alone that this reader sees in every record. `parameter` is the
/// number of the one that the expression will be bound to. Throws 400 records.bad_query for a table
/// without searchable fields, records.field_not_allowed where none may be searched by this reader.
Search read_search(const TableModel& table, std::string_view typed,
                   const expression::Context& context, std::size_t parameter);

}  // namespace tenon::records
