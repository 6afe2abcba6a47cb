#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include <Poco/RegularExpression.h>

#include "base/json.hpp"
#include "data/schema/dates.hpp"
#include "data/schema/findings.hpp"
#include "data/schema/tables.hpp"

namespace tenon::data::schema {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t longest_default = 10'000;

// lower_snake without double or trailing underscores: names of indexes are joined from these with
// "__".
bool is_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > max_name_length || name.front() < 'a' || name.front() > 'z')
    return false;
  if (name.back() == '_' || name.find("__") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string read_name(const Node& node) {
  if (!node.has("name")) {
    node.wrong("name", "a name is required");
    return {};
  }
  std::string name = node.text("name", 1000);
  if (!name.empty() && !is_name(name)) {
    node.wrong("name", "'" + name +
                           "' is not a name; lower-case letters, digits and single underscores, a "
                           "letter first, at most " +
                           std::to_string(max_name_length) + " characters");
    return {};
  }
  if (name.empty()) node.wrong("name", "a name is required");
  return name;
}

class FieldParser {
 public:
  explicit FieldParser(const Node& node) : node_(node) {}

  Field parse() {
    static constexpr std::array known = {
        "name"sv,    "type"sv,      "description"sv, "required"sv, "unique"sv, "indexed"sv,
        "hidden"sv,  "read_only"sv, "searchable"sv,  "default"sv,  "min"sv,    "max"sv,
        "pattern"sv, "choices"sv,   "table"sv,       "on_delete"sv};
    node_.refuse_unknown(known);
    field_.name = read_name(node_);
    if (!read_type()) return field_;
    field_.description = node_.text("description", max_description_length);
    field_.required = node_.flag("required");
    field_.unique = node_.flag("unique");
    field_.indexed = node_.flag("indexed");
    field_.hidden = node_.flag("hidden");
    field_.read_only = node_.flag("read_only");
    field_.searchable = node_.flag("searchable");
    refuse_misplaced();
    read_bounds();
    read_choices();
    read_reference();
    read_pattern();
    if (node_.has("default")) read_default();
    return field_;
  }

 private:
  bool is(FieldType type) const noexcept { return field_.type == type; }

  bool read_type() {
    static constexpr std::array names = {"text"sv,      "integer"sv,  "number"sv, "boolean"sv,
                                         "date"sv,      "datetime"sv, "json"sv,   "choice"sv,
                                         "reference"sv, "user"sv};
    if (!node_.has("type")) {
      node_.wrong("type", "a type is required: " + list_of(names));
      return false;
    }
    const std::string name = node_.text("type", 100);
    const auto type = type_named(name);
    if (!type) {
      node_.wrong("type", "'" + name + "' is not a type; known are " + list_of(names));
      return false;
    }
    field_.type = *type;
    return true;
  }

  void only_for(const char* key, std::initializer_list<FieldType> types) {
    if (!node_.has(key) || std::find(types.begin(), types.end(), field_.type) != types.end())
      return;
    std::vector<std::string_view> names;
    for (const auto type : types)
      names.push_back(name_of(type));
    node_.wrong(key, "this is for fields of the type " + list_of(names) + " only");
  }

  void refuse_misplaced() {
    only_for("min", {FieldType::text, FieldType::integer, FieldType::number, FieldType::date,
                     FieldType::datetime});
    only_for("max", {FieldType::text, FieldType::integer, FieldType::number, FieldType::date,
                     FieldType::datetime});
    only_for("pattern", {FieldType::text});
    only_for("searchable", {FieldType::text});
    only_for("choices", {FieldType::choice});
    only_for("table", {FieldType::reference});
    only_for("on_delete", {FieldType::reference});
    if (is(FieldType::json)) {
      if (field_.unique) node_.wrong("unique", "a field of the type 'json' cannot be unique");
      if (field_.indexed) node_.wrong("indexed", "a field of the type 'json' cannot be indexed");
    }
    if (is(FieldType::reference) || is(FieldType::user)) {
      if (node_.has("default")) node_.wrong("default", "a reference has no default");
    }
  }

  // A number for this field's type, or monostate with a finding.
  Value read_number(const std::string& key) {
    if (!is(FieldType::number)) {
      const auto integer = node_.integer(key);
      return integer ? Value(*integer) : Value();
    }
    const auto value = node_.raw(key);
    if (value.isBoolean() || !value.isNumeric()) {
      node_.wrong(key, "a number is expected");
      return {};
    }
    return value.convert<double>() + 0.0;  // JSON has no -0 that every reader keeps
  }

  Value read_moment(const std::string& key, bool allows_now) {
    std::string text = node_.text(key, 100);
    if (allows_now && text == now_default) return text;
    if (is(FieldType::date) ? is_date(text) : is_datetime(text)) return text;
    node_.wrong(key, is(FieldType::date) ? "a date like 2026-11-20 is expected"
                                         : "a time like 2026-11-20T08:15:30.000Z is expected");
    return {};
  }

  void read_bounds() {
    for (const char* key : {"min", "max"}) {
      if (!node_.has(key)) continue;
      Value& bound = key == "min"sv ? field_.min : field_.max;
      switch (field_.type) {
        case FieldType::text:
        case FieldType::integer:
        case FieldType::number:
          bound = read_number(key);
          break;
        case FieldType::date:
        case FieldType::datetime:
          bound = read_moment(key, false);
          break;
        default:
          break;
      }
      const auto* length = std::get_if<std::int64_t>(&bound);
      if (is(FieldType::text) && length && (*length < 0 || *length > max_text_length)) {
        node_.wrong(
            key, "the length of a text is 0 to " + std::to_string(max_text_length) + " characters");
      }
    }
    if (field_.min.index() != 0 && field_.max.index() == field_.min.index() &&
        field_.max < field_.min) {
      node_.wrong("max", "this is less than min");
    }
  }

  void read_choices() {
    if (!is(FieldType::choice)) return;
    field_.choices = node_.texts("choices", max_choices, max_choice_length);
    if (!node_.has("choices") || field_.choices.empty())
      node_.wrong("choices", "at least one choice is required");
  }

  void read_reference() {
    if (!is(FieldType::reference)) return;
    field_.table = node_.text("table", 1000);
    if (field_.table.empty()) node_.wrong("table", "the table that is referred to is required");
    if (!node_.has("on_delete")) return;
    static constexpr std::array names = {"restrict"sv, "clear"sv, "cascade"sv};
    const auto rule = rule_named(node_.text("on_delete", 100));
    if (!rule) {
      node_.wrong("on_delete", "known are " + list_of(names));
      return;
    }
    field_.on_delete = *rule;
    if (*rule == OnDelete::clear && field_.required) {
      node_.wrong("on_delete",
                  "a required reference cannot be cleared; take 'restrict' or 'cascade'");
    }
  }

  void read_pattern() {
    field_.pattern = node_.text("pattern", max_pattern_length);
    if (field_.pattern.empty()) return;
    try {
      const Poco::RegularExpression compiled(field_.pattern, Poco::RegularExpression::RE_UTF8);
    } catch (const Poco::Exception& failure) {
      node_.wrong("pattern", "this is not a regular expression: " + failure.message());
    }
  }

  void read_default() {
    const auto value = node_.raw("default");
    switch (field_.type) {
      case FieldType::text: {
        std::string text = node_.text("default", longest_default);
        const auto length = static_cast<std::int64_t>(characters(text));
        check_within(Value(length), "the default is shorter than min",
                     "the default is longer than max");
        field_.default_value = std::move(text);
        break;
      }
      case FieldType::integer:
      case FieldType::number:
        field_.default_value = read_number("default");
        check_within(field_.default_value, "the default is less than min",
                     "the default is more than max");
        break;
      case FieldType::boolean:
        field_.default_value = std::int64_t{node_.flag("default") ? 1 : 0};
        break;
      case FieldType::date:
      case FieldType::datetime:
        field_.default_value = read_moment("default", true);
        if (field_.default_value != Value(std::string(now_default))) {
          check_within(field_.default_value, "the default is before min",
                       "the default is after max");
        }
        break;
      case FieldType::json: {
        std::ostringstream text;
        Poco::JSON::Stringifier::stringify(value, text);
        field_.default_value = value.isEmpty() ? "null" : text.str();
        if (text.str().size() > longest_default) {
          node_.wrong("default",
                      "at most " + std::to_string(longest_default) + " bytes are allowed");
        }
        break;
      }
      case FieldType::choice: {
        std::string text = node_.text("default", max_choice_length);
        if (std::find(field_.choices.begin(), field_.choices.end(), text) == field_.choices.end()) {
          node_.wrong("default", "'" + text + "' is not among the choices");
        }
        field_.default_value = std::move(text);
        break;
      }
      case FieldType::reference:
      case FieldType::user:
      case FieldType::blob:
      case FieldType::computed:
        break;
    }
  }

  void check_within(const Value& value, const char* below, const char* above) {
    if (value.index() == 0) return;
    if (field_.min.index() == value.index() && value < field_.min) node_.wrong("default", below);
    if (field_.max.index() == value.index() && field_.max < value) node_.wrong("default", above);
  }

  const Node& node_;
  Field field_;
};

class TableParser {
 public:
  explicit TableParser(const Node& node) : node_(node) {}

  Table parse() {
    static constexpr std::array known = {"name"sv,       "description"sv, "fields"sv, "indexes"sv,
                                         "timestamps"sv, "authorship"sv,  "version"sv};
    node_.refuse_unknown(known);
    table_.name = read_name(node_);
    for (const auto prefix : {"sqlite_"sv, "tenon_"sv}) {
      if (table_.name.starts_with(prefix))
        node_.wrong("name", "names that start with " + list_of({&prefix, 1}) + " are not yours");
    }
    table_.description = node_.text("description", max_description_length);
    table_.timestamps = node_.flag("timestamps");
    table_.authorship = node_.flag("authorship");
    table_.version = node_.flag("version");
    if (!node_.has("fields")) node_.wrong("fields", "a table has fields");
    for (const Node& field : node_.objects("fields", max_fields))
      read_field(field);
    for (const Node& index : node_.objects("indexes", max_indexes))
      read_index(index);
    return table_;
  }

 private:
  void read_field(const Node& node) {
    Field field = FieldParser(node).parse();
    const auto taken = [&](std::string_view by) {
      node.wrong("name",
                 "'" + field.name + "' is a field that every record has by " + std::string(by));
    };
    if (field.name == "id" || field.name == "rowid") taken("itself");
    const auto option = [&](bool is_on, const char* key,
                            std::initializer_list<std::string_view> names) {
      if (is_on && std::find(names.begin(), names.end(), field.name) != names.end())
        taken(std::string("the option ") + key);
    };
    option(table_.timestamps, "timestamps", {"created", "updated"});
    option(table_.authorship, "authorship", {"created_by", "updated_by"});
    option(table_.version, "version", {"version"});
    if (!field.name.empty() && table_.find(field.name))
      node.wrong("name", "the field '" + field.name + "' stands here twice");
    table_.fields.push_back(std::move(field));
  }

  void read_index(const Node& node) {
    static constexpr std::array known = {"fields"sv, "unique"sv};
    node.refuse_unknown(known);
    Index index;
    index.fields = node.texts("fields", max_index_fields, max_name_length);
    index.unique = node.flag("unique");
    if (!node.has("fields") || index.fields.empty())
      node.wrong("fields", "at least one field is required");
    const auto all = table_.all_fields();
    for (std::size_t i = 0; i < index.fields.size(); ++i) {
      const std::string& name = index.fields[i];
      const std::string place = "fields/" + std::to_string(i);
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const Field& field) { return field.name == name; });
      if (found == all.end() && name != "id") {
        node.wrong(place, "the table has no field '" + name + "'");
      } else if (found != all.end() && found->type == FieldType::json) {
        node.wrong(place, "a field of the type 'json' cannot be indexed");
      }
    }
    const bool is_double =
        std::any_of(table_.indexes.begin(), table_.indexes.end(),
                    [&](const Index& other) { return other.fields == index.fields; });
    if (is_double) node.wrong("fields", "an index of these fields stands here twice");
    table_.indexes.push_back(std::move(index));
  }

  const Node& node_;
  Table table_;
};

}  // namespace

Tables parse_tables(std::string_view text, std::string_view file) {
  Poco::JSON::Object::Ptr object;
  try {
    object = base::parse_json_object(text);
  } catch (const base::Error& error) {
    throw base::Error(422, "data.tables_invalid", std::string(file) + ": " + error.message());
  }
  Findings findings(file);
  const Node root(findings, "", object);
  static constexpr std::array known = {"$schema"sv, "tables"sv};
  root.refuse_unknown(known);
  if (!root.has("tables")) root.wrong("tables", "an array of tables is required");
  Tables tables;
  const auto nodes = root.objects("tables", max_tables);
  for (const Node& node : nodes) {
    Table table = TableParser(node).parse();
    if (!table.name.empty() && tables.find(table.name))
      node.wrong("name", "the table '" + table.name + "' stands here twice");
    tables.tables.push_back(std::move(table));
  }
  for (std::size_t t = 0; t < tables.tables.size(); ++t) {
    const auto& fields = tables.tables[t].fields;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f].type != FieldType::reference || fields[f].table.empty() ||
          tables.find(fields[f].table))
        continue;
      nodes[t].wrong("fields/" + std::to_string(f) + "/table",
                     "there is no table '" + fields[f].table + "'");
    }
  }
  findings.throw_if_any();
  return tables;
}

}  // namespace tenon::data::schema
