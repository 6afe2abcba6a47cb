#pragma once

#include <string_view>

#include "data/json_rows.hpp"
#include "expression/context.hpp"
#include "records/model/table_context.hpp"
#include "records/query/list_query.hpp"

namespace tenon::data {
class Transaction;
}

namespace tenon::records {

/// Selects whether code of the plugin adds to the records.
enum class Extras : std::uint8_t { none, plugin };

/// Appends {"items":[…],"next":…}, with "total" if the query asks for it. Reads in the transaction
/// `within`; null: in its own. `seen` is what the table's rule lets the reader see. Throws 400
/// records.bad_query, 413 data.too_large.
void append_list(const TableContext& table_context, const ListQuery& query,
                 const expression::Context& context, Visibility seen, data::Transaction* within,
                 Extras extras, data::JsonText& text);

}  // namespace tenon::records
