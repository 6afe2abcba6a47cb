#include "records/search/multi_table_search.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "expression/evaluate.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"
#include "records/query/search_query.hpp"

namespace tenon::records {

namespace {

// Returns the field that is the title of a record: the first one that is searched.
const FieldModel* title_of(const TableModel& table, const expression::Context& context) {
  const auto found =
      std::find_if(table.fields.begin(), table.fields.end(), [&](const FieldModel& one) {
        return one.field.searchable && !one.field.hidden && is_seen_always(one, context);
      });
  return found == table.fields.end() ? nullptr : &*found;
}

// The rank depends on records that the reader cannot see, so it is not shown.
SearchHit hit_of(std::string_view plugin, const std::string& table, const base::JsonSlice& row) {
  SearchHit hit;
  base::JsonWriter json(hit.json);
  json.begin_object();
  if (!plugin.empty()) json.member("plugin", plugin);
  json.member("table", table);
  row.each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "rank") {
      hit.rank = value.number();
    } else {
      json.key(name).raw(value.text());
    }
  });
  json.end_object();
  return hit;
}

void keep_best(std::vector<SearchHit>& hits, std::size_t max_count) {
  std::stable_sort(hits.begin(), hits.end(), [](const SearchHit& left, const SearchHit& right) {
    return left.rank < right.rank;
  });
  if (hits.size() > max_count) hits.resize(max_count);
}

}  // namespace

std::chrono::milliseconds time_until(std::chrono::steady_clock::time_point end) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  if (left <= std::chrono::milliseconds::zero())
    throw base::Error(503, "records.search_time", "The search took too long.");
  return left;
}

void find_hits(const TableContext& table_context, const TableHitsQuery& asked,
               const expression::Context& context, std::vector<SearchHit>& hits) {
  const TableModel& table = table_context.table;
  const FieldModel* shown = title_of(table, context);
  if (!shown || !may_any(table.read, context)) return;
  FieldModel title = *shown;
  title.value = dialect::beginning(title.value, max_hit_title);
  title.member = "title";
  FieldModel rank;
  rank.value = found_rank;
  rank.member = "rank";
  ListQuery query;
  query.sort = rank_sort(table.engine);
  query.limit = asked.limit;
  auto search = std::make_unique<Search>(
      read_search(table, asked.typed, context, table.read_slots.slots.size() + 1));
  search->is_ranked = true;
  query.fields = {&title, &search->highlight, &rank};
  query.search = std::move(search);
  const bool sees_all = expression::is_constant(table.read->checked, context) == true;
  const Statement page =
      found_statement(table_context, query, context, sees_all ? Visibility::all : Visibility::some);
  data::JsonText rows;
  if (asked.within) {
    asked.within->query(page.sql, page.cells).append_json(data::JsonShape::rows, rows);
  } else {
    table_context.database->append_json(data::JsonShape::rows, rows, page.sql, page.cells,
                                        asked.timeout);
  }
  base::JsonSlice(rows.view()).each_element([&](const base::JsonSlice& row) {
    hits.push_back(hit_of(asked.plugin, table.table.name, row));
  });
  keep_best(hits, asked.limit + 1);
}

bool write_hits(base::JsonWriter& json, std::vector<SearchHit> hits, std::size_t limit) {
  const bool has_more = hits.size() > limit;
  keep_best(hits, limit);
  json.begin_array();
  for (const SearchHit& hit : hits)
    json.raw(hit.json);
  json.end_array();
  return has_more;
}

}  // namespace tenon::records
