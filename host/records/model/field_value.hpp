#pragma once

#include <vector>

#include "records/api/body.hpp"

namespace tenon::records {

/// What is stored of a value for a field; appends what is wrong with it to `errors`.
Change read_value(const FieldModel& field, const base::JsonSlice& json,
                  std::vector<base::FieldError>& errors);

}  // namespace tenon::records
