#include "records/transfer/description.hpp"

#include <initializer_list>
#include <string_view>

#include "base/json_writer.hpp"
#include "records/api/description_texts.hpp"
#include "records/model/limits.hpp"
#include "records/query/columns.hpp"

namespace tenon::records {

namespace {

using base::JsonWriter;

constexpr std::string_view text_schema = R"({"type":"string"})";
constexpr std::string_view flag_schema = R"({"type":"boolean","default":false})";
constexpr std::string_view count_schema = R"({"type":"integer","minimum":0})";
constexpr std::string_view format_schema =
    R"({"type":"string","enum":["csv","json","jsonl"],"default":"csv"})";
constexpr std::string_view error_schema =
    R"({"type":"object","properties":{"line":{"type":"integer","minimum":0,"description":"Where the row begins in the file; of JSON the number of the record."},)"
    R"("field":{"type":"string","description":"Empty where it is the whole row."},"code":{"type":"string"},"message":{"type":"string"}},)"
    R"("required":["line","field","code","message"],"additionalProperties":false})";

class TransferDescriber {
 public:
  TransferDescriber(const TableModel& table, std::string schema, std::string& out)
      : table_(table), schema_(std::move(schema)), json_(out) {}

  void export_all();
  void start();
  void show();
  void cancel();

 private:
  void parameter(std::string_view name, const std::string& about, std::string_view schema) {
    json_.begin_object().member("name", name).member("in", "query").member("description", about);
    json_.key("schema").raw(schema).end_object();
  }
  void property(std::string_view name, std::string_view about, std::string_view type) {
    json_.key(name).begin_object().member("description", about);
    // allOf keeps the schema of the type separate from the description.
    json_.key("allOf").begin_array().raw(type).end_array().end_object();
  }
  void content(std::string_view type, std::string_view schema) {
    json_.key(type).begin_object().key("schema").raw(schema).end_object();
  }
  void header(std::string_view name, std::string_view about) {
    json_.key(name).begin_object().member("description", about);
    json_.key("schema").raw(text_schema).end_object();
  }
  void problems(std::initializer_list<std::string_view> statuses) {
    for (const std::string_view status : statuses)
      json_.key(status).raw(texts::problem);
  }
  void progress();

  const TableModel& table_;
  const std::string schema_;
  JsonWriter json_;
};

void TransferDescriber::export_all() {
  std::string sortable = "`id`";
  for (const FieldModel* field : shown_fields(table_)) {
    if (field->can_sort) sortable.append(", `").append(field->field.name).append("`");
  }
  json_.begin_object().member("description",
                              "A file of all records that its reader may see, of one moment. It is "
                              "cut where it is not through after " +
                                  std::to_string(export_time.count() / 1'000) + " seconds.");
  json_.key("parameters").begin_array();
  parameter("format", "`jsonl` is a record a line.", format_schema);
  parameter("filter", "A condition in the expression language.", text_schema);
  parameter("sort",
            "At most " + std::to_string(max_sort_keys) +
                " fields with commas between, `-` in front of one for descending. Of " + sortable +
                ".",
            text_schema);
  parameter("fields", "Fields of the file with commas between; `id` always.", text_schema);
  parameter("bom", "CSV begins with the mark by which Excel knows UTF-8.", flag_schema);
  json_.end_array().key("responses").begin_object().key("200").begin_object();
  json_.member("description", "The file.").key("headers").begin_object();
  header("Content-Disposition", "Its name.");
  json_.end_object().key("content").begin_object();
  content("text/csv", R"({"type":"string","description":"RFC 4180; the first line has names."})");
  json_.key("application/json").begin_object().key("schema").begin_object();
  json_.member("type", "array").key("items").begin_object().member("$ref", schema_).end_object();
  json_.end_object().end_object();
  content("application/x-ndjson", R"({"type":"string","description":"A record as JSON a line."})");
  json_.end_object().end_object();
  problems({"400", "422", "503"});
  json_.end_object().end_object();
}

void TransferDescriber::start() {
  json_.begin_object().member(
      "description",
      "A job imports the file, by the rules that hold for who asks. `upload` "
      "or `text` is the file.");
  json_.key("requestBody").begin_object().member("required", true);
  json_.member("description", "At most " + std::to_string(max_body_bytes) + " bytes.");
  json_.key("content").begin_object().key("application/json").begin_object();
  json_.key("schema").begin_object().member("type", "object").key("properties").begin_object();
  property("upload",
           "A finished upload of one's own, of at most " + std::to_string(max_import_bytes) +
               " bytes: the last part of its address.",
           text_schema);
  property("text", "What is in the file.", text_schema);
  property("format", "Of the file.", format_schema);
  property("mode", "`upsert` changes the record with this `key` where there is one.",
           R"({"type":"string","enum":["create","upsert"],"default":"create"})");
  property("key", "`id`, a unique field, or the fields of a unique index with commas between.",
           text_schema);
  property("mapping", "Names in the file and their fields; `null` leaves a column out.",
           R"({"type":"object","additionalProperties":{"type":["string","null"]}})");
  property("dry_run", "Nothing is kept, and what becomes of it says what would be.", flag_schema);
  property("all_or_nothing",
           "One transaction of up to " + std::to_string(max_whole_import_rows) + " rows.",
           flag_schema);
  json_.end_object().member("additionalProperties", false);
  json_.key("oneOf").raw(R"([{"required":["upload"]},{"required":["text"]}])");
  json_.end_object().end_object().end_object().end_object();
  json_.key("responses").begin_object().key("202").begin_object();
  json_.member("description", "The job that imports it.").key("headers").begin_object();
  header("Location", "Where one sees how it goes.");
  json_.end_object().key("content").begin_object();
  content("application/json",
          R"({"type":"object","properties":{"job":{"type":"string"}},"required":["job"],)"
          R"("additionalProperties":false})");
  json_.end_object().end_object();
  problems({"400", "422", "503", "507"});
  json_.end_object().end_object();
}

void TransferDescriber::progress() {
  json_.begin_object().member("type", "object").key("properties").begin_object();
  json_.key("job").raw(text_schema);
  json_.key("state").raw(
      R"({"type":"string","enum":["waiting","running","done","failed","cancelled"]})");
  json_.key("dry_run").raw(R"({"type":"boolean"})");
  json_.key("progress")
      .raw(
          R"({"type":"object","description":"Bytes of the file.","properties":{"done":{"type":"integer","minimum":0},)"
          R"("total":{"type":"integer","minimum":0}},"required":["done","total"],"additionalProperties":false})");
  property("rows", "Those that were looked at.", count_schema);
  property("created", "Records that were made.", count_schema);
  property("changed", "Records that were changed.", count_schema);
  property("wrong", "Rows that were not imported.", count_schema);
  property("error", "Why it failed; empty where it did not.", text_schema);
  json_.key("errors").begin_object().member("type", "array");
  json_.member("maxItems", max_import_errors).key("items").raw(error_schema).end_object();
  json_.end_object()
      .key("required")
      .raw(
          R"(["job","state","dry_run","progress","rows","created","changed","wrong","error","errors"])");
  json_.member("additionalProperties", false).end_object();
}

void TransferDescriber::show() {
  json_.begin_object().member("description", "For who asked for it alone.");
  json_.key("parameters").begin_array();
  parameter("errors", "The errors alone, as a file.", R"({"type":"string","enum":["csv"]})");
  json_.end_array().key("responses").begin_object().key("200").begin_object();
  json_.member("description", "How far it is, or its errors as a file.");
  json_.key("content").begin_object();
  json_.key("application/json").begin_object().key("schema");
  progress();
  json_.end_object();
  content("text/csv", R"({"type":"string","description":"line, field, code and message."})");
  json_.end_object().end_object();
  problems({"400", "404"});
  json_.end_object().end_object();
}

void TransferDescriber::cancel() {
  json_.begin_object().member("description",
                              "Asks the job to stop; what is imported by then stays. For who asked "
                              "for the import alone.");
  json_.key("responses").begin_object();
  json_.key("204").raw(R"({"description":"It is asked to stop."})");
  problems({"404"});
  json_.end_object().end_object();
}

}  // namespace

std::string describe_transfer(const TableModel& table, Operation operation,
                              const std::string& schema) {
  std::string text;
  TransferDescriber describer(table, schema, text);
  switch (operation) {
    case Operation::export_all:
      describer.export_all();
      break;
    case Operation::start_import:
      describer.start();
      break;
    case Operation::show_import:
      describer.show();
      break;
    default:
      describer.cancel();
      break;
  }
  return text;
}

}  // namespace tenon::records
