#include "records/query/group_query.hpp"

#include <algorithm>
#include <array>

#include "expression/parse.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"
#include "records/query/query_text.hpp"
#include "records/query/search_query.hpp"

namespace tenon::records {

namespace {

using data::schema::FieldType;

constexpr std::array<std::string_view, 3> date_parts = {"year", "month", "day"};

// "sum(hours)" as sum and hours; "state" as state alone.
struct Call {
  std::string_view name;
  std::string_view argument;
  bool has_argument = false;
};

Call split(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {text, {}, false};
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2), true};
}

// Calls `take` with each part of a list like "a,b".
template <typename Take>
void each_part(std::string_view list, Take&& take) {
  while (true) {
    const std::string_view part = list.substr(0, list.find(','));
    take(part);
    if (part.size() == list.size()) return;
    list.remove_prefix(part.size() + 1);
  }
}

bool is_number(const FieldModel& field) noexcept {
  return field.field.type == FieldType::integer || field.field.type == FieldType::number;
}

bool has_order(const FieldModel& field) noexcept {
  switch (field.field.type) {
    case FieldType::text:
    case FieldType::choice:
    case FieldType::date:
    case FieldType::datetime:
      return true;
    default:
      return is_number(field);
  }
}

class GroupReader {
 public:
  GroupReader(const TableContext& table_context, const expression::Context& context)
      : table_context_(table_context), context_(context) {}

  void group(std::string_view part) {
    const Call call = split(part);
    if (!call.has_argument) {
      const FieldModel& field = field_of("group", part);
      add("group", {std::string(part), field.value, field.member});
    } else if (std::find(date_parts.begin(), date_parts.end(), call.name) != date_parts.end()) {
      const FieldModel& field = field_of("group", call.argument);
      if (field.field.type != FieldType::date && field.field.type != FieldType::datetime)
        refuse_query("group", "'" + std::string(call.argument) + "' is no date");
      const auto checked =
          expression::check(expression::parse(part), table_context_.model->declared(),
                            table_context_.table.table, expression::Purpose::value);
      add("group", {std::string(part),
                    expression::to_sql_value(
                        checked, {.dialect = table_context_.table.engine, .alias = alias})
                        .text,
                    std::string(part)});
    } else {
      refuse_query("group", "'" + std::string(part) +
                                "' is neither a field nor year, month or day "
                                "of one");
    }
    if (++query.keys > max_group_keys)
      refuse_query("group", "at most " + std::to_string(max_group_keys) + " values are possible");
  }

  void aggregate(std::string_view part) {
    const Call call = split(part);
    if (part == "count") {
      add("agg", {"count", "count(*)", "count"});
    } else if (call.has_argument && is_function(call.name)) {
      const FieldModel& field = field_of("agg", call.argument);
      const bool fits =
          call.name == "count" ||
          (call.name == "min" || call.name == "max" ? has_order(field) : is_number(field));
      if (!fits)
        refuse_query("agg",
                     "'" + std::string(call.argument) + "' has no " + std::string(call.name));
      add("agg", {std::string(part), aggregate_sql(call.name, field), std::string(part)});
    } else {
      refuse_query("agg", "'" + std::string(part) +
                              "' is none of count, count(field), sum(field), avg(field), "
                              "min(field) and max(field)");
    }
    if (query.values.size() - query.keys > max_aggregates)
      refuse_query("agg", "at most " + std::to_string(max_aggregates) + " values are possible");
  }

  void order(std::string_view part) {
    const bool is_descending = part.starts_with('-');
    const std::string_view name = part.substr(is_descending ? 1 : 0);
    const auto found = std::find_if(query.values.begin(), query.values.end(),
                                    [&](const GroupValue& one) { return one.name == name; });
    if (found == query.values.end())
      refuse_query("sort", "'" + std::string(name) + "' is not among group and agg");
    add_order(static_cast<std::size_t>(found - query.values.begin()), is_descending, true);
  }

  // Groups that are equal in all sort values are ordered by their group values.
  void complete_order() {
    for (std::size_t i = 0; i < query.keys; ++i)
      add_order(i, false, false);
  }

  GroupQuery query;

 private:
  static bool is_function(std::string_view name) noexcept {
    return name == "count" || name == "sum" || name == "avg" || name == "min" || name == "max";
  }

  std::string aggregate_sql(std::string_view name, const FieldModel& field) const {
    const data::Dialect engine = table_context_.table.engine;
    if (name == "sum")
      return dialect::sum(engine, field.value, field.field.type == FieldType::integer);
    if (name == "avg") return dialect::average(engine, field.value);
    return std::string(name) + "(" + field.value + ")";
  }

  const FieldModel& field_of(std::string_view parameter, std::string_view text) {
    const std::string name(text);
    const FieldModel* field = table_context_.table.find(name);
    if (!field || field->field.hidden) refuse_query(parameter, "there is no field '" + name + "'");
    if (!field->can_sort) refuse_query(parameter, "'" + name + "' cannot be used here");
    if (!is_seen_always(*field, context_)) refuse_field(parameter, name);
    return *field;
  }

  void add(std::string_view parameter, GroupValue value) {
    const bool is_second =
        std::any_of(query.values.begin(), query.values.end(),
                    [&](const GroupValue& other) { return other.name == value.name; });
    if (is_second) refuse_query(parameter, "'" + value.name + "' appears twice");
    query.values.push_back(std::move(value));
  }

  void add_order(std::size_t index, bool is_descending, bool must_be_new) {
    const bool is_known = std::any_of(query.order.begin(), query.order.end(),
                                      [&](const auto& other) { return other.first == index; });
    if (!is_known) {
      query.order.emplace_back(index, is_descending);
    } else if (must_be_new) {
      refuse_query("sort", "'" + query.values[index].name + "' appears twice");
    }
  }

  const TableContext& table_context_;
  const expression::Context& context_;
};

}  // namespace

bool asks_for_groups(std::string_view query) {
  // Only in front of names, so that a plain list is not read twice.
  for (const std::string_view name : {"group=", "agg="}) {
    const std::size_t at = query.find(name);
    if (at != std::string_view::npos && (at == 0 || query[at - 1] == '&')) return true;
  }
  return false;
}

GroupQuery read_group_query(const TableContext& table_context, std::string_view text,
                            const expression::Context& context) {
  GroupReader reader(table_context, context);
  std::string group;
  std::string aggregates = "count";
  std::string sort;
  std::string filter;
  std::string typed;
  bool has_group = false;
  reader.query.limit = default_groups;
  for (const auto& [name, value] : parse_query(text)) {
    if (name == "group") {
      group = value;
      has_group = true;
    } else if (name == "agg") {
      aggregates = value;
    } else if (name == "sort") {
      sort = value;
    } else if (name == "filter") {
      filter = value;
    } else if (name == "q") {
      typed = value;
    } else if (name == "limit") {
      reader.query.limit = read_limit(value, max_groups);
    } else {
      refuse_query(name, "this parameter cannot be combined with group and agg");
    }
  }
  if (has_group) each_part(group, [&](std::string_view part) { reader.group(part); });
  each_part(aggregates, [&](std::string_view part) { reader.aggregate(part); });
  if (!sort.empty()) each_part(sort, [&](std::string_view part) { reader.order(part); });
  reader.complete_order();
  reader.query.filter = read_filter(table_context, filter, context);
  if (!typed.empty())
    reader.query.search = std::make_unique<Search>(
        read_search(table_context.table, typed, context,
                    search_parameter(table_context.table, reader.query.filter.get())));
  return std::move(reader.query);
}

Statement groups_statement(const TableContext& table_context, const GroupQuery& query,
                           const expression::Context& context, Visibility seen) {
  Statement statement;
  for (const GroupValue& value : query.values) {
    statement.sql.append(statement.sql.empty() ? "SELECT " : ", ").append(value.sql);
    statement.sql.append(" AS \"").append(value.member).append("\"");
  }
  const bool has_some =
      append_selection(statement, table_context, query.filter.get(), context, seen);
  if (query.search) append_is_found(statement, has_some, table_context, *query.search);
  for (std::size_t i = 0; i < query.keys; ++i)
    statement.sql.append(i == 0 ? " GROUP BY " : ", ").append(std::to_string(i + 1));
  for (std::size_t i = 0; i < query.order.size(); ++i) {
    statement.sql.append(i == 0 ? " ORDER BY " : ", ");
    statement.sql.append(std::to_string(query.order[i].first + 1));
    statement.sql += dialect::order(table_context.table.engine, query.order[i].second);
  }
  append_limit(statement, query.limit + 1);
  return statement;
}

}  // namespace tenon::records
