#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error_fwd.hpp"
#include "records/model/model.hpp"
#include "records/query/list_query.hpp"

namespace tenon::records {

/// One record as JSON, where the reader may see it. `id` is borrowed.
Statement record_statement(const TableModel& table, const std::vector<const FieldModel*>& fields,
                           const expression::Context& context, Visibility seen,
                           std::string_view id);

/// The records of these ids, a JSON array, that the reader may see. `ids` is borrowed.
Statement members_statement(const TableModel& table, const std::vector<const FieldModel*>& fields,
                            const expression::Context& context, Visibility seen,
                            std::string_view ids);

/// The entity tag of a record's JSON with all its fields: the version where the table has one, and
/// a hash of what the reader sees.
std::string etag_of(const TableModel& table, std::string_view json);
/// Whether an If-Match list names the record: its version where the table has one, else all of it.
bool fits_etag(const TableModel& table, std::string_view list, std::string_view etag);

base::Error not_found();

}  // namespace tenon::records
