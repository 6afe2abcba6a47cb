#include "records/search/search.hpp"

#include <vector>

#include "records/model/access.hpp"
#include "records/query/dialect.hpp"
#include "records/query/query_text.hpp"
#include "records/search/search_words.hpp"

namespace tenon::records {

Search read_search(const TableModel& table, std::string_view typed,
                   const expression::Context& context, std::size_t parameter) {
  std::vector<dialect::SearchField> fields;
  std::string unseen;
  std::size_t column = 0;
  Search search;
  for (const FieldModel& field : table.fields) {
    if (!field.field.searchable) continue;
    search.weights.append(column == 0 ? "[" : ",");
    search.weights.append(std::to_string(field.field.search_weight));
    if (!field.field.hidden && is_seen_always(field, context)) {
      fields.push_back({field.field.name, column});
    } else if (!field.field.hidden) {
      unseen = field.field.name;
    }
    ++column;
  }
  if (fields.empty() && !unseen.empty()) refuse_field("q", unseen);
  if (fields.empty()) refuse_query("q", "no field of these records is searchable");
  search.weights += "]";
  const std::vector<SearchTerm> terms = parse_search(typed);
  search.parameter = parameter;
  search.request = dialect::search_request(terms, fields, column);
  search.fields = fields.size();
  search.highlight.value = dialect::highlight(table.engine, fields, parameter);
  search.highlight.member = "highlight:json";
  return search;
}

}  // namespace tenon::records
