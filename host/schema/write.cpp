#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/json_writer.hpp"
#include "schema/tables.hpp"

namespace tenon::data::schema {

namespace {

using base::JsonWriter;

void write_flag(JsonWriter& json, std::string_view key, bool flag) {
  if (flag) json.member(key, true);
}

void write_text(JsonWriter& json, std::string_view key, const std::string& text) {
  if (!text.empty()) json.member(key, text);
}

void write_value(JsonWriter& json, std::string_view key, const Value& value, FieldType type) {
  if (value.index() == 0) return;
  json.key(key);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    if (type == FieldType::boolean) {
      json.value(*integer != 0);
    } else {
      json.value(*integer);
    }
  } else if (const auto* number = std::get_if<double>(&value)) {
    json.value(*number);
  } else if (type == FieldType::json) {
    json.raw(std::get<std::string>(value));
  } else {
    json.value(std::get<std::string>(value));
  }
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json.key(key).begin_array();
  for (const auto& text : texts)
    json.value(text);
  json.end_array();
}

void write_rules(JsonWriter& json,
                 std::initializer_list<std::pair<std::string_view, const std::string*>> rules) {
  if (std::all_of(rules.begin(), rules.end(),
                  [](const auto& rule) { return rule.second->empty(); }))
    return;
  json.key("rules").begin_object();
  for (const auto& [key, text] : rules)
    write_text(json, key, *text);
  json.end_object();
}

void write_field(JsonWriter& json, const Field& field) {
  json.begin_object().member("name", field.name).member("type", name_of(field.type));
  write_texts(json, "formerly", field.formerly);
  write_flag(json, "many", field.many);
  write_text(json, "description", field.description);
  write_flag(json, "required", field.required);
  write_flag(json, "unique", field.unique);
  write_flag(json, "indexed", field.indexed);
  if (field.searchable && field.search_weight != 1) {
    json.key("searchable").begin_object().member("weight", field.search_weight).end_object();
  } else {
    write_flag(json, "searchable", field.searchable);
  }
  write_flag(json, "hidden", field.hidden);
  write_flag(json, "read_only", field.read_only);
  write_flag(json, "writable", field.writable);
  write_flag(json, "reveals", field.reveals);
  write_rules(json, {{"read", &field.rules.read}, {"write", &field.rules.write}});
  write_value(json, "default", field.default_value,
              field.many ? FieldType::json : field.type);  // an array of choices
  if (field.default_user) json.member("default", user_default);
  write_flag(json, "set_by_callback", field.set_by_callback);
  write_value(json, "min", field.min, field.type);
  write_value(json, "max", field.max, field.type);
  write_text(json, "pattern", field.pattern);
  write_text(json, "message", field.message);
  write_texts(json, "choices", field.choices);
  write_text(json, "table", field.table);
  write_text(json, "same", field.same);
  if (field.refers_to_own()) json.member("on_delete", name_of(field.on_delete));
  if (field.max_bytes != default_blob_bytes) json.member("max_bytes", field.max_bytes);
  write_texts(json, "types", field.types);
  write_text(json, "expression", field.expression);
  json.end_object();
}

void write_table(JsonWriter& json, const Table& table) {
  json.begin_object().member("name", table.name);
  write_texts(json, "formerly", table.formerly);
  write_text(json, "description", table.description);
  write_flag(json, "timestamps", table.timestamps);
  write_flag(json, "authorship", table.authorship);
  write_flag(json, "version", table.version);
  write_flag(json, "publish", table.publish);
  write_flag(json, "anonymous", table.anonymous);
  write_rules(json, {{"read", &table.rules.read},
                     {"create", &table.rules.create},
                     {"update", &table.rules.update},
                     {"delete", &table.rules.delete_}});
  json.key("fields").begin_array();
  for (const auto& field : table.fields)
    write_field(json, field);
  json.end_array();
  if (!table.indexes.empty()) {
    json.key("indexes").begin_array();
    for (const auto& index : table.indexes) {
      json.begin_object();
      write_texts(json, "fields", index.fields);
      write_flag(json, "unique", index.unique);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace

std::string to_json(const Tables& tables) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("tables").begin_array();
  for (const auto& table : tables.tables)
    write_table(json, table);
  json.end_array().end_object();
  return text;
}

}  // namespace tenon::data::schema
