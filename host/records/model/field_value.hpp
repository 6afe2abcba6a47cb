#pragma once

#include <vector>

#include "base/error.hpp"
#include "records/api/body.hpp"

namespace tenon::records {

/// Converts a JSON value of a field to the stored one. Appends its errors to `errors`.
Change read_value(const FieldModel& field, const base::JsonSlice& json,
                  std::vector<base::FieldError>& errors);

}  // namespace tenon::records
