#include "records/model/action.hpp"

#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "expression/check.hpp"
#include "expression/parse.hpp"
#include "jobs/cron.hpp"
#include "jobs/time_zone.hpp"
#include "records/model/field_value.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

namespace {

const TableModel& require_table(const Action& action, const Model& model) {
  if (const TableModel* table = model.find(action.table)) return *table;
  std::string names;
  for (const TableModel& table : model.tables())
    names.append(names.empty() ? "" : ", ").append(table.table.name);
  throw ActionFault{"table", "tables.json declares no table \"" + action.table + "\"" +
                                 (names.empty() ? "." : ". It declares: " + names + ".")};
}

void check_condition(const Action& action, const Model& model, const TableModel& table) {
  try {
    const auto checked = expression::check(expression::parse(action.where), model.declared(),
                                           table.table, expression::Purpose::rule);
    if (checked.type() != expression::Type::boolean)
      throw ActionFault{"where", "A condition is true or false; this is a value."};
  } catch (const base::Error& error) {
    throw ActionFault{"where", error.message()};
  }
}

void check_value(const TableModel& table, const std::string& name, const base::JsonSlice& value) {
  const std::string member = "set." + name;
  const FieldModel* field = table.find(name);
  if (field == nullptr || !field->is_declared)
    throw ActionFault{member, "The table \"" + table.table.name + "\" declares no such field."};
  if (field->computed) throw ActionFault{member, "A computed field cannot be set."};
  if (field->field.type == data::schema::FieldType::blob)
    throw ActionFault{member, "A file cannot be set here."};
  std::vector<base::FieldError> errors;
  read_value(*field, value, errors);
  if (!errors.empty()) throw ActionFault{member, errors.front().message};
}

}  // namespace

std::string Action::to_json() const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("action", kind == Kind::remove ? "delete" : "update")
      .member("table", table)
      .member("where", where);
  if (kind == Kind::update) json.key("set").raw(set);
  json.end_object();
  return text;
}

Action Action::from_json(std::string_view json) {
  base::check_json(json);
  Action action;
  base::JsonSlice(json).each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "action" && value.string() == "update") action.kind = Kind::update;
    if (name == "table") action.table = value.string();
    if (name == "where") action.where = value.string();
    if (name == "set") action.set = value.text();
  });
  return action;
}

void check_action(const Action& action, const Model& model) {
  const TableModel& table = require_table(action, model);
  check_condition(action, model, table);
  if (action.kind == Action::Kind::remove) return;
  bool has_any = false;
  base::JsonSlice(action.set)
      .each_member([&](const std::string& name, const base::JsonSlice& value) {
        check_value(table, name, value);
        has_any = true;
      });
  if (!has_any) throw ActionFault{"set", "Name at least one field and its new value."};
}

void check_times(std::string_view cron, std::string_view time_zone) {
  try {
    jobs::Cron::parse(cron);
  } catch (const base::Error& error) {
    throw ActionFault{"cron", error.message()};
  }
  try {
    jobs::TimeZone::find(time_zone);
  } catch (const base::Error& error) {
    throw ActionFault{"time_zone", error.message()};
  }
}

}  // namespace tenon::records
