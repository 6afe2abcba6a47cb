#include "records/api/description.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "records/api/body.hpp"
#include "records/api/description_texts.hpp"
#include "records/api/field_schema.hpp"
#include "records/model/limits.hpp"
#include "records/query/columns.hpp"
#include "records/query/expand.hpp"
#include "records/transfer/description.hpp"

namespace tenon::records {

namespace {

using base::JsonWriter;
using data::schema::FieldType;

// The schemas of one table, and the operations that refer to them.
class Describer {
 public:
  Describer(const std::string& plugin, const TableModel& table, bool has_extra, std::string& out)
      : name_(plugin + "." + table.table.name), table_(table), has_extra_(has_extra), json_(out) {}

  void list();
  void show();
  void create();
  void upsert();
  void change();
  void remove();
  void batch();
  void file();

  std::string schema(const char* suffix) const { return "#/components/schemas/" + name_ + suffix; }

 private:
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
  void response(const char* status, const char* what, bool has_location = false) {
    json_.key(status).begin_object().member("description", what).key("headers").begin_object();
    json_.key("ETag").raw(texts::etag_header);
    if (has_location)
      json_.key("Location")
          .raw(R"({"description":"Path of the record.","schema":{"type":"string"}})");
    json_.end_object();
    content(schema(""));
    json_.end_object();
  }
  void problems(std::initializer_list<const char*> statuses) {
    for (const char* status : statuses)
      json_.key(status).raw(texts::problem);
  }
  void query(const char* name, const std::string& about, std::string_view of) {
    json_.begin_object().member("name", name).member("in", "query").member("description", about);
    json_.key("schema").raw(of).end_object();
  }
  void shape_parameters();
  void groups_schema();
  void idempotency_key();
  void begin_schemas() { json_.key("x-components").begin_object().key("schemas").begin_object(); }
  void end_schemas() { json_.end_object().end_object(); }
  void record_schema();
  void expand_schema(const std::vector<const FieldModel*>& references);
  enum class Body : std::uint8_t { create, change, create_bare, change_bare };
  void body_schema(const char* suffix, Body kind);
  bool takes_files() const;
  bool is_searchable() const;
  /// The schema of a new record where no files are taken.
  const char* bare() const { return takes_files() ? ".bare" : ".new"; }
  void bare_schema() { body_schema(bare(), takes_files() ? Body::create_bare : Body::create); }

  const std::string name_;
  const TableModel& table_;
  const bool has_extra_;
  JsonWriter json_;
};

void Describer::record_schema() {
  json_.key("records.file").raw(texts::file_schema);
  json_.key(name_).begin_object().member("type", "object");
  json_.member("description", table_.table.description.empty()
                                  ? "A record of " + table_.table.name + "."
                                  : table_.table.description);
  json_.key("properties").begin_object().key("id").raw(texts::id_schema);
  for (const FieldModel* field : shown_fields(table_))
    write_response_schema(json_.key(field->field.name), *field);
  const std::vector<const FieldModel*> references = expandable_fields(table_);
  if (!references.empty()) expand_schema(references);
  if (is_searchable()) json_.key("highlight").raw(texts::highlight);
  if (has_extra_) json_.key("extra").raw(texts::extra);
  json_.end_object();
  // With `fields` there are fewer, and of a record that its writer may not see there is its id.
  json_.key("required").begin_array().value("id").end_array();
  json_.member("additionalProperties", false).end_object();
}

void Describer::expand_schema(const std::vector<const FieldModel*>& references) {
  json_.key("expand").begin_object().member("type", "object");
  json_.member("description", "The records and users that `expand` names.");
  json_.key("properties").begin_object();
  for (const FieldModel* reference : references) {
    const std::string_view one = !reference->field.refers_to_own() ? texts::person_schema
                                 : reference->is_list              ? R"({"type":"object"})"
                                                      : R"({"type":["object","null"]})";
    json_.key(reference->field.name);
    if (!reference->is_list) {
      json_.raw(one);
      continue;
    }
    json_.begin_object().member("type", "array").member("maxItems", max_expanded);
    json_.key("items").raw(one).end_object();
  }
  json_.end_object().member("additionalProperties", false).end_object();
}

bool Describer::is_searchable() const {
  return std::any_of(table_.fields.begin(), table_.fields.end(), [](const FieldModel& field) {
    return field.field.searchable && !field.field.hidden;
  });
}

bool Describer::takes_files() const {
  return std::any_of(table_.fields.begin(), table_.fields.end(), [](const FieldModel& field) {
    return field.field.type == FieldType::blob && field.is_writable;
  });
}

void Describer::body_schema(const char* suffix, Body kind) {
  const bool has_files = kind == Body::create || kind == Body::change;
  const auto is_taken = [&](const FieldModel& field) {
    return field.is_writable && (has_files || field.field.type != FieldType::blob);
  };
  if (has_files && takes_files()) json_.key("records.new_file").raw(texts::new_file_schema);
  const bool is_change = kind == Body::change || kind == Body::change_bare;
  if (is_change &&
      std::any_of(table_.fields.begin(), table_.fields.end(), [](const FieldModel& field) {
        return field.is_writable && can_increment(field);
      }))
    json_.key("records.increment").raw(texts::increment_schema);
  json_.key(name_ + suffix).begin_object().member("type", "object");
  json_.key("properties").begin_object();
  if (kind != Body::change) json_.key("id").raw(texts::id_schema);
  for (const FieldModel& field : table_.fields) {
    if (!is_taken(field)) continue;
    json_.key(field.field.name);
    is_change ? write_change_schema(json_, field) : write_body_schema(json_, field);
  }
  json_.end_object();
  std::vector<std::string> required;
  if (kind == Body::change_bare) required.emplace_back("id");
  if (kind == Body::create || kind == Body::create_bare) {
    for (const FieldModel& field : table_.fields) {
      if (is_needed(field)) required.push_back(field.field.name);
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

void Describer::shape_parameters() {
  query("fields", "Fields of the response, separated by commas; `id` is always included.",
        R"({"type":"string"})");
  const std::vector<const FieldModel*> references = expandable_fields(table_);
  if (references.empty()) return;
  std::string names;
  for (const FieldModel* reference : references)
    names.append(names.empty() ? "" : ", ").append("`").append(reference->field.name).append("`");
  query("expand",
        "References whose records are shown too, separated by commas; `a.b` follows a reference of "
        "those records; " +
            std::to_string(expand_levels) + " steps and " + std::to_string(max_expands) +
            " references at most. Of " + names + ". Such a response has no `ETag`.",
        R"({"type":"string"})");
}

void Describer::idempotency_key() {
  json_.begin_object().member("name", "Idempotency-Key").member("in", "header");
  json_.member(
      "description",
      "Makes it once, however often it is sent: in quotes 1 to " +
          std::to_string(max_idempotency_key_bytes) +
          " characters of ASCII that the client makes up. Within " +
          std::to_string(response_retention_ms / 3'600'000) +
          " hours the same user gets the first response again. 422: the body differs. 409: the "
          "first request is still running. 429: too many responses are kept.");
  json_.key("schema").raw(R"({"type":"string"})").end_object();
}

// Instead of a page, where `group` or `agg` asks for it.
void Describer::groups_schema() {
  json_.begin_object().member("type", "object").member("description", "Groups of records.");
  json_.key("properties").begin_object();
  json_.key("items").begin_object().member("type", "array").member("maxItems", max_groups);
  json_.key("items").raw(
      R"({"type":"object","description":"Values by the names in `group` and `agg`.",)"
      R"("additionalProperties":{"type":["string","number","boolean","null"]}})");
  json_.end_object();
  json_.key("more").raw(R"({"type":"boolean","description":"True if there are more groups."})");
  json_.end_object().key("required").raw(R"(["items","more"])");
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
  if (is_searchable()) {
    query("q",
          "Words to be found, phrases in quotes, `-` in front of what is left out; at most " +
              std::to_string(max_search_bytes) + " bytes, " + std::to_string(max_search_terms) +
              " words and phrases. The best come first where there is no `sort`.",
          R"({"type":"string"})");
  }
  query("sort",
        "At most " + std::to_string(max_sort_keys) +
            " fields with commas between, `-` in front of one for descending. Of " + sortable +
            "; groups by what `group` and `agg` name.",
        R"({"type":"string"})");
  shape_parameters();
  query("limit",
        "How many records at most: " + std::to_string(default_page) +
            " where it is absent, up to " + std::to_string(max_page) + ". Of groups " +
            std::to_string(default_groups) + ", up to " + std::to_string(max_groups) + ".",
        "{\"type\":\"integer\",\"minimum\":1,\"anyOf\":[{\"description\":\"Of "
        "records.\",\"maximum\":" +
            std::to_string(max_page) +
            "},{\"description\":\"Of groups.\",\"maximum\":" + std::to_string(max_groups) + "}]}");
  query("cursor", "`next` of the page before, of the same filter and sort.",
        R"({"type":"string"})");
  query("count",
        "Adds `total`. `true` counts up to " + std::to_string(max_counted) +
            " records, `exact` all of them.",
        R"({"type":"string","enum":["false","true","exact"],"default":"false"})");
  query("group",
        "Groups are asked for instead: at most " + std::to_string(max_group_keys) +
            " values that their records share, with commas between; a field, or `year(…)`, "
            "`month(…)`, `day(…)` of one. It goes with `agg`, `sort`, `filter`, `q` and `limit`.",
        R"({"type":"string"})");
  query("agg",
        "At most " + std::to_string(max_aggregates) +
            " values of each group, with commas between: `count`, or `count(…)`, `sum(…)`, "
            "`avg(…)`, `min(…)`, `max(…)` of a field. Without `group` of all records together.",
        R"({"type":"string"})");
  json_.end_array().key("responses").begin_object().key("200").begin_object();
  json_.member("description", "A page of records, or groups.").key("content").begin_object();
  json_.key("application/json").begin_object().key("schema").begin_object();
  json_.key("anyOf").begin_array().begin_object();
  json_.member("type", "object").key("properties").begin_object();
  json_.key("items").begin_object().member("type", "array").member("maxItems", max_page);
  json_.key("items");
  refer(schema(""));
  json_.end_object();
  json_.key("next").raw(
      R"({"type":["string","null"],"description":"The cursor of the next page; null on the last page."})");
  json_.key("total").raw(
      R"({"type":"integer","description":"Number of records on all pages, with `count`.","minimum":0})");
  json_.key("total_is")
      .raw(
          R"({"type":"string","description":"There are at least `total` records. Without this member, `total` is exact.","enum":["at_least"]})");
  if (is_searchable())
    json_.key("ranked").raw(
        R"({"type":"string","description":"The search ranked the most recent matches only.","enum":["recent"]})");
  json_.end_object().key("required").raw(R"(["items","next"])");
  json_.end_object();
  groups_schema();
  json_.end_array().end_object().end_object().end_object().end_object();
  problems({"400", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  end_schemas();
  json_.end_object();
}

void Describer::show() {
  json_.begin_object().key("parameters").begin_array();
  shape_parameters();
  json_.raw(texts::if_none_match).end_array().key("responses").begin_object();
  response("200", "The record.");
  json_.key("304").raw(R"({"description":"The content matches `If-None-Match`."})");
  problems({"400", "404"});
  json_.end_object();
  begin_schemas();
  record_schema();
  end_schemas();
  json_.end_object();
}

void Describer::create() {
  json_.begin_object().key("parameters").begin_array();
  idempotency_key();
  json_.end_array();
  body(schema(".new"));
  json_.key("responses").begin_object();
  response("201", "The new record; only its `id` if the user may not see it.", true);
  problems({"400", "409", "422", "429"});
  json_.end_object();
  begin_schemas();
  record_schema();
  body_schema(".new", Body::create);
  end_schemas();
  json_.end_object();
}

void Describer::upsert() {
  json_.begin_object().member("description",
                              "Makes the record where there is none with this key, else changes "
                              "what is sent of it. The body contains the key's fields.");
  json_.key("parameters").begin_array().begin_object().member("name", "key").member("in", "query");
  json_.member("required", true);
  json_.member("description",
               "`id`, a unique field, or the fields of a unique index with commas between.");
  json_.key("schema").raw(R"({"type":"string"})").end_object();
  json_.raw(texts::if_match).end_array();
  body(schema(bare()));
  json_.key("responses").begin_object();
  response("200", "The updated record; only its `id` if the user may not see it.");
  response("201", "The new record; only its `id` if the user may not see it.", true);
  problems({"400", "404", "409", "412", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  bare_schema();
  end_schemas();
  json_.end_object();
}

void Describer::change() {
  json_.begin_object().member("description",
                              "Updates the fields in the body; `null` empties a field.");
  json_.key("parameters").begin_array().raw(texts::if_match).end_array();
  body(schema(".patch"));
  json_.key("responses").begin_object();
  response("200", "The updated record; only its `id` if the user may no longer see it.");
  problems({"400", "404", "412", "422"});
  json_.end_object();
  begin_schemas();
  record_schema();
  body_schema(".patch", Body::change);
  end_schemas();
  json_.end_object();
}

void Describer::remove() {
  json_.begin_object().key("parameters").begin_array().raw(texts::if_match).end_array();
  json_.key("responses").begin_object();
  json_.key("204").raw(R"({"description":"The record was deleted."})");
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
    many("upsert", [&] { refer(created); });
    many("delete", [&] { json_.raw(texts::id_schema); });
    json_.end_object().member("additionalProperties", false);
  };
  const auto begin_schema = [&] {
    json_.key("content").begin_object().key("application/json").begin_object().key("schema");
    json_.begin_object().member("type", "object");
  };
  const auto end_schema = [&] { json_.end_object().end_object().end_object(); };
  json_.begin_object().member("description", "At most " + std::to_string(max_batch) +
                                                 " changes in this order, all or none.");
  json_.key("parameters").begin_array();
  query(
      "key",
      "By what `upsert` knows records: `id`, a unique field, or the fields of a unique index with "
      "commas between.",
      R"({"type":"string"})");
  idempotency_key();
  json_.end_array();
  json_.key("requestBody").begin_object().member("required", true);
  begin_schema();
  lists(schema(bare()), schema(".change"));
  end_schema();
  json_.end_object().key("responses").begin_object().key("200").begin_object();
  json_.member("description", "The updated records.");
  begin_schema();
  lists(schema(""), schema(""));
  json_.key("required").raw(R"(["create","update","upsert","delete"])");
  end_schema();
  json_.end_object();
  problems({"400", "404", "409", "422", "429"});
  json_.end_object();
  begin_schemas();
  record_schema();
  bare_schema();
  body_schema(".change", Body::change_bare);
  end_schemas();
  json_.end_object();
}

void Describer::file() {
  json_.begin_object().member("description", "The browser shows images and saves all other files.");
  json_.key("parameters").begin_array();
  query("save", "Also saves images.", R"({"type":"boolean","default":false})");
  json_.raw(texts::range).raw(texts::if_none_match).end_array();
  json_.key("responses").begin_object();
  const auto content = [&](const char* status, const char* what) {
    json_.key(status).begin_object().member("description", what);
    json_.key("headers").raw(texts::file_headers);
    json_.key("content").raw(texts::file_content).end_object();
  };
  content("200", "The file.");
  content("206", "The bytes in `Range`.");
  json_.key("304").raw(R"({"description":"The content matches `If-None-Match`."})");
  problems({"400", "404", "416"});
  json_.end_object().end_object();
}

}  // namespace

std::string describe(const std::string& plugin, const TableModel& table, Operation operation,
                     bool has_extra) {
  std::string text;
  Describer describer(plugin, table, has_extra, text);
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
    case Operation::upsert:
      describer.upsert();
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
    case Operation::file:
      describer.file();
      break;
    case Operation::export_all:
    case Operation::start_import:
    case Operation::show_import:
    case Operation::cancel_import:
      return describe_transfer(table, operation, describer.schema(""));
  }
  return text;
}

}  // namespace tenon::records
