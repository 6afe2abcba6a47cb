#include "expression/sql.hpp"

#include <cassert>
#include <utility>

#include "expression/sql_writer.hpp"

namespace tenon::expression {

namespace {

data::Cell cell_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

}  // namespace

Sql to_sql_condition(const Checked& checked, const SqlOptions& options) {
  assert(checked.type() == Type::boolean);
  SqlWriter writer(options);
  Sql sql;
  sql.text = writer.condition(checked.root(), false);
  sql.slots = writer.take_slots();
  return sql;
}

Sql to_sql_value(const Checked& checked, const SqlOptions& options) {
  SqlWriter writer(options);
  Sql sql;
  sql.text = writer.value(checked.root());
  sql.slots = writer.take_slots();
  return sql;
}

void append_cells(const Sql& sql, const Context& context, std::vector<data::Cell>& cells) {
  for (const Slot& slot : sql.slots) {
    switch (slot.kind) {
      case Slot::Kind::constant:
        cells.push_back(cell_of(slot.constant));
        break;
      case Slot::Kind::user:
        cells.push_back(context.user() ? data::Cell(*context.user()) : data::Cell());
        break;
      case Slot::Kind::groups:
        cells.emplace_back(context.groups_json());
        break;
      case Slot::Kind::now:
        cells.emplace_back(context.now());
        break;
      case Slot::Kind::today:
        cells.emplace_back(context.today());
        break;
      case Slot::Kind::days_ago:
        cells.emplace_back(context.days_ago(std::get<std::int64_t>(slot.constant)));
        break;
      case Slot::Kind::can:
        cells.emplace_back(context.can(slot.permission) ? 1 : 0);
        break;
    }
  }
}

}  // namespace tenon::expression
