#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "data/transaction.hpp"
#include "records/api/body.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// Returns an error for each reference whose `same` fails, for the record as it is in the
/// transaction: a record that it refers to, or one that refers to it, has another value in the
/// field of this name. Checks only references that `body` sets, and those whose `same` names a
/// field that it sets.
std::vector<base::FieldError> parent_errors(const Model& model, const TableModel& table,
                                            const Body& body, std::string_view id,
                                            data::Transaction& transaction);

}  // namespace tenon::records
