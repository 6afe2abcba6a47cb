#pragma once

#include <string>
#include <string_view>

#include "data/cell.hpp"

namespace tenon::records {

/// A filter with its values in place of each `?` that stands outside of texts, written as literals
/// of the expression language. Throws 400 records.bad_query where there are more or fewer values,
/// and for a blob or a number that is not finite.
std::string with_values(std::string_view filter, data::Cells values);

}  // namespace tenon::records
