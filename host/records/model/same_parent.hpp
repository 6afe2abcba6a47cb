#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "data/transaction.hpp"
#include "records/api/body.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// What breaks the `same` of a reference, in the record as it stands in the transaction: a record
/// that it refers to, or one that refers to it, whose field of this name has another value. Looks
/// only at the references that `body` sets, and at those whose `same` names a field that it sets.
std::vector<base::FieldError> parent_errors(const Model& model, const TableModel& table,
                                            const Body& body, std::string_view id,
                                            data::Transaction& transaction);

}  // namespace tenon::records
