#include "records/model/writable_fields.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tenon::records {

namespace {

using data::schema::FieldType;

// Pairs of table and field.
using FieldNames = std::set<std::pair<std::string, std::string>>;

bool reads(const std::optional<Rule>& rule, const TableModel& table, const FieldModel& field) {
  if (!rule) return false;
  const auto& fields = rule->checked.fields();
  return std::any_of(fields.begin(), fields.end(), [&](const expression::NamedField& named) {
    return named.table == table.table.name && named.field == field.field.name;
  });
}

void add_fields(FieldNames& names, const std::optional<Rule>& rule, std::string_view but = {}) {
  if (!rule) return;
  for (const expression::NamedField& named : rule->checked.fields()) {
    if (named.table != but) names.emplace(named.table, named.field);
  }
}

FieldNames fields_of_rules(const std::vector<TableModel>& tables) {
  FieldNames names;
  for (const TableModel& table : tables) {
    for (const auto* rule : {&table.read, &table.update, &table.delete_})
      add_fields(names, *rule);
    add_fields(names, table.create, table.table.name);
    for (const FieldModel& field : table.fields) {
      add_fields(names, field.read);
      add_fields(names, field.write);
    }
  }
  return names;
}

// Whether a rule is asked about every value that is written to the field.
bool is_checked(const TableModel& table, const FieldModel& field) {
  if (field.write) return true;
  return (!table.create || reads(table.create, table, field)) &&
         (!table.update || reads(table.update, table, field));
}

}  // namespace

void find_writable_fields(std::vector<TableModel>& tables, data::schema::Findings& findings) {
  const FieldNames names = fields_of_rules(tables);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t f = 0; f < tables[t].fields.size(); ++f) {
      FieldModel& field = tables[t].fields[f];
      const bool is_in_rule = names.contains({tables[t].table.name, field.field.name});
      if (field.field.writable && !field.field.hidden && !is_in_rule) {
        findings.add("/tables/" + std::to_string(t) + "/fields/" + std::to_string(f) + "/writable",
                     "the field is neither hidden nor read by a rule, so it can be written anyway; "
                     "leave 'writable' out");
      }
      if (!field.is_declared || field.field.read_only || field.field.type == FieldType::computed)
        continue;
      field.is_writable = field.field.writable ||
                          (!field.field.hidden && (!is_in_rule || is_checked(tables[t], field)));
    }
  }
}

}  // namespace tenon::records
