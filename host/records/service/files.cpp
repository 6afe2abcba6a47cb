#include "records/service/files.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "blobs/uploads.hpp"
#include "records/query/dialect.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

using base::JsonSlice;
using base::JsonType;
using data::schema::FieldType;
using data::schema::quoted;

constexpr std::string_view unknown_type = "application/octet-stream";

// Whether a media type is "image/png" or fits "image/*".
bool fits(std::string_view type, const std::string& pattern) {
  if (!pattern.ends_with("/*")) return type == pattern;
  return type.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

std::string text_of(const blobs::Upload& upload, std::string_view type) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("id", upload.blob->id)
      .member("name", upload.name)
      .member("type", type)
      .member("size", upload.blob->bytes)
      .end_object();
  return text;
}

std::string id_in(const JsonSlice& file) {
  std::string id;
  if (file.type() != JsonType::object) return id;
  file.each_member([&](const std::string& name, const JsonSlice& value) {
    if (name == "id" && value.type() == JsonType::string) id = value.string();
  });
  return id;
}

bool has_files(const TableModel& table) {
  return std::any_of(table.fields.begin(), table.fields.end(),
                     [](const FieldModel& field) { return field.field.type == FieldType::blob; });
}

// Whether records go together with others that they refer to.
bool has_cascade(const TableModel& table) {
  return std::any_of(table.fields.begin(), table.fields.end(), [](const FieldModel& field) {
    return field.field.refers_to_own() && field.field.on_delete == data::schema::OnDelete::cascade;
  });
}

}  // namespace

void UploadClaims::take(Body& body, const TableContext& table_context,
                        const expression::Context& context) {
  for (Change& change : body.changes) {
    for (FileRef& file : change.files) {
      if (!file.upload.empty())
        take(file, *change.field, body, table_context, context.user().value_or(std::string()));
    }
  }
}

void UploadClaims::take(FileRef& file, const FieldModel& field, Body& body,
                        const TableContext& table_context, const std::string& user) {
  const auto wrong = [&](const char* code, std::string message) {
    body.errors.push_back({field.field.name, code, std::move(message)});
  };
  std::optional<blobs::Upload> upload;
  try {
    upload = table_context.uploads->find(plugin_, user, file.upload);
  } catch (const base::Error& error) {
    if (error.status() != 404) throw;
  }
  if (!upload || !upload->blob)
    return wrong("upload", "There is no such finished upload of yours.");
  const std::string_view type = upload->blob->type.empty() ? unknown_type : upload->blob->type;
  const auto max_bytes = static_cast<std::uint64_t>(field.field.max_bytes);
  if (upload->blob->bytes > max_bytes)
    return wrong("too_large", "At max_bytes " + std::to_string(max_bytes) + " bytes are possible.");
  const auto& types = field.field.types;
  const bool is_allowed =
      types.empty() || std::any_of(types.begin(), types.end(),
                                   [&](const std::string& pattern) { return fits(type, pattern); });
  if (!is_allowed) return wrong("type", "A file of this type is not possible here.");
  if (!body.errors.empty()) return;  // it will not be stored
  file.blob = upload->blob->id;
  file.json = text_of(*upload, type);
  file.claim = "records/" + base::new_id();
  blobs_.claim(plugin_, file.blob, file.claim);
  claims_.push_back({file.blob, file.claim});
}

void UploadClaims::complete(const std::vector<std::string>& kept,
                            std::vector<blobs::Blobs::Claim> ended) {
  std::erase_if(claims_, [&](const blobs::Blobs::Claim& claim) {
    return std::find(kept.begin(), kept.end(), claim.key) != kept.end();
  });
  std::move(ended.begin(), ended.end(), std::back_inserter(claims_));
}

bool RecordFiles::has_table() {
  return transaction_.query(dialect::find_table(table_context_.table.engine), {"tenon_files"})
      .next();
}

void RecordFiles::ensure_table() {
  if (has_table()) return;
  transaction_.exec_as_host(dialect::host_table(table_context_.table.engine, dialect::files_table));
}

std::vector<RecordFiles::Row> RecordFiles::rows(std::string_view where,
                                                const std::vector<data::Cell>& cells) {
  std::vector<Row> found;
  data::Rows rows = transaction_.query(
      "SELECT record, blob, claim FROM tenon_files WHERE " + std::string(where), cells);
  while (rows.next())
    found.push_back(
        {std::string(rows.text(0)), {std::string(rows.text(1)), std::string(rows.text(2))}});
  return found;
}

void RecordFiles::end(const Row& row, std::string_view table) {
  transaction_.exec_as_host(
      "DELETE FROM tenon_files WHERE \"table\" = ?1 AND record = ?2 AND blob = ?3 AND claim = ?4",
      {table, row.record, row.claim.blob, row.claim.key});
  ended_.push_back(row.claim);
}

// Ids of the files that the field has, and what it says of them.
std::vector<std::pair<std::string, std::string>> RecordFiles::current(std::string_view record,
                                                                      const FieldModel& field) {
  data::Rows rows =
      transaction_.query("SELECT " + quoted(field.field.name) + " FROM " +
                             quoted(table_context_.table.table.name) + " WHERE \"id\" = ?1",
                         {record});
  std::vector<std::pair<std::string, std::string>> files;
  if (!rows.next() || rows.is_null(0)) return files;
  const std::string text(rows.text(0));
  base::check_json(text);
  const auto take = [&](const JsonSlice& file) {
    files.emplace_back(id_in(file), std::string(file.text()));
  };
  const JsonSlice value(text);
  if (value.type() == JsonType::array)
    value.each_element(take);
  else
    take(value);
  return files;
}

data::schema::Value RecordFiles::store(std::string_view record, const Change& change, bool is_new) {
  const FieldModel& field = *change.field;
  const std::string& table = table_context_.table.table.name;
  const auto refuse = [&](const char* code, const char* message) {
    throw invalid({{field.field.name, code, message}});
  };
  ensure_table();
  std::vector<std::pair<std::string, std::string>> before;
  if (!is_new) before = current(record, field);
  std::vector<Row> left =
      rows("\"table\" = ?1 AND record = ?2 AND field = ?3", {table, record, field.field.name});
  std::vector<std::string> seen;
  std::string list;
  for (const FileRef& file : change.files) {
    if (std::find(seen.begin(), seen.end(), file.blob) != seen.end())
      refuse("duplicate", "A file appears twice.");
    seen.push_back(file.blob);
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const auto& known) { return known.first == file.blob; });
    const bool is_upload = !file.upload.empty();
    if (!is_upload && old == before.end()) refuse("reference", "The record has no such file.");
    list.append(list.empty() ? "" : ",").append(is_upload ? file.json : old->second);
    const auto row = std::find_if(left.begin(), left.end(),
                                  [&](const Row& known) { return known.claim.blob == file.blob; });
    if (row != left.end()) {
      left.erase(row);  // it is claimed already
    } else if (is_upload) {
      transaction_.exec_as_host(
          "INSERT INTO tenon_files (\"table\", record, field, blob, claim) VALUES (?1, ?2, ?3, ?4, "
          "?5)",
          {table, record, field.field.name, file.blob, file.claim});
      kept_.push_back(file.claim);
    }
  }
  for (const Row& row : left)
    transaction_.exec_as_host(
        "DELETE FROM tenon_files WHERE \"table\" = ?1 AND record = ?2 AND field = ?3 AND blob = ?4",
        {table, record, field.field.name, row.claim.blob});
  for (Row& row : left)
    ended_.push_back(std::move(row.claim));
  if (field.is_list) return "[" + list + "]";
  if (list.empty()) return {};
  return list;
}

void RecordFiles::forget(std::string_view record) {
  if (!has_table()) return;
  const std::string& own = table_context_.table.table.name;
  for (const Row& row : rows("\"table\" = ?1 AND record = ?2", {own, record}))
    end(row, own);
  for (const TableModel& table : table_context_.model->tables()) {
    if (!has_files(table) || !has_cascade(table)) continue;
    const std::string& name = table.table.name;
    const std::string gone = "\"table\" = ?1 AND NOT EXISTS (SELECT 1 FROM " + quoted(name) +
                             " AS \"t\" WHERE \"t\".\"id\" = record)";
    for (const Row& row : rows(gone, {name}))
      end(row, name);
  }
}

}  // namespace tenon::records
