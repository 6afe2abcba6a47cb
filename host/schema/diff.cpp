#include "schema/diff.hpp"

#include <algorithm>

#include "schema/conversion.hpp"
#include "schema/ddl.hpp"
#include "schema/field_text.hpp"

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

bool has_default(const Field& field) noexcept {
  return field.default_value.index() != 0;
}

// True when a value that was allowed before may be refused now.
bool is_narrower(const Field& old, const Field& now) {
  if (now.min.index() != 0 && (old.min.index() == 0 || old.min < now.min)) return true;
  if (now.max.index() != 0 && (old.max.index() == 0 || now.max < old.max)) return true;
  return now.type == FieldType::choice &&
         std::any_of(old.choices.begin(), old.choices.end(), [&](const std::string& choice) {
           return std::find(now.choices.begin(), now.choices.end(), choice) == now.choices.end();
         });
}

bool is_described_alike(const Table& old, const Table& now) {
  return old.description == now.description && old.publish == now.publish &&
         old.anonymous == now.anonymous && old.rules == now.rules;
}

class TableDiff {
 public:
  TableDiff(Catalog& catalog, const Table* stored, const Table& declared, const Renames& renames,
            Moment moment, Plan& plan)
      : catalog_(catalog),
        declared_(declared),
        renames_(renames),
        in_file_(renames.table_in_file(declared.name)),
        moment_(moment),
        plan_(plan),
        fields_(declared.all_fields()) {
    if (stored) stored_ = stored->all_fields();
    if (in_file_ != declared.name)
      step(StepKind::rename_table, "", "rename table " + in_file_ + " to " + declared.name);
    if (stored && !is_described_alike(*stored, declared))
      step(StepKind::describe, "", "describe table " + declared.name, Phase::expand);
  }

  void run() {
    auto actual = catalog_.read_table(in_file_);
    if (!actual) {
      if (moment_ == Moment::after_migrations) {
        refuse("",
               "the table is missing after the migrations; they must not drop it while tables.json "
               "declares it");
      } else {
        step(StepKind::create_table, "",
             "create table " + declared_.name + " (" + std::to_string(fields_.size()) +
                 (fields_.size() == 1 ? " field)" : " fields)"),
             Phase::expand);
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
    read_source();
    drop_indexes();
    for (const Field& field : fields_)
      compare(field);
    refuse_undeclared();
    add_indexes();
  }

 private:
  void step(StepKind kind, std::string field, std::string text, Phase phase = Phase::none) {
    plan_.steps.push_back({kind, declared_.name, std::move(field), std::move(text), phase});
  }
  void refuse(std::string field, std::string reason, std::optional<StepKind> kind = std::nullopt) {
    auto& list =
        moment_ == Moment::planning_with_migrations ? plan_.deferred_refusals : plan_.refusals;
    list.push_back({declared_.name, std::move(field), std::move(reason), kind});
  }
  std::int64_t count(const std::string& sql) { return catalog_.number(sql); }
  std::int64_t count_where(const std::string& condition) {
    return count("SELECT count(*) FROM " + source_ + " WHERE " + condition);
  }
  std::int64_t rows() { return count("SELECT count(*) FROM " + quoted(in_file_)); }
  std::string path(const Field& field) const { return declared_.name + "." + field.name; }
  std::string in_file(const Field& field) const {
    return std::string(renames_.field_in_file(declared_.name, field.name));
  }
  std::string link_in_file(const Field& field) const {
    return link_table(in_file_, in_file(field));
  }

  // True where applying converts the values, in this plan.
  bool is_rebuilt(const Field* old, const Field& field) const {
    return moment_ != Moment::after_migrations && old && old->has_column() &&
           conversion_of(*old, field) == Conversion::rebuild;
  }

  // The records under the declared names and with converted values, whatever the file has.
  void read_source() {
    source_ = "(SELECT \"rowid\", \"id\"";
    for (const Field& field : fields_) {
      const ActualColumn* column = actual_.find(in_file(field));
      if (!column || !field.has_column()) continue;
      const Field* old = find_in(stored_, field.name);
      const std::string value = quoted(column->name);
      source_ += ", " +
                 (is_rebuilt(old, field) ? catalog_.converted_sql(*old, field, value) : value) +
                 " AS " + quoted(field.name);
    }
    source_ += " FROM " + quoted(in_file_) + ") AS \"source\"";
  }

  void compare(const Field& field) {
    const Field* old = find_in(stored_, field.name);
    if (const auto name = in_file(field); name != field.name) {
      step(StepKind::rename_field, field.name,
           "rename field " + declared_.name + "." + name + " to " + field.name);
    }
    if (field.is_link()) return compare_link(old, field);
    if (field.type == FieldType::computed) return compare_computed(old, field);
    const ActualColumn* column = actual_.find(in_file(field));
    if (!column) return add(field);
    const auto conversion = old ? conversion_of(*old, field) : Conversion::none;
    if (is_rebuilt(old, field)) return rebuild(*old, field);
    if (column->storage != catalog_.storage_of(field.type) ||
        (conversion == Conversion::lossy && moment_ != Moment::after_migrations)) {
      refuse(field.name, "the type cannot change from " +
                             (old ? kind_text(*old) : column->storage) + " to " + kind_text(field) +
                             "; copy the values into a new field in a numbered migration");
      return;
    }
    if (old && is_alike(*old, field)) return;
    // No column's text contains what SQLite cannot check of many choices.
    if (old && conversion == Conversion::none &&
        catalog_.column_sql(*old) == catalog_.column_sql(field) &&
        !(field.many && is_narrower(*old, field))) {
      describe_change(*old, field);
      return;
    }
    compare_constraints(
        conversion == Conversion::none || conversion == Conversion::in_place ? old : nullptr,
        field);
  }

  // Former names are no change of what there is.
  static bool is_alike(Field old, const Field& field) {
    old.formerly = field.formerly;
    return old == field;
  }

  void describe_change(Field old, const Field& field) {
    // Indexes are steps of their own.
    old.unique = field.unique;
    old.indexed = field.indexed;
    if (!is_alike(old, field))
      step(StepKind::describe, field.name, "describe field " + path(field), Phase::expand);
  }

  void add(const Field& field) {
    if (moment_ == Moment::after_migrations) {
      refuse(field.name,
             "the field is missing after the migrations; they must not drop it while tables.json "
             "declares it");
      return;
    }
    step(StepKind::add_field, field.name, "add field " + path(field) + " (" + describe(field) + ")",
         may_be_left_out(field) ? Phase::expand : Phase::none);
    if (field.required && !has_default(field) && rows() != 0) {
      refuse(field.name,
             "the new field is required and " + count_of(rows()) +
                 " would be without it; give it a default, or fill it in a numbered migration");
    }
    if (field.unique && has_default(field) && rows() > 1) {
      refuse(field.name,
             "the new field is unique and " + count_of(rows()) + " would share its default");
    }
  }

  void compare_computed(const Field* old, const Field& field) {
    if (old && old->type == FieldType::computed) return describe_change(*old, field);
    step(StepKind::add_field, field.name, "add field " + path(field) + " (" + describe(field) + ")",
         Phase::expand);
  }

  void rebuild(const Field& old, const Field& field) {
    const auto loss = catalog_.loss_sql(old, field, quoted(in_file(field)));
    if (!loss.empty()) {
      const auto lost = count("SELECT count(*) FROM " + quoted(in_file_) + " WHERE " + loss);
      if (lost != 0) {
        refuse(field.name, "as a " + kind_text(field) + " " + count_of(lost) +
                               " would lose digits; see to them in a numbered migration");
        return;
      }
    }
    if (!field.is_link() && !holds(nullptr, field)) return;
    step(StepKind::rebuild, field.name,
         "rebuild field " + path(field) + " (from " + kind_text(old) + " to " + describe(field) +
             ")");
  }

  // Returns whether the rows satisfy the new parts of the constraints.
  bool holds(const Field* old, const Field& field) {
    const std::string name = quoted(field.name);
    if (field.required) {
      if (const auto empty = count_where(name + " IS NULL"); empty != 0) {
        refuse(field.name, "the field is required now and " + count_of(empty) +
                               " have no value; fill them in a numbered migration");
        return false;
      }
    }
    std::string broken_if;
    if (const auto check = catalog_.check_sql(field);
        !check.empty() && (!old || check != catalog_.check_sql(*old)))
      broken_if = "NOT (" + check + ")";
    if (field.type == FieldType::choice && field.many && (!old || is_narrower(*old, field))) {
      broken_if += (broken_if.empty() ? "" : " OR ") + catalog_.has_other_choice_sql(field, name);
    }
    if (!broken_if.empty()) {
      if (const auto broken = count_where(broken_if); broken != 0) {
        refuse(field.name,
               count_of(broken) +
                   " would break the new bounds of the field; change them in a numbered migration");
        return false;
      }
    }
    return !field.refers_to_own() || (old && old->table == field.table) ||
           none_dangles(field, source_, name);
  }

  bool none_dangles(const Field& field, const std::string& from, const std::string& column) {
    const std::string target(renames_.table_in_file(field.table));
    const auto condition =
        column + " IS NOT NULL" +
        (catalog_.read_table(target)
             ? " AND " + column + " NOT IN (SELECT \"id\" FROM " + quoted(target) + ")"
             : "");
    const auto dangling = count("SELECT count(*) FROM " + from + " WHERE " + condition);
    if (dangling != 0) {
      refuse(field.name, count_of(dangling) + " refer to none of the table " + field.table +
                             "; change them in a numbered migration");
    }
    return dangling == 0;
  }

  void compare_constraints(const Field* old, const Field& field) {
    if (!holds(old, field)) return;
    const bool is_tighter = !old || (field.required && !old->required) || is_narrower(*old, field);
    const bool is_wider = old && ((old->required && !field.required) ||
                                  catalog_.check_sql(*old) != catalog_.check_sql(field));
    const auto kind = is_tighter ? StepKind::tighten
                      : is_wider ? StepKind::widen
                                 : StepKind::redefine;
    step(kind, field.name,
         std::string(name_of(kind)) + " field " + path(field) + " (" + describe(field) + ")",
         phase_of(kind, old, field));
  }

  // Returns the phase of a change of bounds alone: wider ones disturb no version, and narrower ones
  // can wait if all values that they allow are allowed already.
  static Phase phase_of(StepKind kind, const Field* old, const Field& field) {
    if (kind == StepKind::describe) return Phase::expand;
    if (!old || old->type != field.type || old->many != field.many || old->table != field.table ||
        old->on_delete != field.on_delete || old->default_value != field.default_value)
      return Phase::none;
    if (kind == StepKind::widen) return Phase::expand;
    const bool is_wider = (old->required && !field.required) || is_narrower(field, *old);
    return kind == StepKind::tighten && !is_wider ? Phase::contract : Phase::none;
  }

  void compare_link(const Field* old, const Field& field) {
    const auto link = link_in_file(field);
    if (link_table(declared_.name, field.name).size() > catalog_.max_name()) {
      refuse(field.name, "the names of the table and the field together are longer than " +
                             std::to_string(catalog_.max_name() - 2) +
                             " characters, which is what this database takes; shorten one");
      return;
    }
    if (!catalog_.is_link_table(link)) {
      if (catalog_.read_table(link)) {
        refuse(field.name,
               "a table " + link +
                   " exists in another form; rename or drop it in a numbered migration");
      } else if (is_rebuilt(old, field) && actual_.find(in_file(field))) {
        rebuild_to_link(*old, field);
      } else {
        add(field);
      }
      return;
    }
    if (old && is_alike(*old, field)) return;
    const bool was_link = old && old->is_link();
    if (field.required && !(was_link && old->required) && !none_is_without(field, link)) return;
    const bool leads_elsewhere = !was_link || old->table != field.table;
    if (field.refers_to_own() && leads_elsewhere &&
        !none_dangles(field, quoted(link), "\"target\""))
      return;
    if (was_link && conversion_of(*old, field) == Conversion::lossy &&
        moment_ != Moment::after_migrations) {
      refuse(field.name, "the type cannot change from " + kind_text(*old) + " to " +
                             kind_text(field) +
                             "; copy the values into a new field in a numbered migration");
      return;
    }
    const bool is_tighter = !was_link || (field.required && !old->required);
    const bool is_wider = was_link && old->required && !field.required;
    const bool is_redefined = was_link && catalog_.create_link_sql(declared_.name, *old) !=
                                              catalog_.create_link_sql(declared_.name, field);
    const auto kind = is_tighter     ? StepKind::tighten
                      : is_wider     ? StepKind::widen
                      : is_redefined ? StepKind::redefine
                                     : StepKind::describe;
    step(kind, field.name,
         std::string(name_of(kind)) + " field " + path(field) +
             (kind == StepKind::describe ? "" : " (" + describe(field) + ")"),
         phase_of(kind, was_link ? old : nullptr, field));
  }

  void rebuild_to_link(const Field& old, const Field& field) {
    if (field.required) {
      const auto empty = count("SELECT count(*) FROM " + quoted(in_file_) + " WHERE " +
                               quoted(in_file(field)) + " IS NULL");
      if (empty != 0) {
        refuse(field.name, "the field is required now and " + count_of(empty) +
                               " have no value; fill them in a numbered migration");
        return;
      }
    }
    rebuild(old, field);
  }

  bool none_is_without(const Field& field, const std::string& link) {
    const auto empty = count("SELECT count(*) FROM " + quoted(in_file_) +
                             " AS owner WHERE NOT EXISTS (SELECT 1 FROM " + quoted(link) +
                             " AS link WHERE link.\"record\" = owner.\"id\")");
    if (empty != 0) {
      refuse(field.name, "the field is required now and " + count_of(empty) +
                             " have no value; fill them in a numbered migration");
    }
    return empty == 0;
  }

  void refuse_drop(const std::string& name, std::int64_t filled, const std::string& what) {
    refuse(name,
           "the field is not declared any more and " + count_of(filled) +
               " would lose it; declare it, or drop the " + what + " in a numbered migration",
           StepKind::drop_field);
  }

  void refuse_undeclared() {
    for (const auto& column : actual_.columns) {
      if (column.name == "rowid" || column.name == "id") continue;
      const auto name = std::string(renames_.field_declared(declared_.name, column.name));
      const Field* field = find_in(fields_, name);
      if (field && field->has_column()) continue;
      if (field && is_rebuilt(find_in(stored_, name), *field)) continue;
      refuse_drop(column.name,
                  count("SELECT count(" + quoted(column.name) + ") FROM " + quoted(in_file_)),
                  "column");
    }
    for (const Field& old : stored_) {
      const Field* now = find_in(fields_, old.name);
      if (old.type == FieldType::computed && !now && moment_ != Moment::after_migrations)
        step(StepKind::drop_field, old.name, "drop field " + path(old) + " (computed)",
             Phase::expand);
      if (!old.is_link() || (now && now->is_link())) continue;
      const auto link = link_in_file(old);
      if (!catalog_.is_link_table(link)) continue;
      refuse_drop(old.name, count("SELECT count(DISTINCT \"record\") FROM " + quoted(link)),
                  "table " + link_table(declared_.name, old.name));
    }
  }

  // The indexes of the file under the names that they would have after renaming.
  std::vector<std::string> existing_indexes() {
    auto names = catalog_.read_planned_indexes(in_file_);
    for (auto& name : names) {
      auto fields = catalog_.read_index_fields(name);
      for (auto& field : fields)
        field = renames_.field_declared(declared_.name, field);
      name = index_name(declared_.name, fields, name.starts_with(unique_prefix));
    }
    return names;
  }

  void drop_indexes() {
    const auto planned = planned_indexes(declared_);
    for (const auto& name : existing_indexes()) {
      const bool stays = std::any_of(planned.begin(), planned.end(),
                                     [&](const auto& one) { return one.name == name; });
      if (!stays) step(StepKind::drop_index, "", "drop index " + name, phase_of_drop(name));
    }
  }

  // Values that must not be twice would hold up a version that does not know of that, unless it
  // leaves one of the fields empty.
  Phase phase_of_drop(const std::string& name) {
    if (!name.starts_with(unique_prefix)) return Phase::contract;
    const auto names = catalog_.read_index_fields(name);
    const bool has_gone = std::any_of(names.begin(), names.end(),
                                      [&](const auto& one) { return !find_in(fields_, one); });
    return has_gone ? Phase::contract : Phase::none;
  }

  void add_indexes() {
    const auto existing = existing_indexes();
    for (const auto& index : planned_indexes(declared_)) {
      if (std::find(existing.begin(), existing.end(), index.name) != existing.end()) continue;
      std::string fields;
      std::string columns;
      bool are_all_there = true;
      bool is_left_open = false;  // by who does not know all of it
      std::string are_set;
      for (const auto& field : index.fields) {
        fields.append(fields.empty() ? "" : ", ").append(field);
        columns.append(columns.empty() ? "" : ", ").append(quoted(field));
        are_set.append(are_set.empty() ? "" : " AND ").append(quoted(field)).append(" IS NOT NULL");
        const bool is_there =
            actual_.find(renames_.field_in_file(declared_.name, field)) != nullptr;
        const Field* known = find_in(fields_, field);
        are_all_there = are_all_there && is_there;
        is_left_open = is_left_open || (!is_there && known && !has_default(*known));
      }
      if (index.unique && are_all_there) {
        const auto doubles =
            count("SELECT count(*) FROM (SELECT 1 FROM " + source_ + " WHERE " + are_set +
                  " GROUP BY " + columns + " HAVING count(*) > 1) AS \"doubled\"");
        if (doubles != 0) {
          refuse(fields, std::to_string(doubles) + " values of (" + fields +
                             ") occur in more than one record and are to be unique; change them in "
                             "a numbered migration");
          continue;
        }
      }
      step(StepKind::add_index, fields,
           std::string(index.unique ? "add unique index on " : "add index on ") + declared_.name +
               " (" + fields + ")",
           index.unique && !is_left_open ? Phase::none : Phase::expand);
    }
  }

  Catalog& catalog_;
  const Table& declared_;
  const Renames& renames_;
  const std::string in_file_;
  const Moment moment_;
  Plan& plan_;
  const std::vector<Field> fields_;
  std::vector<Field> stored_;
  ActualTable actual_;
  std::string source_;
};

}  // namespace

void add_differences(Catalog& catalog, const Tables& stored, const Tables& declared,
                     const Renames& renames, Moment moment, Plan& plan) {
  for (const Table& table : declared.tables)
    TableDiff(catalog, stored.find(table.name), table, renames, moment, plan).run();
  auto& refusals =
      moment == Moment::planning_with_migrations ? plan.deferred_refusals : plan.refusals;
  for (const Table& table : stored.tables) {
    if (declared.find(table.name) || !catalog.read_table(table.name)) continue;
    const auto rows = catalog.number("SELECT count(*) FROM " + quoted(table.name));
    refusals.push_back({table.name, "",
                        "the table is not declared any more and " + count_of(rows) +
                            " would be lost; declare it, or drop it in a numbered migration",
                        StepKind::drop_table});
  }
}

}  // namespace tenon::data::schema
