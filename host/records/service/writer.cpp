#include "records/service/writer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "base/problem.hpp"
#include "data/sql_error.hpp"
#include "records/api/change_text.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/model/field_value.hpp"
#include "records/model/same_parent.hpp"
#include "records/query/columns.hpp"
#include "records/query/dialect.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

using data::schema::Field;
using data::schema::quoted;

// Names and cells of an INSERT or UPDATE.
struct Columns {
  std::vector<std::string> names;
  std::vector<data::Cell> cells;

  void add(std::string_view name, data::Cell cell) {
    names.push_back(quoted(name));
    cells.push_back(cell);
  }
  void add(const Body& body) {
    for (const Change& change : body.changes) {
      if (change.field->field.has_column()) add(change.field->field.name, cell_of(change.value));
    }
  }
};

base::Error forbidden(std::string_view what, std::vector<base::FieldError> fields = {}) {
  return {403, "records.forbidden", "You may not " + std::string(what) + ".", std::move(fields)};
}

}  // namespace

Conflict::Conflict(std::string record)
    : base::Error(412, "records.conflict",
                  "The record was changed meanwhile. Look at what it is now and try again."),
      record_(std::move(record)) {}

std::string Conflict::problem(std::string_view request_id) const {
  std::string problem = base::problem_json(*this, request_id);
  problem.back() = ',';
  return problem.append("\"record\":").append(record_).append("}");
}

void Writer::run(const std::string& sql, const std::vector<data::Cell>& cells) {
  try {
    transaction_.exec(sql, cells);
  } catch (const data::SqlError& error) {
    if (error.code() != "data.unique") throw;
    for (const base::FieldError& field : error.fields()) {
      if (field.field == "id")
        throw base::Error(409, "records.exists", "There is a record with this id already.");
    }
    throw invalid(error.fields());
  }
}

std::string Writer::read(std::string_view id) {
  const Visibility seen = seen_records(table_.read, context_, "read this record");
  const Statement record = record_statement(table_, shown_fields(table_), context_, seen, id);
  data::JsonText text;
  transaction_.query(record.sql, record.cells).append_json(data::JsonShape::row, text);
  return std::string(text.view());
}

std::string Writer::show(std::string_view id) {
  std::string record;
  try {
    record = read(id);
  } catch (const base::Error& error) {
    if (error.status() != 403 && error.status() != 401) throw;
  }
  if (record.empty()) base::JsonWriter(record).begin_object().member("id", id).end_object();
  return record;
}

bool Writer::is_visible(const TableModel& table, std::string_view id) {
  if (!table.read) return false;
  std::vector<data::Cell> cells;
  expression::append_cells(table.read_slots, context_, cells);
  cells.emplace_back(id);
  std::string sql = "SELECT 1";
  append_from(sql, table);
  sql.append(" WHERE ").append(table.read->sql.text).append(" AND \"t\".\"id\" = ?");
  sql += std::to_string(cells.size());
  return transaction_.query(sql, cells).next();
}

std::vector<base::FieldError> Writer::find_errors(const Body& body) {
  std::vector<base::FieldError> errors = body.errors;
  for (const Change& change : body.changes) {
    const Field& field = change.field->field;
    if (!field.refers_to_own()) continue;
    const TableModel& target = *table_context_.model->find(field.table);
    bool is_sound = true;
    if (const auto* id = std::get_if<std::string>(&change.value); id)
      is_sound = is_visible(target, *id);
    for (const std::string& member : change.members)
      is_sound = is_sound && is_visible(target, member);
    if (!is_sound)
      errors.push_back(
          {field.name, "reference", "There is no such record, or it is not yours to see."});
  }
  return errors;
}

void Writer::write_links(std::string_view id, const Body& body, bool is_new) {
  for (const Change& change : body.changes) {
    const Field& field = change.field->field;
    if (!field.is_link()) continue;
    const std::string link = quoted(data::schema::link_table(table_.table.name, field.name));
    if (!is_new) run("DELETE FROM " + link + " WHERE \"record\" = ?1", {id});
    const std::string insert =
        "INSERT INTO " + link + " (\"record\", \"target\", \"position\") VALUES (?1, ?2, ?3)";
    for (std::size_t i = 0; i < change.members.size(); ++i)
      run(insert, {id, change.members[i], i});
  }
}

std::optional<std::vector<bool>> Writer::ask(std::string_view id,
                                             const std::vector<const Rule*>& rules,
                                             bool must_be_seen) {
  std::vector<data::Cell> cells;
  expression::append_cells(table_.write_slots, context_, cells);
  cells.emplace_back(id);
  std::string sql = "SELECT 1";
  for (const Rule* rule : rules)
    sql.append(", CASE WHEN ").append(rule->sql.text).append(" THEN 1 ELSE 0 END");
  append_from(sql, table_);
  sql.append(" WHERE ");
  if (must_be_seen) sql.append(table_.read->sql.text).append(" AND ");
  sql.append("\"t\".\"id\" = ?").append(std::to_string(cells.size()));
  data::Rows rows = transaction_.query(sql, cells);
  if (!rows.next()) return std::nullopt;
  std::vector<bool> results;
  for (std::size_t i = 0; i < rules.size(); ++i)
    results.push_back(rows.boolean(static_cast<int>(i) + 1));
  return results;
}

namespace {

// The rules of fields that a change must satisfy, in order. An increment needs `read` too: its
// errors say how large the stored number is.
template <typename Take>
void each_rule(const Body& body, const Take& take) {
  for (const Change& change : body.changes) {
    if (change.field->write && !change.is_default) take(change, *change.field->write);
    if (change.field->read && change.is_increment) take(change, *change.field->read);
  }
}

std::vector<const Rule*> rules_of(const Rule& rule, const Body* body) {
  std::vector<const Rule*> rules{&rule};
  if (body) each_rule(*body, [&](const Change&, const Rule& one) { rules.push_back(&one); });
  return rules;
}

void require(const std::vector<bool>& results, const Body* body, std::string_view what) {
  if (!results[0]) throw forbidden(what);
  if (!body) return;
  std::vector<base::FieldError> fields;
  std::size_t at = 1;
  each_rule(*body, [&](const Change& change, const Rule&) {
    const std::string& name = change.field->field.name;
    if (!results[at++] && (fields.empty() || fields.back().field != name))
      fields.push_back({name, "forbidden", "You may not set this field."});
  });
  if (!fields.empty()) throw forbidden("set these fields", std::move(fields));
}

}  // namespace

void Writer::check_before(std::string_view id, const std::optional<Rule>& rule, const Body* body,
                          std::string_view if_match, std::string_view what) {
  if (!table_.read) throw not_found();
  const auto results = ask(id, rules_of(*rule, body), true);
  if (!results) throw not_found();
  require(*results, body, what);
  if (if_match.empty()) return;
  std::string record = read(id);
  if (!fits_etag(table_, if_match, etag_of(table_, record))) throw Conflict(std::move(record));
}

void Writer::check_after(std::string_view id, const std::optional<Rule>& rule, const Body* body,
                         std::string_view what) {
  const auto results = ask(id, rules_of(*rule, body), false);
  if (!results) throw not_found();  // a trigger of the plugin took it away
  require(*results, body, what);
}

std::optional<Body> Writer::with_files(std::string_view id, const Body& body, bool is_new) {
  std::optional<Body> stored;
  for (std::size_t i = 0; i < body.changes.size(); ++i) {
    if (body.changes[i].field->field.type != data::schema::FieldType::blob) continue;
    if (!stored) stored = body;
    stored->changes[i].value = files_.store(id, body.changes[i], is_new);
  }
  return stored;
}

Body Writer::ask_plugin(RecordOperation operation, std::string_view id, const Body& body) {
  const TableModel& unrestricted = hooks_->unrestricted(table_.table.name);
  data::JsonText before;
  if (operation != RecordOperation::create) {
    const Statement record =
        record_statement(unrestricted, shown_fields(unrestricted), context_, Visibility::all, id);
    transaction_.query(record.sql, record.cells).append_json(data::JsonShape::row, before);
  }
  const std::string change =
      operation == RecordOperation::remove ? std::string() : change_text(body);
  HookResult wish = hooks_->before(
      {operation, table_, id, before.view(), change, context_, table_context_.enforce_rules},
      transaction_);
  files_.also_release(std::move(wish.ended));
  Body wanted = body;
  for (Change& own : wish.changes) {
    const auto same = [&](const Change& one) {
      return one.field->field.name == own.field->field.name;
    };
    std::erase_if(wanted.changes, same);
    wanted.changes.push_back(std::move(own));
  }
  return wanted;
}

std::string Writer::create(const Body& body) {
  require_any(table_.create, context_, "create records here");
  if (auto errors = find_errors(body); !errors.empty()) throw invalid(std::move(errors));
  std::string id = body.id.empty() ? base::new_id() : body.id;
  std::optional<Body> filled;
  if (table_.has_filled_in) filled = with_user(body);
  if (is_asked(RecordOperation::create))
    filled = ask_plugin(RecordOperation::create, id, filled ? *filled : body);
  if (table_.has_filled_in) require_filled_in(filled ? *filled : body);
  insert(id, filled ? *filled : body);
  return id;
}

std::optional<Body> Writer::with_user(const Body& body) {
  std::optional<Body> filled;
  if (!context_.user()) return filled;
  for (const FieldModel& field : table_.fields) {
    if (!field.field.default_user || body.find(field)) continue;
    if (!filled) filled = body;
    filled->changes.push_back({.field = &field,
                               .value = *context_.user(),
                               .members = {},
                               .files = {},
                               .is_default = true});
  }
  return filled;
}

void Writer::require_filled_in(const Body& body) const {
  std::vector<base::FieldError> errors;
  for (const FieldModel& field : table_.fields) {
    const auto is_it = [&](const Change& one) { return one.field->field.name == field.field.name; };
    if (field.field.is_filled_in() && field.field.required &&
        field.field.default_value.index() == 0 &&
        std::none_of(body.changes.begin(), body.changes.end(), is_it))
      errors.push_back(missing(field));
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

void Writer::insert(const std::string& id, const Body& body) {
  const data::Cell user = context_.user();
  Columns columns;
  columns.add("id", id);
  const std::optional<Body> stored = with_files(id, body, true);
  columns.add(stored ? *stored : body);
  if (table_.table.timestamps) {
    columns.add("created", context_.now());
    columns.add("updated", context_.now());
  }
  if (table_.table.authorship) {
    columns.add("created_by", user);
    columns.add("updated_by", user);
  }
  std::string names;
  std::string values;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    names.append(i == 0 ? "" : ", ").append(columns.names[i]);
    values.append(i == 0 ? "?" : ", ?").append(std::to_string(i + 1));
  }
  run("INSERT INTO " + quoted(table_.table.name) + " (" + names + ") VALUES (" + values + ")",
      columns.cells);
  write_links(id, body, true);
  check_after(id, table_.create, &body, "create this record");
  check_parents(id, body);
}

void Writer::update(std::string_view id, const Body& body, std::string_view if_match) {
  require_any(table_.update, context_, "change records here");
  check_before(id, table_.update, &body, if_match, "change this record");
  std::optional<Body> changed;
  if (std::any_of(body.changes.begin(), body.changes.end(),
                  [](const Change& one) { return one.is_increment; }))
    changed = with_sums(id, body);
  if (auto errors = find_errors(changed ? *changed : body); !errors.empty())
    throw invalid(std::move(errors));
  if (is_asked(RecordOperation::update))
    changed = ask_plugin(RecordOperation::update, id, changed ? *changed : body);
  change(id, changed ? *changed : body);
}

Body Writer::with_sums(std::string_view id, const Body& body) {
  Body summed = body;
  std::string sql;
  for (const Change& change : body.changes) {
    if (change.is_increment)
      sql.append(sql.empty() ? "SELECT " : ", ").append(quoted(change.field->field.name));
  }
  // The write lock is held, so that no other write comes between this and the change.
  data::Rows rows = transaction_.query(
      sql + " FROM " + quoted(table_.table.name) + " WHERE \"id\" = ?1", {data::Cell(id)});
  if (!rows.next()) throw not_found();
  int column = 0;
  for (Change& change : summed.changes) {
    if (!change.is_increment) continue;
    data::schema::Value stored;
    if (!rows.is_null(column) && change.field->field.type == data::schema::FieldType::integer)
      stored = rows.integer(column);
    else if (!rows.is_null(column))
      stored = rows.number(column);
    change.value = incremented(*change.field, stored, change.value, summed.errors);
    change.is_increment = false;
    ++column;
  }
  return summed;
}

void Writer::change(std::string_view id, const Body& body) {
  Columns columns;
  const std::optional<Body> stored = with_files(id, body, false);
  columns.add(stored ? *stored : body);
  if (table_.table.timestamps) columns.add("updated", context_.now());
  if (table_.table.authorship) columns.add("updated_by", context_.user());
  std::string sets;
  for (std::size_t i = 0; i < columns.names.size(); ++i)
    sets.append(sets.empty() ? "" : ", ")
        .append(columns.names[i])
        .append(" = ?")
        .append(std::to_string(i + 1));
  if (table_.table.version)
    sets.append(sets.empty() ? "" : ", ").append("\"version\" = \"version\" + 1");
  if (!sets.empty()) {
    columns.cells.emplace_back(id);
    run("UPDATE " + quoted(table_.table.name) + " SET " + sets + " WHERE \"id\" = ?" +
            std::to_string(columns.cells.size()),
        columns.cells);
  }
  write_links(id, body, false);
  check_after(id, table_.update, nullptr, "change this record so");
  check_parents(id, body);
}

void Writer::check_parents(std::string_view id, const Body& body) {
  if (auto errors = parent_errors(*table_context_.model, table_, body, id, transaction_);
      !errors.empty())
    throw invalid(std::move(errors));
}

// Empty where there is none that the writer sees.
std::string Writer::find_by_key(const Body& body, const UpsertKey& key) {
  if (!table_.read) return {};
  std::vector<data::Cell> cells;
  expression::append_cells(table_.read_slots, context_, cells);
  std::string sql = "SELECT \"t\".\"id\"";
  append_from(sql, table_);
  sql.append(" WHERE ").append(table_.read->sql.text);
  const auto add = [&](std::string_view column, data::Cell cell) {
    cells.push_back(cell);
    sql.append(" AND \"t\".").append(quoted(column)).append(" = ");
    sql += dialect::parameter(cells.size());
  };
  if (key.is_id()) add("id", body.id);
  for (const FieldModel* field : key.fields)
    add(field->field.name, cell_of(body.find(*field)->value));
  data::Rows rows = transaction_.query(sql, cells);
  return rows.next() ? std::string(rows.text(0)) : std::string();
}

Writer::Upserted Writer::upsert(const Body& body, const UpsertKey& key, std::string_view if_match) {
  if (!body.errors.empty()) throw invalid(find_errors(body));
  const std::string id = find_by_key(body, key);
  if (id.empty()) {
    if (!if_match.empty()) throw Conflict("null");
    return {create(body), true};
  }
  if (!body.id.empty() && body.id != id)
    throw invalid({{"id", "read_only", "The record with this key has another id."}});
  Body changed;
  for (const Change& change : body.changes) {
    if (!key.has(*change.field)) changed.changes.push_back(change);
  }
  update(id, changed, if_match);
  return {id, false};
}

void Writer::remove(std::string_view id, std::string_view if_match) {
  require_any(table_.delete_, context_, "delete records here");
  check_before(id, table_.delete_, nullptr, if_match, "delete this record");
  if (is_asked(RecordOperation::remove)) ask_plugin(RecordOperation::remove, id, {});
  run("DELETE FROM " + quoted(table_.table.name) + " WHERE \"id\" = ?1", {id});
  files_.forget(id);
}

}  // namespace tenon::records
