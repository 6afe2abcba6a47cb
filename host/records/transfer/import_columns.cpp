#include "records/transfer/import_columns.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace tenon::records {

namespace {

using data::schema::Field;
using data::schema::FieldType;

bool is_json(std::string_view text) {
  try {
    base::check_json(text);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// Writes a value of another type than the field's as a text, which is then refused by its type.
void append_value(base::JsonWriter& json, const Field& field, std::string_view text) {
  if (field.many || field.type == FieldType::json) {
    is_json(text) ? json.raw(text) : json.value(text);
  } else if (field.type == FieldType::integer || field.type == FieldType::number) {
    const bool is_number = is_json(text) && base::JsonSlice(text).type() == base::JsonType::number;
    is_number ? json.raw(text) : json.value(text);
  } else if (field.type == FieldType::boolean && (text == "true" || text == "1")) {
    json.value(true);
  } else if (field.type == FieldType::boolean && (text == "false" || text == "0")) {
    json.value(false);
  } else {
    json.value(text);
  }
}

// A field that is never empty takes its default where nothing is said of it.
bool takes_default(const Field& field) {
  return field.required && (field.default_value.index() != 0 || field.is_filled_in());
}

// A field that exports do not have, so that it is refused and not left out.
bool is_refused(const FieldModel& field) {
  return field.field.hidden && !field.is_writable;
}

bool is_taken(const FieldModel& field) {
  return field.is_writable && field.field.type != FieldType::blob;
}

}  // namespace

ImportColumns::Meaning ImportColumns::meaning_of(const std::string& name) const {
  const auto mapped = request_.mapping.find(name);
  const std::string& target = mapped == request_.mapping.end() ? name : mapped->second;
  Meaning meaning{name, target == "id", true, nullptr, nullptr};
  if (target.empty() || meaning.is_id) return meaning;
  const FieldModel* field = table_.find(target);
  meaning.is_known = field != nullptr;
  if (meaning.is_known && is_refused(*field)) meaning.refused = field;
  if (meaning.is_known && is_taken(*field)) meaning.field = field;
  return meaning;
}

void ImportColumns::read_head(const SourceRow& row) {
  for (const CsvCell& cell : row.cells) {
    Meaning meaning = meaning_of(cell.text);
    if (!meaning.is_known)
      throw base::Error(422, "records.bad_file",
                        "The column '" + cell.text +
                            "' is no field. Say with mapping which one it is, or null for none.");
    if (meaning.refused != nullptr)
      throw base::Error(422, "records.bad_file",
                        "The column '" + cell.text +
                            "' is a field that cannot be set here. Say with mapping which one it "
                            "is, or null for none.");
    const bool is_second = std::any_of(columns_.begin(), columns_.end(), [&](const Meaning& other) {
      return (meaning.is_id && other.is_id) ||
             (meaning.field != nullptr && meaning.field == other.field);
    });
    if (is_second)
      throw base::Error(422, "records.bad_file",
                        "The column '" + cell.text + "' is a field that another one is already.");
    columns_.push_back(std::move(meaning));
  }
}

std::string ImportColumns::json_of_cells(const SourceRow& row,
                                         std::vector<base::FieldError>& errors) const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  for (std::size_t i = 0; i < std::min(columns_.size(), row.cells.size()); ++i) {
    const Meaning& column = columns_[i];
    const CsvCell& cell = row.cells[i];
    if (!column.is_id && column.field == nullptr) continue;
    if (!base::is_valid_utf8(cell.text)) {
      errors.push_back({column.name, "encoding", "This is no UTF-8."});
    } else if (column.is_id) {
      if (!cell.text.empty()) json.member("id", cell.text);
    } else {
      const Field& field = column.field->field;
      const bool is_text = field.type == FieldType::text && !field.many;
      if (cell.is_empty() || (cell.text.empty() && !is_text)) {
        if (!takes_default(field)) json.key(field.name).null();
      } else {
        json.key(field.name);
        append_value(json, field, unguarded(cell.text));
      }
    }
  }
  json.end_object();
  return text;
}

std::string ImportColumns::json_of_members(const SourceRow& row) const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  base::JsonSlice(row.json).each_member([&](const std::string& name, const base::JsonSlice& value) {
    const Meaning meaning = meaning_of(name);
    if (meaning.is_id)
      json.key("id").raw(value.text());
    else if (!meaning.is_known)
      json.key(name).raw(value.text());
    else if (meaning.refused != nullptr)
      json.key(meaning.refused->field.name).raw(value.text());
    else if (meaning.field != nullptr && !(value.is_null() && takes_default(meaning.field->field)))
      json.key(meaning.field->field.name).raw(value.text());
  });
  json.end_object();
  return text;
}

Body ImportColumns::body(const SourceRow& row) const {
  Body body;
  std::string json;
  if (request_.format == TransferFormat::csv) {
    if (row.cells.size() != columns_.size()) {
      body.errors.push_back({"", "cells",
                             "This row has " + std::to_string(row.cells.size()) +
                                 " cells, and the first one " + std::to_string(columns_.size()) +
                                 "."});
      return body;
    }
    json = json_of_cells(row, body.errors);
  } else if (is_json(row.json)) {
    json = json_of_members(row);
    if (!is_json(json)) json.clear();  // two members became one field
  }
  if (json.empty()) {
    body.errors.push_back({"", "json", "This is no JSON object, or says a field twice."});
    return body;
  }
  Body read = read_body(table_, base::JsonSlice(json), Kind::create);
  read.errors.insert(read.errors.begin(), body.errors.begin(), body.errors.end());
  return read;
}

}  // namespace tenon::records
