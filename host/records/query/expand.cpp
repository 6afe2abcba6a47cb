#include "records/query/expand.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "expression/evaluate.hpp"
#include "identity/users/users.hpp"
#include "records/api/record_text.hpp"
#include "records/model/limits.hpp"
#include "records/query/columns.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

using base::JsonSlice;
using base::JsonType;

constexpr std::string_view users_table = "users";

bool refers_to_people(const data::schema::Field& field) {
  const data::schema::Target target = field.target();
  return target.plugin == "core" && target.table == users_table;
}

std::size_t size_of(const std::vector<Expand>& expands) {
  std::size_t size = expands.size();
  for (const Expand& expand : expands)
    size += size_of(expand.inner);
  return size;
}

// The reference of this name among `expands`, which it is added to where it is not there yet.
Expand& add(std::vector<Expand>& expands, const Model& model, const TableModel& table,
            const std::string& name) {
  for (Expand& known : expands) {
    if (known.field->field.name == name) return known;
  }
  const FieldModel* field = table.find(name);
  if (!field || field->field.hidden) refuse_query("expand", "there is no field '" + name + "'");
  Expand expand{field, nullptr, {}};
  if (field->field.refers_to_own()) {
    expand.target = model.find(field->field.table);
  } else if (!refers_to_people(field->field)) {
    refuse_query("expand", "'" + name + "' is no reference to people or to a table of this plugin");
  }
  return expands.emplace_back(std::move(expand));
}

// Calls `take` with the ids that a field of the record holds, at most max_expanded.
template <typename Take>
void each_id(const JsonSlice& value, Take&& take) {
  if (value.type() == JsonType::string) {
    take(value.string());
  } else if (value.type() == JsonType::array) {
    std::size_t count = 0;
    value.each_element([&](const JsonSlice& id) {
      if (count++ < max_expanded) take(id.string());
    });
  }
}

// The ids of a field of all records, none twice.
std::vector<std::string> ids_of(const Expand& expand,
                                const std::vector<std::string_view>& records) {
  std::unordered_set<std::string> ids;
  for (const std::string_view record : records) {
    JsonSlice(record).each_member([&](const std::string& name, const JsonSlice& value) {
      if (name != expand.field->field.name) return;
      each_id(value, [&](std::string id) { ids.insert(std::move(id)); });
    });
  }
  if (ids.size() > max_expanded_of_page)
    refuse_query("expand", "'" + expand.field->field.name + "' leads to more than " +
                               std::to_string(max_expanded_of_page) +
                               " records; ask for fewer at once with limit");
  return {ids.begin(), ids.end()};
}

std::vector<std::string_view> elements_of(std::string_view array) {
  std::vector<std::string_view> elements;
  JsonSlice(array).each_element(
      [&](const JsonSlice& element) { elements.push_back(element.text()); });
  return elements;
}

template <typename LoadedRecords>
void append_expanded(const Expand& expand, const JsonSlice& value, const LoadedRecords& found,
                     data::JsonText& text) {
  if (!expand.field->is_list) {
    const auto at = value.type() == JsonType::string ? found.find(value.string()) : found.end();
    text.put(at == found.end() ? std::string_view("null") : at->second);
    return;
  }
  text.put('[');
  bool is_first = true;
  each_id(value, [&](const std::string& id) {
    const auto at = found.find(id);
    if (at == found.end()) return;
    if (!is_first) text.put(',');
    text.put(at->second);
    is_first = false;
  });
  text.put(']');
}

// One record with what its references lead to.
template <typename LoadedRecords>
void append_record(std::string_view record, std::size_t shown, const std::vector<Expand>& expands,
                   const std::vector<LoadedRecords>& found, data::JsonText& text) {
  std::vector<JsonSlice> values(expands.size(), JsonSlice("null"));
  std::size_t count = 0;
  const char* end = record.data();
  JsonSlice(record).each_member([&](const std::string& name, const JsonSlice& value) {
    if (count++ < shown) end = value.text().data() + value.text().size();
    for (std::size_t i = 0; i < expands.size(); ++i) {
      if (expands[i].field->field.name == name) values[i] = value;
    }
  });
  text.put(record.substr(0, static_cast<std::size_t>(end - record.data())));
  text.put(",\"expand\":{");
  for (std::size_t i = 0; i < expands.size(); ++i) {
    text.put(i == 0 ? "\"" : ",\"");
    text.put(expands[i].field->field.name);
    text.put("\":");
    append_expanded(expands[i], values[i], found[i], text);
  }
  text.put("}}");
  if (text.size() > data::max_json_bytes)
    throw base::Error(413, "data.too_large",
                      "The response would be too large. Request fewer records with limit.");
}

}  // namespace

std::vector<const FieldModel*> expandable_fields(const TableModel& table) {
  std::vector<const FieldModel*> fields = shown_fields(table);
  std::erase_if(fields, [](const FieldModel* field) {
    return !field->field.refers_to_own() && !refers_to_people(field->field);
  });
  return fields;
}

std::vector<Expand> parse_expand(const Model& model, const TableModel& table,
                                 const std::string& text) {
  std::vector<Expand> expands;
  std::string_view rest = text;
  while (true) {
    const std::string_view path = rest.substr(0, rest.find(','));
    std::vector<Expand>* level = &expands;
    const TableModel* owner = &table;
    std::string_view steps = path;
    for (std::size_t depth = 1;; ++depth) {
      const std::string_view name = steps.substr(0, steps.find('.'));
      if (depth > expand_levels)
        refuse_query("expand", "'" + std::string(path) + "' has more than " +
                                   std::to_string(expand_levels) + " steps");
      if (!owner) refuse_query("expand", "'" + std::string(path) + "' goes beyond a person");
      Expand& expand = add(*level, model, *owner, std::string(name));
      if (name.size() == steps.size()) break;
      steps.remove_prefix(name.size() + 1);
      level = &expand.inner;
      owner = expand.target;
    }
    if (size_of(expands) > max_expands)
      refuse_query("expand", "at most " + std::to_string(max_expands) +
                                 " references can be expanded at once");
    if (path.size() == rest.size()) return expands;
    rest.remove_prefix(path.size() + 1);
  }
}

std::size_t add_expanded_fields(std::vector<const FieldModel*>& fields,
                                const std::vector<Expand>& expands) {
  const std::size_t shown = fields.size() + 1;
  for (const Expand& expand : expands) {
    if (std::find(fields.begin(), fields.end(), expand.field) == fields.end())
      fields.push_back(expand.field);
  }
  return shown;
}

void Expander::write(std::string_view records, std::size_t shown,
                     const std::vector<Expand>& expands, data::JsonText& text) {
  const bool is_array = records.starts_with('[');
  const std::vector<std::string_view> all =
      is_array ? elements_of(records) : std::vector<std::string_view>{records};
  std::vector<LoadedRecords> found;
  load_all(all, expands, found);
  if (is_array) text.put('[');
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 0) text.put(',');
    append_record(all[i], shown, expands, found, text);
  }
  if (is_array) text.put(']');
}

void Expander::load_all(const std::vector<std::string_view>& records,
                        const std::vector<Expand>& expands, std::vector<LoadedRecords>& found) {
  for (const Expand& expand : expands)
    found.push_back(load(expand, ids_of(expand, records)));
}

Expander::LoadedRecords Expander::load(const Expand& expand, const std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  if (expand.target) {
    std::string list;
    base::JsonWriter writer(list);
    writer.begin_array();
    for (const std::string& id : ids)
      writer.value(id);
    writer.end_array();
    return load_records(expand, list);
  }
  LoadedRecords found;
  if (!context_.user()) return found;  // names of people are for people who are signed in
  for (const auto& [id, name] : table_context_.users.names(ids)) {
    std::string person;
    base::JsonWriter(person).begin_object().member("id", id).member("name", name).end_object();
    found.emplace(id, std::move(person));
  }
  return found;
}

Expander::LoadedRecords Expander::load_records(const Expand& expand, std::string_view ids) {
  const TableModel& table = *expand.target;
  if (!table.read) return {};
  const auto constant = expression::is_constant(table.read->checked, context_);
  if (constant == false) return {};
  const std::vector<const FieldModel*> fields = shown_fields(table);
  const Statement statement = members_statement(
      table, fields, context_, constant == true ? Visibility::all : Visibility::some, ids);
  data::JsonText text;
  transaction_.query(statement.sql, statement.cells).append_json(data::JsonShape::rows, text);
  const std::vector<std::string_view> records = elements_of(text.view());
  std::vector<LoadedRecords> inner;
  load_all(records, expand.inner, inner);
  LoadedRecords found;
  data::JsonText one;
  for (const std::string_view record : records) {
    std::string id;
    JsonSlice(record).each_member([&](const std::string& name, const JsonSlice& value) {
      if (name == "id") id = value.string();
    });
    one.clear();
    if (!expand.inner.empty()) append_record(record, fields.size() + 1, expand.inner, inner, one);
    found.emplace(std::move(id), expand.inner.empty() ? record : one.view());
  }
  return found;
}

}  // namespace tenon::records
