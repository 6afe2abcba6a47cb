#pragma once

#include <string>
#include <vector>

#include "expression/context.hpp"
#include "records/api/body.hpp"

namespace tenon::records {

/// The declared unique key by which an upsert finds its record. No fields: the id.
struct UpsertKey {
  std::vector<const FieldModel*> fields;

  bool is_id() const noexcept { return fields.empty(); }
  bool has(const FieldModel& field) const noexcept;
};

/// Reads `key=code` or `key=board,number`. Throws 400 records.bad_query unless these fields are a
/// unique key and can be set, and records.field_not_allowed for a field that the reader may not see
/// in every record.
UpsertKey parse_key(const TableModel& table, const std::string& text,
                    const expression::Context& context);

/// Appends an error for each field of the key that is missing in the body.
void check_key(const UpsertKey& key, Body& body);

}  // namespace tenon::records
