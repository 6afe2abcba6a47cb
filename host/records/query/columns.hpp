#pragma once

#include <string>
#include <vector>

#include "expression/context.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// Returns the fields of a response: all that are not hidden.
std::vector<const FieldModel*> shown_fields(const TableModel& table);
/// Those that `fields=` names, in its order. Throws 400 records.bad_query.
std::vector<const FieldModel*> chosen_fields(const TableModel& table, const std::string& text);

/// Appends the columns of a response: id, then the fields; null where a field's rule hides it.
void append_columns(std::string& sql, const std::vector<const FieldModel*>& fields,
                    const expression::Context& context);

/// Appends ` FROM "cards" AS "t"`.
void append_from(std::string& sql, const TableModel& table);

}  // namespace tenon::records
