#include "records/service/record_service.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "records/api/list_response.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/query/columns.hpp"
#include "records/query/filter_values.hpp"
#include "records/query/list_query.hpp"
#include "records/query/query_text.hpp"
#include "records/search/multi_table_search.hpp"
#include "records/search/search.hpp"
#include "records/search/search_words.hpp"
#include "records/service/files.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

data::schema::Tables without_rules(data::schema::Tables tables) {
  for (data::schema::Table& table : tables.tables) {
    table.rules = {"true", "true", "true", "true"};
    for (data::schema::Field& field : table.fields) {
      field.rules = {};
      field.hidden = false;
      field.read_only = false;
      field.writable = false;
    }
  }
  return tables;
}

base::JsonSlice read_json(std::string_view json) {
  if (json.size() > max_body_bytes)
    throw base::Error(413, "json.too_large", "A record has at most 1 MiB as JSON.");
  base::check_json(json);
  return base::JsonSlice(json);
}

std::vector<std::pair<std::string, std::string>> parameters_of(const Listing& listing) {
  std::vector<std::pair<std::string, std::string>> parameters;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) parameters.emplace_back(name, std::move(value));
  };
  add("filter", with_values(listing.filter, listing.values));
  add("q", std::string(listing.search));
  add("sort", std::string(listing.sort));
  add("fields", std::string(listing.fields));
  add("expand", std::string(listing.expand));
  add("cursor", std::string(listing.cursor));
  if (listing.limit != 0) add("limit", std::to_string(listing.limit));
  if (listing.is_counted) add("count", "exact");
  return parameters;
}

}  // namespace

RecordService::RecordService(Parts parts, const std::shared_ptr<const Model>& model)
    : parts_(std::move(parts)), ruled_(table_contexts_of(model, true)) {}

RecordService::~RecordService() = default;

RecordService::TableContexts RecordService::table_contexts_of(
    const std::shared_ptr<const Model>& model, bool enforce_rules) const {
  TableContexts table_contexts;
  for (const TableModel& table : model->tables()) {
    const std::string& name = table.table.name;
    table_contexts.emplace(name, new TableContext{.model = model,
                                                  .table = table,
                                                  .path = "/api/" + parts_.plugin + "/" + name,
                                                  .database = parts_.database,
                                                  .permissions = parts_.permissions,
                                                  .users = parts_.users,
                                                  .filters = {},
                                                  .plugin = parts_.plugin,
                                                  .blobs = &parts_.blobs,
                                                  .uploads = &parts_.uploads,
                                                  .hooks = hooks_of(parts_.hooks, name),
                                                  .enforce_rules = enforce_rules});
  }
  return table_contexts;
}

const RecordService::TableContexts& RecordService::open() const {
  std::call_once(is_open_, [&] {
    if (ruled_.empty()) return;
    const Model& model = *ruled_.begin()->second->model;
    open_ = table_contexts_of(
        std::make_shared<const Model>(without_rules(model.declared()), parts_.database->dialect()),
        false);
  });
  return open_;
}

const TableModel* RecordService::unrestricted(std::string_view table) const {
  const auto found = open().find(table);
  return found == open().end() ? nullptr : &found->second->table;
}

const TableContext& RecordService::table_context(const RecordRequest& request) const {
  const TableContexts& table_contexts = request.enforce_rules ? ruled_ : open();
  const auto found = table_contexts.find(request.table);
  if (found == table_contexts.end())
    throw base::Error(404, "records.unknown_table",
                      "This plugin declares no table '" + std::string(request.table) + "'.");
  return *found->second;
}

void RecordService::show(const RecordRequest& request, std::string_view id,
                         data::Transaction* within, data::JsonText& text) const {
  const TableContext& from = table_context(request);
  const Visibility seen = seen_records(from.table.read, request.context, "read this record");
  const Statement record =
      record_statement(from.table, shown_fields(from.table), request.context, seen, id);
  const std::size_t found =
      within ? within->query(record.sql, record.cells).append_json(data::JsonShape::row, text)
             : from.database->append_json(data::JsonShape::row, text, record.sql, record.cells);
  if (found == 0) throw not_found();
}

void RecordService::list(const RecordRequest& request, const Listing& listing,
                         data::Transaction* within, data::JsonText& text) const {
  const TableContext& from = table_context(request);
  const Visibility seen = seen_records(from.table.read, request.context, "read these records");
  const ListQuery query = read_list_query(from, parameters_of(listing), request.context);
  append_list(from, query, request.context, seen, within, Extras::none, text);
}

void RecordService::search(const TableSearch& search, bool enforce_rules,
                           const expression::Context& context, data::Transaction* within,
                           data::JsonText& text) const {
  const std::size_t limit = search.limit == 0 ? default_search_hits : search.limit;
  if (limit > max_page)
    refuse_query("limit", "at most " + std::to_string(max_page) + " are found at once");
  std::vector<const TableContext*> from;
  for (const std::string_view table : search.tables) {
    from.push_back(&table_context({table, enforce_rules, context}));
    if (std::count(from.begin(), from.end(), from.back()) > 1)
      refuse_query("tables", "'" + std::string(table) + "' appears twice");
  }
  const bool has_words = !parse_search(search.typed).empty();
  if (search.tables.empty()) {
    for (const auto& [name, one] : enforce_rules ? ruled_ : open()) {
      if (!data::schema::searchable_fields(one->table.table).empty()) from.push_back(one.get());
    }
  }
  const auto end = std::chrono::steady_clock::now() + search.time;
  std::vector<SearchHit> hits;
  for (const TableContext* one : from) {
    // Errors of named tables are reported even if the search is empty.
    if (!search.tables.empty()) {
      seen_records(one->table.read, context, "search these records");
      read_search(one->table, search.typed, context, 1);
    }
    if (!has_words) continue;
    find_hits(*one,
              {.typed = search.typed,
               .limit = limit,
               .within = within,
               .timeout = within ? std::chrono::milliseconds() : time_until(end)},
              context, hits);
  }
  std::string found;
  base::JsonWriter json(found);
  json.begin_object().key("items");
  const bool has_more = write_hits(json, std::move(hits), limit);
  json.member("more", has_more).end_object();
  text.put(found);
}

template <typename Work>
std::string RecordService::write(const TableContext& table_context, const RecordRequest& request,
                                 Body body, const TransactionScope* within, Work&& work) {
  if (within) {
    for (const Change& change : body.changes) {
      if (change.field->field.type == data::schema::FieldType::blob)
        body.errors.push_back({change.field->field.name, "read_only",
                               "Files are set in a transaction of their own."});
    }
    Writer writer(table_context, request.context, within->transaction, within->run_hooks);
    std::string record = work(writer, body);
    for (blobs::Blobs::Claim& claim : writer.files().take_ended())
      within->ended.push_back(std::move(claim));
    return record;
  }
  UploadClaims files(table_context);
  files.take(body, table_context, request.context);
  std::vector<std::string> kept;
  std::vector<blobs::Blobs::Claim> ended;
  try {
    std::string record = table_context.database->write([&](data::Transaction& transaction) {
      Writer writer(table_context, request.context, transaction);
      std::string written = work(writer, body);
      kept = writer.files().kept();
      ended = writer.files().take_ended();
      return written;
    });
    files.complete(kept, std::move(ended));
    return record;
  } catch (const base::Error& error) {
    // After a disk failure it is unknown whether the change is stored.
    if (error.status() >= 500) files.leave();
    throw;
  } catch (...) {
    files.leave();
    throw;
  }
}

std::string RecordService::create(const RecordRequest& request, std::string_view json,
                                  const TransactionScope* within) const {
  const TableContext& to = table_context(request);
  require_any(to.table.create, request.context, "create records here");
  return write(to, request, read_body(to.table, read_json(json), Kind::create, Files::taken),
               within,
               [](Writer& writer, const Body& body) { return writer.show(writer.create(body)); });
}

std::string RecordService::update(const RecordRequest& request, std::string_view id,
                                  std::string_view json, std::string_view if_match,
                                  const TransactionScope* within) const {
  const TableContext& to = table_context(request);
  require_any(to.table.update, request.context, "change records here");
  return write(to, request, read_body(to.table, read_json(json), Kind::update, Files::taken),
               within, [&](Writer& writer, const Body& body) {
                 writer.update(id, body, if_match);
                 return writer.show(id);
               });
}

void RecordService::remove(const RecordRequest& request, std::string_view id,
                           std::string_view if_match, const TransactionScope* within) const {
  const TableContext& from = table_context(request);
  require_any(from.table.delete_, request.context, "delete records here");
  write(from, request, {}, within, [&](Writer& writer, const Body&) {
    writer.remove(id, if_match);
    return std::string();
  });
}

}  // namespace tenon::records
