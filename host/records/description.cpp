#include "records/description.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "records/columns.hpp"
#include "records/field_schema.hpp"
#include "records/limits.hpp"

namespace tenon::records {

namespace {

using base::JsonWriter;

constexpr std::string_view problem = R"({"$ref":"#/components/responses/problem"})";
constexpr std::string_view file_schema =
    R"({"type":"object","description":"A file.","properties":{"id":{"type":"string"},)"
    R"("name":{"type":"string"},"type":{"type":"string","description":"Its media type."},)"
    R"("size":{"type":"integer","description":"Bytes.","minimum":0}},"required":["id"]})";
constexpr std::string_view id_schema = R"({"type":"string","format":"uuid"})";
constexpr std::string_view if_match =
    R"({"name":"If-Match","in":"header","description":"Change it only where it still has this `ETag`.",)"
    R"("schema":{"type":"string"}})";
constexpr std::string_view if_none_match =
    R"({"name":"If-None-Match","in":"header","description":"The `ETag` of what is there already.",)"
    R"("schema":{"type":"string"}})";
constexpr std::string_view etag_header =
    R"({"description":"Of the record as its reader sees it.","schema":{"type":"string"}})";

// The schemas of one table, and the operations that refer to them.
class Describer {
 public:
  Describer(const std::string& plugin, const TableModel& table, std::string& out)
      : name_(plugin + "." + table.table.name), table_(table), json_(out) {}

  void list();
  void show();
  void create();
  void change();
  void remove();
  void batch();

 private:
  std::string schema(const char* suffix) const { return "#/components/schemas/" + name_ + suffix; }
  void refer(const std::string& reference) {
    json_.begin_object().member("$ref", reference).end_object();
  }
  void content(const std::string& reference) {
    json_.key("content").begin_object().key("application/json").begin_object().key("schema");
    refer(reference);
    json_.end_object().end_object();
  }
  void body(const std::string& reference) {
    json_.key("requestBody").begin_object().member("required", true);
    json_.member("description", "At most " + std::to_string(max_body_bytes) + " bytes.");
    content(reference);
    json_.end_object();
  }
  void answer(const char* status, const char* what, bool has_location = false) {
    json_.key(status).begin_object().member("description", what).key("headers").begin_object();
    json_.key("ETag").raw(etag_header);
    if (has_location)
      json_.key("Location").raw(R"({"description":"Its path.","schema":{"type":"string"}})");
    json_.end_object();
    content(schema(""));
    json_.end_object();
  }
  void problems(std::initializer_list<const char*> statuses) {
    for (const char* status : statuses)
      json_.key(status).raw(problem);
  }
  void query(const char* name, const std::string& about, std::string_view of) {
    json_.begin_object().member("name", name).member("in", "query").member("description", about);
    json_.key("schema").raw(of).end_object();
  }
  void fields_parameter() {
    query("fields", "Fields of the answer with commas between; `id` always.",
          R"({"type":"string"})");
  }
  void begin_schemas() { json_.key("x-components").begin_object().key("schemas").begin_object(); }
  void end_schemas() { json_.end_object().end_object(); }
  void record_schema();
  enum class Body : std::uint8_t { create, change, named };
  void body_schema(const char* suffix, Body kind);

  const std::string name_;
  const TableModel& table_;
  JsonWriter json_;
};

void Describer::record_schema() {
  json_.key("records.file").raw(file_schema);
  json_.key(name_).begin_object().member("type", "object");
  json_.member("description", table_.table.description.empty()
                                  ? "A record of " + table_.table.name + "."
                                  : table_.table.description);
  json_.key("properties").begin_object().key("id").raw(id_schema);
  for (const FieldModel* field : shown_fields(table_))
    write_answer_schema(json_.key(field->field.name), *field);
  json_.end_object();
  // With `fields` there are fewer, and of a record that its writer may not see there is its id.
  json_.key("required").begin_array().value("id").end_array();
  json_.member("additionalProperties", false).end_object();
}

void Describer::body_schema(const char* suffix, Body kind) {
  json_.key(name_ + suffix).begin_object().member("type", "object");
  json_.key("properties").begin_object();
  if (kind != Body::change) json_.key("id").raw(id_schema);
  for (const FieldModel& field : table_.fields) {
    if (is_writable(field)) write_body_schema(json_.key(field.field.name), field);
  }
  json_.end_object();
  std::vector<std::string> required;
  if (kind == Body::named) required.emplace_back("id");
  if (kind == Body::create) {
    for (const FieldModel& field : table_.fields) {
      if (is_writable(field) && field.field.required && field.field.default_value.index() == 0)
        required.push_back(field.field.name);
    }
  }
  if (!required.empty()) {
    json_.key("required").begin_array();
    for (const std::string& name : required)
      json_.value(name);
    json_.end_array();
  }
  json_.member("additionalProperties", false).end_object();
}

void Describer::list() {
  std::string sortable = "`id`";
  for (const FieldModel* field : shown_fields(table_)) {
    if (field->can_sort) sortable.append(", `").append(field->field.name).append("`");
  }
  json_.begin_object().key("parameters").begin_array();
  query("filter", "A condition in the expression language, like `state = 'open' and due < @today`.",
        R"({"type":"string"})");
  query("sort",
        "At most " + std::to_string(max_sort_keys) +
            " fields with commas between, `-` in front of one for descending. Of " + sortable + ".",
        R"({"type":"string"})");
  fields_parameter();
  query("limit", "How many records at most.",
        "{\"type\":\"integer\",\"minimum\":1,\"maximum\":" + std::to_string(max_page) +
            ",\"default\":" + std::to_string(default_page) + "}");
  query("cursor", "`next` of the page before, of the same filter and sort.",
        R"({"type":"string"})");
  query("count", "`total` is asked for.", R"({"type":"boolean","default":false})");
  json_.end_array().key("responses").begin_object().key("200").begin_object();
  json_.member("description", "A page of records.").key("content").begin_object();
  json_.key("application/json").begin_object().key("schema").begin_object();
  json_.member("type", "object").key("properties").begin_object();
  json_.key("items").begin_object().member("type", "array").member("maxItems", max_page);
  json_.key("items");
  refer(schema(""));
  json_.end_object();
  json_.key("next").raw(
      R"({"type":["string","null"],"description":"The cursor of the next page; null on the last one."})");
  json_.key("total").raw(
      R"({"type":"integer","description":"The records of all pages, where `count` asks for it.","minimum":0})");
  json_.end_object().key("required").raw(R"(["items","next"])");
  json_.end_object().end_object().end_object().end_object();
  problems({"400", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  end_schemas();
  json_.end_object();
}

void Describer::show() {
  json_.begin_object().key("parameters").begin_array();
  fields_parameter();
  json_.raw(if_none_match).end_array().key("responses").begin_object();
  answer("200", "The record.");
  json_.key("304").raw(R"({"description":"It is what `If-None-Match` names."})");
  problems({"400", "404"});
  json_.end_object();
  begin_schemas();
  record_schema();
  end_schemas();
  json_.end_object();
}

void Describer::create() {
  json_.begin_object();
  body(schema(".new"));
  json_.key("responses").begin_object();
  answer("201", "The new record; its `id` alone where its writer may not see it.", true);
  problems({"400", "409", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  body_schema(".new", Body::create);
  end_schemas();
  json_.end_object();
}

void Describer::change() {
  json_.begin_object().member("description", "What is not sent stays; `null` empties a field.");
  json_.key("parameters").begin_array().raw(if_match).end_array();
  body(schema(".patch"));
  json_.key("responses").begin_object();
  answer("200",
         "The record as it is now; its `id` alone where its writer may not see it any more.");
  problems({"400", "404", "412", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  body_schema(".patch", Body::change);
  end_schemas();
  json_.end_object();
}

void Describer::remove() {
  json_.begin_object().key("parameters").begin_array().raw(if_match).end_array();
  json_.key("responses").begin_object();
  json_.key("204").raw(R"({"description":"It is deleted."})");
  problems({"404", "409", "412"});
  json_.end_object().end_object();
}

void Describer::batch() {
  const auto lists = [&](const std::string& created, const std::string& updated) {
    const auto many = [&](const char* list, auto&& item) {
      json_.key(list).begin_object().member("type", "array").member("maxItems", max_batch);
      json_.key("items");
      item();
      json_.end_object();
    };
    json_.key("properties").begin_object();
    many("create", [&] { refer(created); });
    many("update", [&] { refer(updated); });
    many("delete", [&] { json_.raw(id_schema); });
    json_.end_object().member("additionalProperties", false);
  };
  const auto begin_schema = [&] {
    json_.key("content").begin_object().key("application/json").begin_object().key("schema");
    json_.begin_object().member("type", "object");
  };
  const auto end_schema = [&] { json_.end_object().end_object().end_object(); };
  json_.begin_object().member("description", "At most " + std::to_string(max_batch) +
                                                 " changes in this order, all or none.");
  json_.key("requestBody").begin_object().member("required", true);
  begin_schema();
  lists(schema(".new"), schema(".change"));
  end_schema();
  json_.end_object().key("responses").begin_object().key("200").begin_object();
  json_.member("description", "The records as they are now.");
  begin_schema();
  lists(schema(""), schema(""));
  json_.key("required").raw(R"(["create","update","delete"])");
  end_schema();
  json_.end_object();
  problems({"400", "404", "409", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  body_schema(".new", Body::create);
  body_schema(".change", Body::named);
  end_schemas();
  json_.end_object();
}

}  // namespace

std::string describe(const std::string& plugin, const TableModel& table, Operation operation) {
  std::string text;
  Describer describer(plugin, table, text);
  switch (operation) {
    case Operation::list:
      describer.list();
      break;
    case Operation::show:
      describer.show();
      break;
    case Operation::create:
      describer.create();
      break;
    case Operation::change:
      describer.change();
      break;
    case Operation::remove:
      describer.remove();
      break;
    case Operation::batch:
      describer.batch();
      break;
  }
  return text;
}

}  // namespace tenon::records
