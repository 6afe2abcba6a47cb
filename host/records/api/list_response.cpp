#include "records/api/list_response.hpp"

#include <optional>
#include <string>

#include "data/database.hpp"
#include "records/model/hooks.hpp"
#include "records/query/expand.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

// The cursor of the next page as JSON.
std::string put_page(const ListQuery& query, data::Rows rows, data::JsonText& items) {
  const data::JsonPageEnd end = rows.append_json_page(query.limit, items);
  std::string cursor;
  if (end.has_more) cursor = make_cursor(query.mark, end.keys);
  if (end.has_more && cursor.empty())
    refuse_query("sort", "the values are too long to page through; sort by other fields");
  return cursor.empty() ? std::string("null") : "\"" + cursor + "\"";
}

}  // namespace

void append_list(const TableContext& table_context, const ListQuery& query,
                 const expression::Context& context, Visibility seen, data::Transaction* within,
                 Extras extras, data::JsonText& text) {
  const bool is_extended = extras == Extras::plugin && table_context.has_extender;
  text.put("{\"items\":");
  const Statement page = page_statement(table_context, query, context, seen);
  std::string end;
  data::JsonText plain;
  // Items that the plugin extends are buffered first: its code does not run within a snapshot.
  data::JsonText& items = is_extended ? plain : text;
  if (within || query.is_counted || !query.expands.empty()) {
    std::optional<data::Transaction> own;
    if (!within) own.emplace(table_context.database->begin(data::Mode::read));
    data::Transaction& transaction = within ? *within : *own;
    if (query.expands.empty()) {
      end = put_page(query, transaction.query(page.sql, page.cells), items);
    } else {
      data::JsonText bare;
      end = put_page(query, transaction.query(page.sql, page.cells), bare);
      Expander(table_context, context, transaction)
          .write(bare.view(), query.shown, query.expands, items);
    }
    if (query.is_counted) {
      const Statement count = count_statement(table_context, query, context, seen);
      data::Rows rows = transaction.query(count.sql, count.cells);
      rows.next();
      end += ",\"total\":" + std::to_string(rows.integer(0));
    }
  } else {
    end = put_page(query, table_context.database->query(page.sql, page.cells), items);
  }
  if (is_extended) table_context.hooks->extend(table_context.table, context, items.view(), text);
  text.put(",\"next\":");
  text.put(end);
  text.put('}');
}

}  // namespace tenon::records
