#include "records/api/key.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "records/model/access.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

bool is_unique(const TableModel& table, std::vector<std::string> names) {
  if (names.size() == 1 && table.find(names[0])->field.unique) return true;
  std::sort(names.begin(), names.end());
  return std::any_of(table.table.indexes.begin(), table.table.indexes.end(),
                     [&](const data::schema::Index& index) {
                       if (!index.unique) return false;
                       std::vector<std::string> fields = index.fields;
                       std::sort(fields.begin(), fields.end());
                       return fields == names;
                     });
}

}  // namespace

bool UpsertKey::has(const FieldModel& field) const noexcept {
  return std::find(fields.begin(), fields.end(), &field) != fields.end();
}

UpsertKey parse_key(const TableModel& table, const std::string& text,
                    const expression::Context& context) {
  UpsertKey key;
  if (text == "id") return key;
  std::vector<std::string> names;
  std::string_view rest = text;
  while (true) {
    const std::string name(rest.substr(0, rest.find(',')));
    const FieldModel* field = table.find(name);
    if (!field || field->field.hidden) refuse_query("key", "there is no field '" + name + "'");
    if (!field->is_writable) refuse_query("key", "the field '" + name + "' cannot be set");
    if (!is_seen_always(*field, context)) refuse_field("key", name);
    key.fields.push_back(field);
    names.push_back(name);
    if (name.size() == rest.size()) break;
    rest.remove_prefix(name.size() + 1);
  }
  if (!is_unique(table, std::move(names)))
    refuse_query("key", "'" + text + "' is no unique key of this table");
  return key;
}

void check_key(const UpsertKey& key, Body& body) {
  const char* const what = "This field says which record is meant.";
  if (key.is_id() && body.id.empty()) body.errors.push_back({"id", "required", what});
  for (const FieldModel* field : key.fields) {
    const Change* change = body.find(*field);
    const bool has_error = std::any_of(
        body.errors.begin(), body.errors.end(),
        [&](const base::FieldError& error) { return error.field == field->field.name; });
    if ((!change || change->value.index() == 0) && !has_error)
      body.errors.push_back({field->field.name, "required", what});
  }
}

}  // namespace tenon::records
