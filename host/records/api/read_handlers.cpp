#include "records/api/read_handlers.hpp"

#include <charconv>

#include "base/error.hpp"
#include "data/database.hpp"
#include "data/sql_error.hpp"
#include "http/response/conditional.hpp"
#include "records/api/list_response.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/model/hooks.hpp"
#include "records/query/columns.hpp"
#include "records/query/dialect.hpp"
#include "records/query/expand.hpp"
#include "records/query/group_query.hpp"
#include "records/query/list_query.hpp"
#include "records/query/query_text.hpp"
#include "routing/context.hpp"

namespace tenon::records {

namespace {

// The buffer of the last response; a thread makes one at a time.
data::JsonText& scratch() {
  thread_local data::JsonText text;
  text.clear();
  return text;
}

void respond_json(const http::ExchangePtr& exchange, std::string_view json) {
  http::Response& response = exchange->draft();
  response.content_type = "application/json";
  response.with("Cache-Control", "no-store");
  response.set_body(json);
  exchange->respond(std::move(response));
}

}  // namespace

void ListRecords::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, table_context_->permissions);
  const Visibility seen = seen_records(table_context_->table.read, context, "read these records");
  if (asks_for_groups(exchange->request().query)) return list_groups(exchange, context, seen);
  const ListQuery query = read_list_query(*table_context_, exchange->request().query, context);
  data::JsonText& text = scratch();
  append_list(*table_context_, query, context, seen, nullptr, Extras::plugin, text);
  respond_json(exchange, text.view());
}

void ListRecords::list_groups(const http::ExchangePtr& exchange, const expression::Context& context,
                              Visibility seen) {
  const GroupQuery query = read_group_query(*table_context_, exchange->request().query, context);
  const Statement groups = groups_statement(*table_context_, query, context, seen);
  data::JsonText& text = scratch();
  text.put("{\"items\":");
  try {
    const auto end = table_context_->database->query(groups.sql, groups.cells)
                         .append_json_page(query.limit, text);
    text.put(end.has_more ? ",\"more\":true}" : ",\"more\":false}");
  } catch (const data::SqlError& error) {
    if (!dialect::is_sum_overflow(table_context_->table.engine, error)) throw;
    throw base::Error(422, "records.overflow",
                      "A sum has more than 64 bits. Ask for fewer records with filter.");
  }
  respond_json(exchange, text.view());
}

std::string_view ShowRecord::extended(const expression::Context& context, data::JsonText& text) {
  if (!table_context_->has_extender) return text.view();
  const std::string record(text.view());
  text.clear();
  table_context_->hooks->extend(table_context_->table, context, record, text);
  return text.view();
}

void ShowRecord::respond_with(const http::ExchangePtr& exchange, const expression::Context& context,
                              data::JsonText& text) {
  respond_json(exchange, extended(context, text));
}

void ShowRecord::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, table_context_->permissions);
  const Visibility seen = seen_records(table_context_->table.read, context, "read this record");
  std::optional<std::vector<const FieldModel*>> fields;
  std::vector<Expand> expands;
  for (const auto& [name, value] : parse_query(exchange->request().query)) {
    if (name == "fields") {
      fields = chosen_fields(table_context_->table, value);
    } else if (name == "expand") {
      expands = parse_expand(*table_context_->model, table_context_->table, value);
    } else {
      refuse_query(name, "there is no such parameter");
    }
  }
  const std::string_view id = routing::context(*exchange).parameters.values[0];
  data::JsonText& text = scratch();
  if (!expands.empty()) {
    std::vector<const FieldModel*> all = fields ? *fields : shown_fields(table_context_->table);
    const std::size_t shown = add_expanded_fields(all, expands);
    const Statement record = record_statement(table_context_->table, all, context, seen, id);
    data::Transaction transaction = table_context_->database->begin(data::Mode::read);
    data::JsonText one;
    if (transaction.query(record.sql, record.cells).append_json(data::JsonShape::row, one) == 0)
      throw not_found();
    Expander(*table_context_, context, transaction).write(one.view(), shown, expands, text);
    transaction.rollback();
    return respond_with(exchange, context, text);
  }
  const Statement record =
      record_statement(table_context_->table,
                       fields ? *fields : shown_fields(table_context_->table), context, seen, id);
  if (table_context_->database->append_json(data::JsonShape::row, text, record.sql, record.cells) ==
      0)
    throw not_found();
  if (fields) return respond_with(exchange, context, text);
  const std::string etag = etag_of(table_context_->table, text.view());
  http::Response& response = exchange->draft();
  response.with("ETag", etag).with("Cache-Control", "private, no-cache");
  if (table_context_->has_extender) {
    // The tag is of the record, for If-Match; what is added to it may have changed.
    response.content_type = "application/json";
    response.set_body(extended(context, text));
  } else if (http::is_not_modified(exchange->request(), etag, -1)) {
    response.status = 304;
  } else {
    response.content_type = "application/json";
    response.set_body(text.view());
  }
  exchange->respond(std::move(response));
}

}  // namespace tenon::records
