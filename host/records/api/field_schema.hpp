#pragma once

#include "base/json_writer.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// Writes the JSON Schema (2020-12) of a field's value in responses: the constraints of the
/// database.
void write_response_schema(base::JsonWriter& json, const FieldModel& field);

/// Writes the JSON Schema of its value in bodies: the checks of read_value().
void write_body_schema(base::JsonWriter& json, const FieldModel& field);

/// Like write_body_schema(), for an update: a number may be an increment.
void write_change_schema(base::JsonWriter& json, const FieldModel& field);

}  // namespace tenon::records
