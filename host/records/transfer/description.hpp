#pragma once

#include <string>

#include "records/api/description.hpp"

namespace tenon::records {

/// As describe(), of exports and imports. `schema` is what the API's description refers to as a
/// record of the table; its own components are not among what is answered.
std::string describe_transfer(const TableModel& table, Operation operation,
                              const std::string& schema);

}  // namespace tenon::records
