#include "records/api/change_text.hpp"

#include <variant>

#include "base/json_writer.hpp"

namespace tenon::records {

namespace {

using data::schema::FieldType;

void write_file(base::JsonWriter& json, const FileRef& file) {
  if (!file.json.empty())
    json.raw(file.json);
  else
    json.begin_object().member("id", file.blob).end_object();
}

void write_files(base::JsonWriter& json, const Change& change) {
  if (change.field->is_list) {
    json.begin_array();
    for (const FileRef& file : change.files)
      write_file(json, file);
    json.end_array();
  } else if (change.files.empty()) {
    json.null();
  } else {
    write_file(json, change.files.front());
  }
}

void write_value(base::JsonWriter& json, const Change& change) {
  const data::schema::Field& field = change.field->field;
  if (field.type == FieldType::blob) return write_files(json, change);
  if (field.is_link()) {
    json.begin_array();
    for (const std::string& member : change.members)
      json.value(member);
    json.end_array();
    return;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&change.value)) {
    if (field.type == FieldType::boolean)
      json.value(*integer != 0);
    else
      json.value(*integer);
  } else if (const auto* number = std::get_if<double>(&change.value)) {
    json.value(*number);
  } else if (const auto* text = std::get_if<std::string>(&change.value)) {
    if (field.many || field.type == FieldType::json)
      json.raw(*text);
    else
      json.value(*text);
  } else {
    json.null();
  }
}

}  // namespace

std::string change_text(const Body& body) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  for (const Change& change : body.changes) {
    json.key(change.field->field.name);
    write_value(json, change);
  }
  json.end_object();
  return text;
}

}  // namespace tenon::records
