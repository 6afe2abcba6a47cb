#include "data/schema/diff.hpp"

#include <algorithm>

#include "data/schema/catalog.hpp"
#include "data/schema/ddl.hpp"
#include "data/schema/field_text.hpp"
#include "data/sql.hpp"

namespace tenon::data::schema {

namespace {

std::string count_of(std::int64_t records) {
  return records == 1 ? "1 record" : std::to_string(records) + " records";
}

const Field* find_in(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& one) { return one.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// True when a value that was allowed before may be refused now.
bool is_narrower(const Field& old, const Field& now) {
  if (now.min.index() != 0 && (old.min.index() == 0 || old.min < now.min)) return true;
  if (now.max.index() != 0 && (old.max.index() == 0 || now.max < old.max)) return true;
  return std::any_of(old.choices.begin(), old.choices.end(), [&](const std::string& choice) {
    return std::find(now.choices.begin(), now.choices.end(), choice) == now.choices.end();
  });
}

class TableDiff {
 public:
  TableDiff(Connection& connection, const Table* stored, const Table& declared, Moment moment,
            Plan& plan)
      : connection_(connection),
        declared_(declared),
        moment_(moment),
        plan_(plan),
        fields_(declared.all_fields()) {
    if (stored) stored_ = stored->all_fields();
    if (stored && stored->description != declared.description)
      step(StepKind::describe, "", "describe table " + declared.name);
  }

  void run() {
    auto actual = read_table(connection_, declared_.name);
    if (!actual) {
      if (moment_ == Moment::after_migrations) {
        refuse("",
               "the table is missing after the migrations; they must not drop it while tables.json "
               "declares it");
      } else {
        step(StepKind::create_table, "",
             "create table " + declared_.name + " (" + std::to_string(fields_.size()) + " fields)");
      }
      return;
    }
    actual_ = *actual;
    if (!actual_.has_our_shape) {
      refuse(
          "",
          "a table of this name exists in another form; rename or drop it in a numbered migration");
      return;
    }
    drop_indexes();
    for (const Field& field : fields_)
      compare(field);
    for (const auto& column : actual_.columns) {
      if (column.name == "rowid" || column.name == "id" || find_in(fields_, column.name)) continue;
      const auto filled =
          count("SELECT count(" + quoted(column.name) + ") FROM " + quoted(declared_.name));
      refuse(column.name,
             "the field is not declared any more and " + count_of(filled) +
                 " would lose it; declare it, or drop the column in a numbered migration");
    }
    add_indexes();
  }

 private:
  void step(StepKind kind, std::string field, std::string text) {
    plan_.steps.push_back({kind, declared_.name, std::move(field), std::move(text)});
  }
  void refuse(std::string field, std::string reason) {
    auto& list =
        moment_ == Moment::planning_with_migrations ? plan_.left_to_migrations : plan_.refusals;
    list.push_back({declared_.name, std::move(field), std::move(reason)});
  }
  std::int64_t count(const std::string& sql) { return Sql::number(connection_, sql); }
  std::int64_t count_where(const std::string& condition) {
    return count("SELECT count(*) FROM " + quoted(declared_.name) + " WHERE " + condition);
  }
  std::string path(const Field& field) const { return declared_.name + "." + field.name; }

  void add(const Field& field) {
    if (moment_ == Moment::after_migrations) {
      refuse(field.name,
             "the field is missing after the migrations; they must not drop it while tables.json "
             "declares it");
      return;
    }
    step(StepKind::add_field, field.name,
         "add field " + path(field) + " (" + describe(field) + ")");
    const bool has_default = field.default_value.index() != 0;
    const auto rows = count("SELECT count(*) FROM " + quoted(declared_.name));
    if (field.required && !has_default && rows != 0) {
      refuse(field.name,
             "the new field is required and " + count_of(rows) +
                 " would be without it; give it a default, or fill it in a numbered migration");
    }
    if (field.unique && has_default && rows > 1) {
      refuse(field.name,
             "the new field is unique and " + count_of(rows) + " would share its default");
    }
  }

  void compare(const Field& field) {
    const ActualColumn* column = actual_.find(field.name);
    if (!column) return add(field);
    const Field* old = find_in(stored_, field.name);
    if (column->storage != storage_of(field.type)) {
      refuse(field.name, "the type cannot change from " +
                             (old ? std::string(name_of(old->type)) : column->storage) + " to " +
                             std::string(name_of(field.type)) +
                             "; copy the values into a new field in a numbered migration");
      return;
    }
    if (old && *old == field) return;
    if (old && old->type != field.type && field.type != FieldType::text &&
        moment_ != Moment::after_migrations) {
      refuse(field.name, "the type cannot change from " + std::string(name_of(old->type)) + " to " +
                             std::string(name_of(field.type)) +
                             " without a numbered migration that sees to the values");
      return;
    }
    if (old && column_sql(*old) == column_sql(field)) {
      describe_change(*old, field);
      return;
    }
    compare_constraints(old, field);
  }

  void describe_change(Field old, const Field& field) {
    // Indexes are steps of their own.
    old.unique = field.unique;
    old.indexed = field.indexed;
    if (old != field) step(StepKind::describe, field.name, "describe field " + path(field));
  }

  void compare_constraints(const Field* old, const Field& field) {
    const std::string name = quoted(field.name);
    if (field.required) {
      if (const auto empty = count_where(name + " IS NULL"); empty != 0) {
        refuse(field.name, "the field is required now and " + count_of(empty) +
                               " have no value; fill them in a numbered migration");
        return;
      }
    }
    if (const auto check = check_sql(field); !check.empty() && (!old || check != check_sql(*old))) {
      if (const auto broken = count_where("NOT (" + check + ")"); broken != 0) {
        refuse(field.name,
               count_of(broken) +
                   " would break the new bounds of the field; change them in a numbered migration");
        return;
      }
    }
    if (field.type == FieldType::reference && (!old || old->table != field.table)) {
      const auto dangling =
          read_table(connection_, field.table)
              ? count_where(name + " IS NOT NULL AND " + name + " NOT IN (SELECT \"id\" FROM " +
                            quoted(field.table) + ")")
              : count_where(name + " IS NOT NULL");
      if (dangling != 0) {
        refuse(field.name, count_of(dangling) + " refer to none of the table " + field.table +
                               "; change them in a numbered migration");
        return;
      }
    }
    const bool is_tighter = !old || (field.required && !old->required) || is_narrower(*old, field);
    const bool is_wider =
        old && ((old->required && !field.required) || check_sql(*old) != check_sql(field));
    const auto kind = is_tighter ? StepKind::tighten
                      : is_wider ? StepKind::widen
                                 : StepKind::redefine;
    const char* verb = is_tighter ? "tighten" : is_wider ? "widen" : "redefine";
    step(kind, field.name,
         std::string(verb) + " field " + path(field) + " (" + describe(field) + ")");
  }

  void drop_indexes() {
    const auto planned = planned_indexes(declared_);
    for (const auto& name : read_planned_indexes(connection_, declared_.name)) {
      const bool stays = std::any_of(planned.begin(), planned.end(),
                                     [&](const auto& one) { return one.name == name; });
      if (!stays) step(StepKind::drop_index, "", "drop index " + name);
    }
  }

  void add_indexes() {
    const auto existing = read_planned_indexes(connection_, declared_.name);
    for (const auto& index : planned_indexes(declared_)) {
      if (std::find(existing.begin(), existing.end(), index.name) != existing.end()) continue;
      std::string fields;
      std::string columns;
      bool are_all_there = true;
      std::string are_set;
      for (const auto& field : index.fields) {
        fields.append(fields.empty() ? "" : ", ").append(field);
        columns.append(columns.empty() ? "" : ", ").append(quoted(field));
        are_set.append(are_set.empty() ? "" : " AND ").append(quoted(field)).append(" IS NOT NULL");
        are_all_there = are_all_there && actual_.find(field);
      }
      if (index.unique && are_all_there) {
        const auto doubles =
            count("SELECT count(*) FROM (SELECT 1 FROM " + quoted(declared_.name) + " WHERE " +
                  are_set + " GROUP BY " + columns + " HAVING count(*) > 1)");
        if (doubles != 0) {
          refuse(fields, std::to_string(doubles) + " values of (" + fields +
                             ") stand in more than one record and are to be unique; change them in "
                             "a numbered migration");
          continue;
        }
      }
      step(StepKind::add_index, fields,
           std::string(index.unique ? "add unique index on " : "add index on ") + declared_.name +
               " (" + fields + ")");
    }
  }

  Connection& connection_;
  const Table& declared_;
  const Moment moment_;
  Plan& plan_;
  const std::vector<Field> fields_;
  std::vector<Field> stored_;
  ActualTable actual_;
};

}  // namespace

void add_differences(Connection& connection, const Tables& stored, const Tables& declared,
                     Moment moment, Plan& plan) {
  for (const Table& table : declared.tables) {
    TableDiff(connection, stored.find(table.name), table, moment, plan).run();
  }
  for (const Table& table : stored.tables) {
    if (declared.find(table.name) || !read_table(connection, table.name)) continue;
    const auto rows = Sql::number(connection, "SELECT count(*) FROM " + quoted(table.name));
    auto& list =
        moment == Moment::planning_with_migrations ? plan.left_to_migrations : plan.refusals;
    list.push_back({table.name, "",
                    "the table is not declared any more and " + count_of(rows) +
                        " would be lost; declare it, or drop it in a numbered migration"});
  }
}

}  // namespace tenon::data::schema
