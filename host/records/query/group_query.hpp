#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "records/query/list_query.hpp"
#include "records/search/search.hpp"

namespace tenon::records {

/// A value of a group: one that its records share, or one that is computed of them.
struct GroupValue {
  std::string name;    ///< as it was asked for: "state", "month(due)", "sum(hours)"
  std::string sql;     ///< of the value
  std::string member;  ///< the column's name: "public:boolean"
};

/// What `?group=…&agg=…` asks for, read and checked for who asks.
struct GroupQuery {
  std::vector<GroupValue> values;  ///< those that are shared, then those that are computed
  std::size_t keys = 0;            ///< how many are shared
  std::shared_ptr<const Rule> filter;
  std::unique_ptr<Search> search;  ///< of which records groups are made; null: of all
  std::vector<std::pair<std::size_t, bool>> order;  ///< place among `values`, whether descending
  std::size_t limit = 0;
};

/// Whether a GET of a table asks for groups and not for records.
bool asks_for_groups(std::string_view query);

/// Throws 400 records.bad_query, records.field_not_allowed, 422 expression.invalid.
GroupQuery read_group_query(const TableContext& table_context, std::string_view text,
                            const expression::Context& context);

/// The groups, one more than the limit.
Statement groups_statement(const TableContext& table_context, const GroupQuery& query,
                           const expression::Context& context, Visibility seen);

}  // namespace tenon::records
