#pragma once

#include <string>

#include "records/api/description.hpp"

namespace tenon::records {

/// Returns the OpenAPI description of an export or import operation, as describe() does. `schema`
/// is the reference to a record of the table; the result has no components of its own.
std::string describe_transfer(const TableModel& table, Operation operation,
                              const std::string& schema);

}  // namespace tenon::records
