#include "records/transfer/import_handlers.hpp"

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "blobs/blobs.hpp"
#include "blobs/uploads.hpp"
#include "data/database.hpp"
#include "jobs/jobs.hpp"
#include "records/api/key.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/query/query_text.hpp"
#include "records/transfer/csv.hpp"
#include "records/transfer/import_state.hpp"
#include "routing/context.hpp"

namespace tenon::records {

namespace {

[[noreturn]] void refuse(const std::string& member, const char* code, const std::string& what) {
  const std::string message = member + ": " + what + ".";
  throw base::Error(422, "records.bad_import", message, {{member, code, message}});
}

// The blob that is to be imported, claimed.
std::string claim_file(const TableContext& table_context, const ImportBody& parsed,
                       const std::string& claim) {
  std::string blob;
  if (parsed.has_text) {
    const auto writer = table_context.blobs->create(table_context.plugin);
    writer->write(parsed.text);
    blob = writer->finish().id;
  } else {
    std::optional<blobs::Upload> upload;
    try {
      upload =
          table_context.uploads->find(table_context.plugin, parsed.request.user, parsed.upload);
    } catch (const base::Error& error) {
      if (error.status() != 404) throw;
    }
    if (!upload || !upload->blob)
      refuse("upload", "upload", "there is no such finished upload of yours");
    if (upload->blob->bytes > max_import_bytes)
      refuse("upload", "too_large",
             "a file has at most " + std::to_string(max_import_bytes) + " bytes");
    blob = upload->blob->id;
  }
  table_context.blobs->claim(table_context.plugin, blob, claim);
  return blob;
}

void check_mapping(const TableModel& table, const ImportRequest& request) {
  for (const auto& [column, field] : request.mapping) {
    if (!field.empty() && field != "id" && !table.find(field))
      refuse("mapping", "unknown", "there is no field '" + field + "'");
  }
}

struct Known {
  jobs::Job job;
  ImportRequest request;
};

// The import of the job in the path, where it is of this table and of the one who asks.
Known find_own(const http::Exchange& exchange, const TableContext& table_context) {
  const expression::Context context = context_of(exchange, table_context.permissions);
  if (!context.user()) refuse_forbidden(context, "see imports");
  auto job = table_context.jobs->store().find(routing::context(exchange).parameters.values[0]);
  if (job && job->plugin == table_context.plugin && job->kind == import_kind) {
    ImportRequest request = ImportRequest::from_json(job->payload);
    if (request.table == table_context.table.table.name && request.user == context.user())
      return {*std::move(job), std::move(request)};
  }
  throw base::Error(404, "records.no_import", "There is no such import of yours.");
}

std::string errors_as_csv(const std::vector<ImportError>& errors) {
  std::string text = "line,field,code,message\r\n";
  for (const ImportError& error : errors) {
    text += std::to_string(error.line);
    for (const std::string& cell : {error.field, error.code, error.message}) {
      text += ',';
      if (!cell.empty()) append_csv_text(text, guarded(cell));
    }
    text += "\r\n";
  }
  return text;
}

std::string as_json(const Known& known, const ImportProgress& tally,
                    const std::vector<ImportError>& errors) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("job", known.job.id)
      .member("state", jobs::to_string(known.job.state))
      .member("dry_run", known.request.is_dry_run)
      .key("progress")
      .begin_object()
      .member("done", known.job.progress.done)
      .member("total", known.job.progress.total)
      .end_object()
      .member("rows", tally.rows)
      .member("created", tally.created)
      .member("changed", tally.changed)
      .member("wrong", tally.wrong)
      .member("error", tally.failure.empty() ? known.job.error : tally.failure)
      .key("errors")
      .begin_array();
  for (const ImportError& error : errors)
    json.begin_object()
        .member("line", error.line)
        .member("field", error.field)
        .member("code", error.code)
        .member("message", error.message)
        .end_object();
  json.end_array().end_object();
  return text;
}

}  // namespace

void StartImport::handle(const http::ExchangePtr& exchange) {
  const TableContext& table_context = *table_context_;
  for (const auto& [name, value] : parse_query(exchange->request().query))
    refuse_query(name, "there is no such parameter");
  const expression::Context context = context_of(*exchange, table_context.permissions);
  if (!context.user()) refuse_forbidden(context, "import records");
  ImportBody parsed = read_import(base::JsonSlice(exchange->request().body));
  ImportRequest& request = parsed.request;
  if (request.key.empty() || !may_any(table_context.table.update, context))
    require_any(table_context.table.create, context, "create records here");
  if (!request.key.empty()) parse_key(table_context.table, request.key, context);
  check_mapping(table_context.table, request);
  request.id = base::new_id();
  request.table = table_context.table.table.name;
  request.user = *context.user();
  request.claim = "records/import/" + request.id;
  request.blob = claim_file(table_context, parsed, request.claim);
  auto ended = table_context.database->write([&](data::Transaction& transaction) {
    return imports::begin(transaction, table_context.table.engine, request,
                          base::unix_milliseconds());
  });
  table_context.blobs->release_later(table_context.plugin, std::move(ended));
  const std::string job = table_context.jobs
                              ->enqueue({.plugin = table_context.plugin,
                                         .kind = std::string(import_kind),
                                         .payload = request.to_json()})
                              .id;
  std::string body;
  base::JsonWriter(body).begin_object().member("job", job).end_object();
  exchange->respond(http::json_response(202, std::move(body))
                        .with("Location", table_context.path + "/import/" + job));
}

void ShowImport::handle(const http::ExchangePtr& exchange) {
  bool is_csv = false;
  for (const auto& [name, value] : parse_query(exchange->request().query)) {
    if (name != "errors") refuse_query(name, "there is no such parameter");
    if (value != "csv") refuse_query(name, "csv is expected");
    is_csv = true;
  }
  const Known known = find_own(*exchange, *table_context_);
  const ImportProgress tally =
      imports::find(*table_context_->database, known.request.id).value_or(ImportProgress{});
  const auto errors = imports::errors(*table_context_->database, known.request.id);
  if (!is_csv) {
    exchange->respond(http::json_response(200, as_json(known, tally, errors)));
    return;
  }
  http::Response response;
  response.content_type = "text/csv; charset=utf-8; header=present";
  response.with("Cache-Control", "no-store")
      .with("Content-Disposition", "attachment; filename=\"import-errors.csv\"");
  response.body = errors_as_csv(errors);
  exchange->respond(std::move(response));
}

void CancelImport::handle(const http::ExchangePtr& exchange) {
  const Known known = find_own(*exchange, *table_context_);
  table_context_->jobs->cancel(known.job.id, table_context_->plugin);
  exchange->respond(http::empty_response(204));
}

}  // namespace tenon::records
