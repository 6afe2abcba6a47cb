#pragma once

#include "base/json_writer.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// Writes the JSON Schema (2020-12) of a field's value in answers: what the database holds to.
void write_response_schema(base::JsonWriter& json, const FieldModel& field);

/// Writes that of its value in bodies: what read_value() asks for.
void write_body_schema(base::JsonWriter& json, const FieldModel& field);

}  // namespace tenon::records
