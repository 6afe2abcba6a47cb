#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "expression/context.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// The search `q` of a list, for one reader.
struct Search {
  std::string request;     ///< dialect::search_request(); bound to `parameter`
  std::string weights;     ///< of the fields, "[8,1]"; bound to the parameter after it if is_ranked
  std::size_t fields = 0;  ///< number of fields of the request
  std::size_t parameter = 0;
  bool is_ranked = false;  ///< the best come first; false: the caller named an order
  FieldModel highlight;    ///< the member with the matches
};

/// Returns the number of a search's parameter. It comes after those of the table's rule and the
/// filter (null: none).
inline std::size_t search_parameter(const TableModel& table, const Rule* filter) noexcept {
  return table.read_slots.slots.size() + (filter ? filter->sql.slots.size() : 0) + 1;
}

/// Reads `q`. Looks into the fields alone that this reader sees in every record. `parameter` is the
/// number that the request will be bound to. Throws 400 records.bad_query for a table
/// without searchable fields, records.field_not_allowed where none may be searched by this reader.
Search read_search(const TableModel& table, std::string_view typed,
                   const expression::Context& context, std::size_t parameter);

}  // namespace tenon::records
