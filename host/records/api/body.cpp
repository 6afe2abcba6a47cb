#include "records/api/body.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "records/model/field_value.hpp"

namespace tenon::records {

namespace {

using data::schema::Field;
using data::schema::FieldType;

void read_id(Body& body, const base::JsonSlice& value, Kind kind) {
  if (kind == Kind::update) {
    body.errors.push_back({"id", "read_only", "The id of a record does not change."});
    return;
  }
  if (value.type() == base::JsonType::string) body.id = value.string();
  if (!base::is_id(body.id))
    body.errors.push_back({"id", "type", "An id is a UUID in lower-case letters."});
}

}  // namespace

const Change* Body::find(const FieldModel& field) const noexcept {
  const auto found = std::find_if(changes.begin(), changes.end(),
                                  [&](const Change& one) { return one.field == &field; });
  return found == changes.end() ? nullptr : &*found;
}

Body read_body(const TableModel& table, const base::JsonSlice& json, Kind kind, Files files) {
  if (json.text().empty() || json.type() != base::JsonType::object)
    throw base::Error(400, "records.bad_body", "A record is a JSON object.");
  Body body;
  json.each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "id") return read_id(body, value, kind);
    const FieldModel* field = table.find(name);
    if (!field) {
      body.errors.push_back({name, "unknown", "There is no such field."});
    } else if (field->field.type == FieldType::blob && files == Files::refused) {
      body.errors.push_back({name, "read_only", "Files are set by POST or PATCH of one record."});
    } else if (!field->is_writable) {
      body.errors.push_back({name, "read_only", "This field cannot be set here."});
    } else {
      const bool may_increment = kind != Kind::create && can_increment(*field);
      body.changes.push_back(read_value(*field, value, body.errors, may_increment));
    }
  });
  if (kind == Kind::create) {
    for (const FieldModel& field : table.fields) {
      if (is_needed(field) && !body.find(field)) body.errors.push_back(missing(field));
    }
  }
  return body;
}

bool is_needed(const FieldModel& model) noexcept {
  const Field& field = model.field;
  return model.is_writable && field.required && field.default_value.index() == 0 &&
         !field.is_filled_in();
}

bool can_increment(const FieldModel& model) noexcept {
  return data::schema::is_number(model.field.type) && !model.field.hidden;
}

base::FieldError missing(const FieldModel& field) {
  return {field.field.name, "required", "This field is required."};
}

base::Error invalid(std::vector<base::FieldError> errors) {
  return {422, "records.validation", "Some fields are not as they should be.", std::move(errors)};
}

}  // namespace tenon::records
