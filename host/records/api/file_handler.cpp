#include "records/api/file_handler.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "blobs/blobs.hpp"
#include "data/database.hpp"
#include "http/response/download.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/query/query_text.hpp"
#include "routing/context.hpp"

namespace tenon::records {

namespace {

using base::JsonSlice;
using base::JsonType;

struct File {
  std::string blob;
  std::string name;
};

// A file as the record stores it.
File read_file(const JsonSlice& json) {
  File file;
  if (json.type() != JsonType::object) return file;
  json.each_member([&](const std::string& name, const JsonSlice& value) {
    if (value.type() != JsonType::string) return;
    if (name == "id") file.blob = value.string();
    if (name == "name") file.name = value.string();
  });
  return file;
}

// The file of this blob, or the only one where none is named.
std::optional<File> find_file(const FieldModel& field, std::string_view record,
                              std::optional<std::string_view> blob) {
  std::optional<File> found;
  const auto take = [&](const JsonSlice& json) {
    File file = read_file(json);
    if (file.blob.empty() || found || (blob && file.blob != *blob)) return;
    found = std::move(file);
  };
  JsonSlice(record).each_member([&](const std::string& name, const JsonSlice& value) {
    if (name != field.field.name) return;
    if (!field.is_list) {
      take(value);
    } else if (blob && value.type() == JsonType::array) {
      value.each_element(take);
    }
  });
  return found;
}

bool read_is_saved(const http::Exchange& exchange) {
  bool is_saved = false;
  for (const auto& [name, value] : parse_query(exchange.request().query)) {
    if (name != "save") refuse_query(name, "there is no such parameter");
    if (value != "true" && value != "false") refuse_query(name, "true or false is expected");
    is_saved = value == "true";
  }
  return is_saved;
}

}  // namespace

void ShowFile::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, table_context_->permissions);
  const Visibility seen = seen_records(table_context_->table.read, context, "read this file");
  const bool is_saved = read_is_saved(*exchange);
  const routing::Parameters& parameters = routing::context(*exchange).parameters;
  std::optional<std::string_view> blob;
  if (parameters.count > 1) blob = parameters.values[1];
  const Statement record =
      record_statement(table_context_->table, {&field_}, context, seen, parameters.values[0]);
  data::JsonText text;
  if (table_context_->database->append_json(data::JsonShape::row, text, record.sql, record.cells) ==
      0)
    throw not_found();
  const std::optional<File> file = find_file(field_, text.view(), blob);
  if (!file) throw base::Error(404, "records.no_file", "The record has no such file.");
  const blobs::Blobs::Opened opened =
      table_context_->blobs->open(table_context_->plugin, file->blob);
  exchange->respond(http::respond_with_download(
      exchange->request(), {.etag = "\"" + opened.blob.id + "\"",
                            .bytes = opened.blob.bytes,
                            .modified = opened.blob.created_ms / 1000,
                            .type = opened.blob.type,
                            .name = file->name,
                            .is_saved = is_saved,
                            .is_lasting = blob.has_value(),
                            .open = [&opened] { return opened.content->duplicate_descriptor(); }}));
}

}  // namespace tenon::records
