#include "records/api/list_response.hpp"

#include <optional>
#include <string>

#include "data/database.hpp"
#include "records/model/hooks.hpp"
#include "records/model/limits.hpp"
#include "records/query/expand.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

// The members after the items.
struct PageText {
  std::string next;  // the cursor as JSON
  std::string_view ranked;
};

PageText put_page(const ListQuery& query, data::Rows rows, data::JsonText& items) {
  const data::JsonPageEnd end = rows.append_json_page(query.limit, items);
  std::string cursor;
  if (end.has_more) cursor = make_cursor(query.mark, end.keys);
  if (end.has_more && cursor.empty())
    refuse_query("sort", "the values are too long to page through; sort by other fields");
  return {cursor.empty() ? std::string("null") : "\"" + cursor + "\"",
          end.flag ? std::string_view(R"(,"ranked":"recent")") : std::string_view()};
}

std::string total_of(const TableContext& table_context, const ListQuery& query,
                     const expression::Context& context, Visibility seen,
                     data::Transaction& transaction) {
  const Statement count = count_statement(table_context, query, context, seen);
  data::Rows rows = transaction.query(count.sql, count.cells);
  rows.next();
  std::int64_t total = rows.integer(0);
  bool is_at_least = rows.integer(1) != 0;
  constexpr auto max_total = static_cast<std::int64_t>(max_counted);
  if (query.count == Count::bounded && total > max_total) {
    total = max_total;
    is_at_least = true;
  }
  return ",\"total\":" + std::to_string(total) + (is_at_least ? R"(,"total_is":"at_least")" : "");
}

}  // namespace

void append_list(const TableContext& table_context, const ListQuery& query,
                 const expression::Context& context, Visibility seen, data::Transaction* within,
                 Extras extras, data::JsonText& text) {
  const bool is_extended = extras == Extras::plugin && table_context.has_extender;
  text.put("{\"items\":");
  const Statement page = page_statement(table_context, query, context, seen);
  PageText end;
  std::string total;
  data::JsonText plain;
  // Items that the plugin extends are buffered first: its code does not run within a snapshot.
  data::JsonText& items = is_extended ? plain : text;
  if (within || query.count != Count::none || !query.expands.empty()) {
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
    if (query.count != Count::none)
      total = total_of(table_context, query, context, seen, transaction);
  } else {
    end = put_page(query, table_context.database->query(page.sql, page.cells), items);
  }
  if (is_extended) table_context.hooks->extend(table_context.table, context, items.view(), text);
  text.put(",\"next\":");
  text.put(end.next);
  text.put(total);
  text.put(end.ranked);
  text.put('}');
}

}  // namespace tenon::records
