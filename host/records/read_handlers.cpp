#include "records/read_handlers.hpp"

#include <charconv>

#include "base/error.hpp"
#include "data/database.hpp"
#include "http/conditional.hpp"
#include "records/access.hpp"
#include "records/columns.hpp"
#include "records/list_query.hpp"
#include "records/query_text.hpp"
#include "records/record_text.hpp"
#include "routing/context.hpp"

namespace tenon::records {

namespace {

// The memory of the last answer; one thread makes one at a time.
data::JsonText& scratch() {
  thread_local data::JsonText text;
  text.clear();
  return text;
}

void put_total(data::JsonText& text, data::Rows rows) {
  rows.next();
  text.put(",\"total\":");
  text.put(std::to_string(rows.integer(0)));
}

void answer(const http::ExchangePtr& exchange, std::string_view json) {
  http::Response& response = exchange->draft();
  response.content_type = "application/json";
  response.with("Cache-Control", "no-store");
  response.set_body(json);
  exchange->answer(std::move(response));
}

}  // namespace

void ListRecords::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, desk_->permissions);
  const bool is_open = lets_all(desk_->table.read, context, "read these records");
  const ListQuery query = read_list_query(*desk_, exchange->request().query, context);
  const Statement page = page_statement(*desk_, query, context, is_open);
  data::JsonText& text = scratch();
  text.put("{\"items\":");
  const auto put_page = [&](data::Rows rows) {
    const data::JsonPageEnd end = rows.append_json_page(query.limit, text);
    std::string cursor;
    if (end.has_more) cursor = make_cursor(query.mark, end.keys);
    if (end.has_more && cursor.empty())
      refuse_query("sort", "the values are too long to page through; sort by other fields");
    text.put(cursor.empty() ? ",\"next\":null" : ",\"next\":\"" + cursor + "\"");
  };
  if (query.is_counted) {
    data::Transaction transaction = desk_->database->begin(data::Mode::read);
    put_page(transaction.query(page.sql, page.cells));
    const Statement count = count_statement(*desk_, query, context, is_open);
    put_total(text, transaction.query(count.sql, count.cells));
  } else {
    put_page(desk_->database->query(page.sql, page.cells));
  }
  text.put('}');
  answer(exchange, text.view());
}

void ShowRecord::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, desk_->permissions);
  const bool is_open = lets_all(desk_->table.read, context, "read this record");
  std::optional<std::vector<const FieldModel*>> fields;
  for (const auto& [name, value] : parse_query(exchange->request().query)) {
    if (name != "fields") refuse_query(name, "there is no such parameter");
    fields = chosen_fields(desk_->table, value);
  }
  const std::string_view id = routing::context(*exchange).parameters.values[0];
  const Statement record = record_statement(
      desk_->table, fields ? *fields : shown_fields(desk_->table), context, is_open, id);
  data::JsonText& text = scratch();
  if (desk_->database->append_json(data::JsonShape::row, text, record.sql, record.cells) == 0)
    throw not_found();
  if (fields) return answer(exchange, text.view());
  const std::string etag = etag_of(desk_->table, text.view());
  http::Response& response = exchange->draft();
  response.with("ETag", etag).with("Cache-Control", "private, no-cache");
  if (http::is_not_modified(exchange->request(), etag, -1)) {
    response.status = 304;
  } else {
    response.content_type = "application/json";
    response.set_body(text.view());
  }
  exchange->answer(std::move(response));
}

}  // namespace tenon::records
