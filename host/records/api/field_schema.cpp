#include "records/api/field_schema.hpp"

#include <variant>

#include "records/api/body.hpp"
#include "records/model/limits.hpp"

namespace tenon::records {

namespace {

using base::JsonWriter;
using data::schema::Field;
using data::schema::FieldType;
using data::schema::Value;

struct Shape {
  const char* type;    // null: any
  const char* format;  // null: none
};

Shape shape_of(expression::Type type) {
  switch (type) {
    case expression::Type::boolean:
      return {"boolean", nullptr};
    case expression::Type::integer:
      return {"integer", "int64"};
    case expression::Type::number:
      return {"number", nullptr};
    case expression::Type::date:
      return {"string", "date"};
    case expression::Type::datetime:
      return {"string", "date-time"};
    case expression::Type::text:
    case expression::Type::id:
      return {"string", nullptr};
    default:
      return {nullptr, nullptr};
  }
}

Shape shape_of(const FieldModel& model) {
  switch (model.field.type) {
    case FieldType::integer:
      return {"integer", "int64"};
    case FieldType::number:
      return {"number", nullptr};
    case FieldType::boolean:
      return {"boolean", nullptr};
    case FieldType::date:
      return {"string", "date"};
    case FieldType::datetime:
      return {"string", "date-time"};
    case FieldType::json:
      return {nullptr, nullptr};
    case FieldType::reference:
    case FieldType::user:
      return {"string", "uuid"};
    case FieldType::computed:
      return model.computed ? shape_of(model.computed->type()) : Shape{nullptr, nullptr};
    default:
      return {"string", nullptr};
  }
}

void write_type(JsonWriter& json, const char* type, bool can_be_null) {
  json.key("type");
  if (can_be_null)
    json.begin_array().value(type).value("null").end_array();
  else
    json.value(type);
}

void write_value(JsonWriter& json, const Field& field, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (field.type == FieldType::boolean)
      json.value(*integer != 0);
    else
      json.value(*integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    json.value(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (field.type == FieldType::json || field.many)
      json.raw(*text);
    else
      json.value(*text);
  }
}

void write_bounds(JsonWriter& json, const Field& field) {
  const bool is_text = field.type == FieldType::text;
  if (!is_text && field.type != FieldType::integer && field.type != FieldType::number) return;
  if (field.min.index() != 0)
    write_value(json.key(is_text ? "minLength" : "minimum"), field, field.min);
  if (field.max.index() != 0)
    write_value(json.key(is_text ? "maxLength" : "maximum"), field, field.max);
}

void write_choices(JsonWriter& json, const Field& field, bool can_be_null) {
  json.key("enum").begin_array();
  for (const std::string& choice : field.choices)
    json.value(choice);
  if (can_be_null) json.null();
  json.end_array();
}

std::string about(const Field& field) {
  std::string text = field.description;
  const auto add = [&](const std::string& sentence) {
    text.append(text.empty() ? "" : "\n\n").append(sentence);
  };
  if (field.type == FieldType::reference) add("Refers to `" + field.table + "`.");
  if (field.type == FieldType::computed) add("Computed.");
  const bool is_time = field.type == FieldType::date || field.type == FieldType::datetime;
  if (is_time && field.min.index() != 0)
    add("Not before " + std::get<std::string>(field.min) + ".");
  if (is_time && field.max.index() != 0) add("Not after " + std::get<std::string>(field.max) + ".");
  return text;
}

// One value of the field; `is_body`: as it is sent.
void write_one(JsonWriter& json, const FieldModel& model, bool can_be_null, bool is_body) {
  const Field& field = model.field;
  if (field.type == FieldType::blob) {
    const auto refer = [&] {
      json.member("$ref", is_body ? "#/components/schemas/records.new_file"
                                  : "#/components/schemas/records.file");
    };
    if (!can_be_null) return refer();
    json.key("anyOf").begin_array().begin_object();
    refer();
    json.end_object().begin_object().member("type", "null").end_object().end_array();
    return;
  }
  const Shape shape = shape_of(model);
  if (shape.type) write_type(json, shape.type, can_be_null);
  if (shape.format) json.member("format", shape.format);
  // The database holds only the choices of a single one.
  if (field.type == FieldType::choice && (is_body || !field.many))
    write_choices(json, field, can_be_null);
  write_bounds(json, field);
  if (is_body && !field.pattern.empty()) json.member("pattern", field.pattern);
}

void write_schema(JsonWriter& json, const FieldModel& model, bool can_be_null, bool is_body) {
  const Field& field = model.field;
  json.begin_object();
  if (const std::string text = about(field); !text.empty()) json.member("description", text);
  if (field.hidden) json.member("writeOnly", true);
  if (field.many) {
    write_type(json, "array", can_be_null);
    if (is_body) {
      if (field.required) json.member("minItems", 1);
      json.member("maxItems", max_members);
      if (field.type != FieldType::blob) json.member("uniqueItems", true);
    }
    json.key("items").begin_object();
    write_one(json, model, false, is_body);
    json.end_object();
  } else {
    write_one(json, model, can_be_null, is_body);
  }
  const auto* text = std::get_if<std::string>(&field.default_value);
  const bool is_now = text && *text == data::schema::now_default;
  if (is_body && field.default_value.index() != 0 && !is_now)
    write_value(json.key("default"), field, field.default_value);
  json.end_object();
}

}  // namespace

void write_response_schema(JsonWriter& json, const FieldModel& field) {
  write_schema(json, field, !field.field.required || field.read.has_value(), false);
}

void write_body_schema(JsonWriter& json, const FieldModel& field) {
  write_schema(json, field, !field.field.required, true);
}

void write_change_schema(JsonWriter& json, const FieldModel& field) {
  if (!can_increment(field)) return write_body_schema(json, field);
  json.begin_object().key("anyOf").begin_array();
  write_body_schema(json, field);
  json.begin_object().member("$ref", "#/components/schemas/records.increment").end_object();
  json.end_array().end_object();
}

}  // namespace tenon::records
