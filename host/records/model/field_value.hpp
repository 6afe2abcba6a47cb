#pragma once

#include <vector>

#include "base/error.hpp"
#include "records/api/body.hpp"

namespace tenon::records {

/// Converts a JSON value of a field to the stored one. Appends its errors to `errors`.
/// `may_increment`: a number may be {"increment": 1}.
Change read_value(const FieldModel& field, const base::JsonSlice& json,
                  std::vector<base::FieldError>& errors, bool may_increment = false);

/// Returns the sum of a stored number, empty for 0, and an increment. Appends its errors to
/// `errors`: the sum is outside of `min` and `max`, or too large for the type.
data::schema::Value incremented(const FieldModel& field, const data::schema::Value& stored,
                                const data::schema::Value& by,
                                std::vector<base::FieldError>& errors);

}  // namespace tenon::records
