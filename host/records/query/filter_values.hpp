#pragma once

#include <string>
#include <string_view>

#include "data/cell.hpp"

namespace tenon::records {

/// Replaces each `?` of a filter outside of texts with its value, written as a literal of the
/// expression language. Throws 400 records.bad_query if there are more or fewer values, and for a
/// blob or a number that is not finite.
std::string with_values(std::string_view filter, data::Cells values);

}  // namespace tenon::records
