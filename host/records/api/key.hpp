#pragma once

#include <string>
#include <vector>

#include "expression/context.hpp"
#include "records/api/body.hpp"

namespace tenon::records {

/// What tells which record an upsert means: a declared unique key. No fields: the id.
struct UpsertKey {
  std::vector<const FieldModel*> fields;

  bool is_id() const noexcept { return fields.empty(); }
  bool has(const FieldModel& field) const noexcept;
};

/// Reads `key=code` or `key=board,number`. Throws 400 records.bad_query for what is no unique key
/// of fields that can be set, and records.field_not_allowed for a field that the reader may not see
/// in every record.
UpsertKey parse_key(const TableModel& table, const std::string& text,
                    const expression::Context& context);

/// Appends an error for each part of the key that the body does not say.
void check_key(const UpsertKey& key, Body& body);

}  // namespace tenon::records
