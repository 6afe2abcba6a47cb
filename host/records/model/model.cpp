#include "records/model/model.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "expression/parse.hpp"
#include "records/model/writable_fields.hpp"
#include "records/query/dialect.hpp"
#include "schema/ddl.hpp"
#include "schema/findings.hpp"

namespace tenon::records {

namespace {

using data::schema::Field;
using data::schema::FieldType;
using data::schema::quoted;
using expression::Purpose;

std::string column_of(const Field& field) {
  return "\"t\"." + quoted(field.name);
}

// The rules of one table, whose parameters are numbered on.
class Compiler {
 public:
  Compiler(const data::schema::Tables& tables, const data::schema::Table& table,
           data::Dialect engine, std::string pointer, data::schema::Findings& findings)
      : tables_(tables),
        table_(table),
        engine_(engine),
        pointer_(std::move(pointer)),
        findings_(findings) {}

  std::optional<Rule> rule(const std::string& text, const std::string& location) {
    if (text.empty()) return std::nullopt;
    return compile(text, location, Purpose::rule);
  }
  std::optional<Rule> compile(const std::string& text, const std::string& location,
                              Purpose purpose) {
    try {
      auto checked = expression::check(expression::parse(text), tables_, table_, purpose);
      const expression::SqlOptions options{
          .dialect = engine_, .alias = alias, .first_parameter = slots.size() + 1};
      auto sql = purpose == Purpose::value ? expression::to_sql_value(checked, options)
                                           : expression::to_sql_condition(checked, options);
      slots.insert(slots.end(), sql.slots.begin(), sql.slots.end());
      return Rule{std::move(checked), std::move(sql)};
    } catch (const base::Error& error) {
      findings_.add(pointer_ + location, error.message());
      return std::nullopt;
    }
  }
  std::vector<expression::Slot> slots;

 private:
  const data::schema::Tables& tables_;
  const data::schema::Table& table_;
  const data::Dialect engine_;
  const std::string pointer_;
  data::schema::Findings& findings_;
};

FieldModel describe(data::Dialect engine, const data::schema::Table& table, const Field& field) {
  FieldModel model;
  model.field = field;
  model.value = field.is_link() ? dialect::link_value(engine, table.name, field) : column_of(field);
  model.member = field.name;
  if (!field.pattern.empty()) {
    model.pattern = std::make_shared<const Poco::RegularExpression>(
        field.pattern, Poco::RegularExpression::RE_UTF8);
  }
  model.is_list = field.many;
  const bool is_json = field.many || field.type == FieldType::json || field.type == FieldType::blob;
  if (is_json) model.member += ":json";
  if (field.type == FieldType::boolean) model.member += ":boolean";
  model.can_sort = !is_json && field.type != FieldType::computed && !field.hidden;
  return model;
}

// Why not everybody who sees the record may see the field; empty: they may.
std::string_view protection_of(const data::schema::Tables& tables,
                               const expression::NamedField& named) {
  const data::schema::Table* table = tables.find(named.table);
  const Field* field = table ? table->find(named.field) : nullptr;
  if (!field) return {};
  if (field->hidden) return "is hidden";
  return field->rules.read.empty() ? "" : "has a 'read' rule";
}

// A computed field is seen by everybody who sees the record.
void check_reveals(const data::schema::Tables& tables, const data::schema::Table& table,
                   const Field& field, const expression::Checked& value, const std::string& pointer,
                   data::schema::Findings& findings) {
  if (field.hidden || field.reveals) return;
  for (const expression::NamedField& named : value.fields()) {
    const std::string_view protection = protection_of(tables, named);
    if (protection.empty()) continue;
    const std::string name =
        named.table == table.name ? named.field : named.table + "." + named.field;
    findings.add(pointer, "the field '" + name + "' " + std::string(protection) +
                              ", and this field shows what it holds; add \"reveals\": true where "
                              "that is meant, or \"hidden\": true");
  }
}

TableModel compile(const data::schema::Tables& tables, std::size_t index, data::Dialect engine,
                   data::schema::Findings& findings) {
  TableModel model;
  model.table = tables.tables[index];
  model.engine = engine;
  Compiler compiler(tables, model.table, engine, "/tables/" + std::to_string(index), findings);
  const auto pointer_of = [](std::size_t field, const char* key) {
    return "/fields/" + std::to_string(field) + "/" + key;
  };
  const std::vector<Field> all = model.table.all_fields();
  for (std::size_t i = 0; i < all.size(); ++i) {
    FieldModel& field = model.fields.emplace_back(describe(engine, model.table, all[i]));
    field.is_declared = i < model.table.fields.size();
    model.has_filled_in = model.has_filled_in || all[i].is_filled_in();
    if (all[i].type == FieldType::computed) {
      const auto value =
          compiler.compile(all[i].expression, pointer_of(i, "expression"), Purpose::value);
      if (!value) continue;
      check_reveals(tables, model.table, all[i], value->checked,
                    "/tables/" + std::to_string(index) + pointer_of(i, "expression"), findings);
      field.value = value->sql.text;
      field.computed = value->checked;
      if (value->checked.type() == expression::Type::boolean) field.member += ":boolean";
    }
    field.read = compiler.rule(all[i].rules.read, pointer_of(i, "rules/read"));
  }
  model.read = compiler.rule(model.table.rules.read, "/rules/read");
  model.read_slots.slots = compiler.slots;
  for (std::size_t i = 0; i < all.size(); ++i)
    model.fields[i].write = compiler.rule(all[i].rules.write, pointer_of(i, "rules/write"));
  model.create = compiler.rule(model.table.rules.create, "/rules/create");
  model.update = compiler.rule(model.table.rules.update, "/rules/update");
  model.delete_ = compiler.rule(model.table.rules.delete_, "/rules/delete");
  model.write_slots.slots = std::move(compiler.slots);
  return model;
}

void link_same_references(std::vector<TableModel>& tables) {
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t f = 0; f < tables[t].fields.size(); ++f) {
      const Field& field = tables[t].fields[f].field;
      if (field.same.empty()) continue;
      for (TableModel& target : tables) {
        if (target.table.name == field.table) target.same_references.push_back({t, f});
      }
    }
  }
}

}  // namespace

const FieldModel* TableModel::find(std::string_view name) const noexcept {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const FieldModel& one) { return one.field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

Model::Model(const data::schema::Tables& tables, data::Dialect engine, std::string_view file)
    : declared_(tables) {
  data::schema::Findings findings(file);
  for (std::size_t i = 0; i < declared_.tables.size(); ++i)
    tables_.push_back(compile(declared_, i, engine, findings));
  find_writable_fields(tables_, findings);
  link_same_references(tables_);
  findings.throw_if_any();
}

std::vector<UsedPermission> Model::used_permissions() const {
  std::vector<UsedPermission> used;
  const auto add = [&used](const std::vector<expression::Slot>& slots, const std::string& pointer) {
    for (const expression::Slot& slot : slots)
      if (slot.kind == expression::Slot::Kind::can) used.push_back({pointer, slot.permission});
  };
  const auto add_rule = [&add](const std::optional<Rule>& rule, const std::string& pointer) {
    if (rule) add(rule->sql.slots, pointer);
  };
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const TableModel& table = tables_[i];
    const std::string at = "/tables/" + std::to_string(i);
    const std::size_t before = used.size();
    for (std::size_t field = 0; field < table.fields.size(); ++field) {
      const std::string rules = at + "/fields/" + std::to_string(field) + "/rules/";
      add_rule(table.fields[field].read, rules + "read");
      add_rule(table.fields[field].write, rules + "write");
    }
    add_rule(table.read, at + "/rules/read");
    add_rule(table.create, at + "/rules/create");
    add_rule(table.update, at + "/rules/update");
    add_rule(table.delete_, at + "/rules/delete");
    // Computed fields have no rule of their own here.
    for (const expression::Slot& slot : table.write_slots.slots) {
      const bool is_known = std::any_of(
          used.begin() + static_cast<std::ptrdiff_t>(before), used.end(),
          [&slot](const UsedPermission& one) { return one.permission == slot.permission; });
      if (!is_known) add({slot}, at);
    }
  }
  return used;
}

const TableModel* Model::find(std::string_view name) const noexcept {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const TableModel& one) { return one.table.name == name; });
  return found == tables_.end() ? nullptr : &*found;
}

}  // namespace tenon::records
