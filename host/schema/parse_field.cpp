#include "schema/parse_field.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <Poco/JSON/Stringifier.h>
#include <Poco/RegularExpression.h>

#include "base/json_writer.hpp"
#include "schema/dates.hpp"

namespace tenon::data::schema {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t max_default = 10'000;

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

bool is_lower_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// As the manifest has it: [a-z][a-z0-9-]{1,31}.
bool is_plugin_id(std::string_view id) noexcept {
  if (id.size() < 2 || id.size() > 32 || id.front() < 'a' || id.front() > 'z') return false;
  return std::all_of(id.begin(), id.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

// type/subtype of RFC 6838, section 4.2, in lower case; the subtype may be "*".
bool is_media_type(std::string_view text) noexcept {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto is_part = [](std::string_view part) {
    return !part.empty() && is_lower_or_digit(part.front()) &&
           std::all_of(part.begin(), part.end(), [](char c) {
             return is_lower_or_digit(c) || "!#$&-^_.+"sv.find(c) != std::string_view::npos;
           });
  };
  const auto subtype = text.substr(slash + 1);
  return is_part(text.substr(0, slash)) && (subtype == "*" || is_part(subtype));
}

class FieldParser {
 public:
  explicit FieldParser(const Node& node) : node_(node) {}

  Field parse() {
    static constexpr std::array known = {
        "name"sv,       "formerly"sv,       "type"sv,    "description"sv, "required"sv,
        "unique"sv,     "indexed"sv,        "hidden"sv,  "read_only"sv,   "writable"sv,
        "rules"sv,      "many"sv,           "default"sv, "min"sv,         "max"sv,
        "pattern"sv,    "choices"sv,        "table"sv,   "on_delete"sv,   "max_bytes"sv,
        "searchable"sv, "expression"sv,     "types"sv,   "same"sv,        "reveals"sv,
        "message"sv,    "set_by_callback"sv};
    node_.refuse_unknown(known);
    field_.name = read_name(node_);
    if (!read_type()) return field_;
    field_.formerly = read_former_names(node_, field_.name);
    field_.many = node_.flag("many");
    field_.description = node_.text("description", max_description_length);
    field_.required = node_.flag("required");
    field_.unique = node_.flag("unique");
    field_.indexed = node_.flag("indexed");
    field_.hidden = node_.flag("hidden");
    field_.read_only = node_.flag("read_only");
    field_.writable = node_.flag("writable");
    field_.reveals = node_.flag("reveals");
    field_.set_by_callback = node_.flag("set_by_callback");
    if (field_.writable && field_.read_only)
      node_.wrong("writable", "a field is 'writable' or 'read_only', not both");
    read_searchable();
    refuse_misplaced();
    refuse_keys();
    read_rules();
    read_bounds();
    read_choices();
    read_reference();
    read_pattern();
    read_blob();
    read_computed();
    if (node_.has("default")) read_default();
    return field_;
  }

 private:
  bool is(FieldType type) const noexcept { return field_.type == type; }

  bool read_type() {
    static constexpr std::array names = {"text"sv,      "integer"sv,  "number"sv, "boolean"sv,
                                         "date"sv,      "datetime"sv, "json"sv,   "choice"sv,
                                         "reference"sv, "user"sv,     "blob"sv,   "computed"sv};
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
    only_for("same", {FieldType::reference});
    only_for("reveals", {FieldType::computed});
    only_for("many", {FieldType::choice, FieldType::reference, FieldType::user, FieldType::blob});
    only_for("max_bytes", {FieldType::blob});
    only_for("types", {FieldType::blob});
    only_for("expression", {FieldType::computed});
    if (is(FieldType::reference) && node_.has("default"))
      node_.wrong("default", "a reference has no default");
    if (is(FieldType::blob) && field_.set_by_callback)
      node_.wrong("set_by_callback", "a callback cannot set files");
    if (is(FieldType::blob) && node_.has("default"))
      node_.wrong("default", "a blob has no default");
  }

  // A field without a single value in a column cannot be a key.
  void refuse_keys() {
    const bool has_no_key = field_.many || is(FieldType::json) || is(FieldType::blob);
    if (!has_no_key) return;
    const std::string what =
        field_.many ? "a field with many values"
                    : "a field of the type '" + std::string(name_of(field_.type)) + "'";
    if (field_.unique) node_.wrong("unique", what + " cannot be unique");
    if (field_.indexed) node_.wrong("indexed", what + " cannot be indexed");
  }

  void read_searchable() {
    if (!node_.has("searchable")) return;
    if (node_.raw("searchable").isBoolean()) {
      field_.searchable = node_.flag("searchable");
    } else {
      const auto search = node_.object("searchable");
      if (!search) return;
      static constexpr std::array known = {"weight"sv};
      search->refuse_unknown(known);
      const auto weight = search->integer("weight");
      field_.searchable = true;
      field_.search_weight = weight.value_or(1);
      if (field_.search_weight < 1 || field_.search_weight > max_search_weight) {
        search->wrong("weight",
                      "a weight from 1 to " + std::to_string(max_search_weight) + " is expected");
      }
    }
    if (field_.searchable && field_.name == "rank")
      node_.wrong("searchable", "a field called rank cannot be: the search has a rank of its own");
  }

  void read_rules() {
    const auto rules = node_.object("rules");
    if (!rules) return;
    static constexpr std::array known = {"read"sv, "write"sv};
    rules->refuse_unknown(known);
    field_.rules.read = read_expression(*rules, "read");
    field_.rules.write = read_expression(*rules, "write");
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
    if (!is(FieldType::reference)) {
      field_.on_delete = OnDelete::restrict_;
      return;
    }
    field_.table = node_.text("table", 1000);
    if (field_.table.empty()) {
      node_.wrong("table", "the table that is referred to is required");
    } else if (!field_.target().is_own()) {
      check_target(field_.target());
    }
    // The links of a record that goes: they go with it where nothing demands one.
    if (field_.many && !field_.required && field_.target().is_own())
      field_.on_delete = OnDelete::clear;
    if (node_.has("on_delete")) read_on_delete();
    if (node_.has("same")) read_same();
  }

  void read_same() {
    field_.same = node_.text("same", max_name_length);
    if (!field_.target().is_own()) {
      node_.wrong("same", "this is for references to tables of this plugin only");
    } else if (!is_name(field_.same)) {
      node_.wrong("same", "the name of a field is expected that both tables have");
    }
  }

  void check_target(const Target& target) {
    if (target.plugin == "core" && (target.table == "users" || target.table == "groups")) return;
    if (target.plugin == "core") {
      node_.wrong("table", "of the server's own tables there are 'core:users' and 'core:groups'");
    } else if (!is_plugin_id(target.plugin) || !is_name(target.table)) {
      node_.wrong("table", "'" + field_.table +
                               "' is none of a table of this plugin like 'cards', 'core:users', "
                               "'core:groups', a table of another plugin like 'crm:contacts'");
    }
  }

  void read_on_delete() {
    static constexpr std::array names = {"restrict"sv, "clear"sv, "cascade"sv};
    const auto rule = rule_named(node_.text("on_delete", 100));
    if (!rule) {
      node_.wrong("on_delete", "known are " + list_of(names));
      return;
    }
    if (!field_.target().is_own()) {
      node_.wrong("on_delete", "this is for references to tables of this plugin only");
      return;
    }
    field_.on_delete = *rule;
    if (*rule == OnDelete::clear && field_.required) {
      node_.wrong("on_delete",
                  std::string("a required reference cannot be cleared; take 'restrict'") +
                      (field_.many ? "" : " or 'cascade'"));
    }
    if (*rule == OnDelete::cascade && field_.many)
      node_.wrong("on_delete",
                  "of many references 'cascade' is not possible; take 'clear' or 'restrict'");
  }

  void read_blob() {
    if (!is(FieldType::blob)) return;
    if (const auto bytes = node_.integer("max_bytes")) {
      field_.max_bytes = *bytes;
      if (*bytes < 1 || *bytes > max_blob_bytes)
        node_.wrong("max_bytes", "a file has 1 to " + std::to_string(max_blob_bytes) + " bytes");
    }
    field_.types = node_.texts("types", max_blob_types, max_blob_type_length);
    for (std::size_t i = 0; i < field_.types.size(); ++i) {
      if (!is_media_type(field_.types[i]))
        node_.wrong("types/" + std::to_string(i),
                    "a media type like image/png or image/* is expected, in lower case");
    }
  }

  void read_computed() {
    if (!is(FieldType::computed)) return;
    field_.expression = read_expression(node_, "expression");
    if (!node_.has("expression")) node_.wrong("expression", "an expression is required");
    for (const char* key :
         {"required", "unique", "indexed", "default", "formerly", "set_by_callback"}) {
      if (node_.has(key)) node_.wrong(key, "a computed field has no values of its own");
    }
    if (node_.has("read_only") && !field_.read_only)
      node_.wrong("read_only", "a computed field is always read-only");
    if (!field_.rules.write.empty())
      node_.wrong("rules/write", "a computed field cannot be written");
    if (node_.has("writable")) node_.wrong("writable", "a computed field cannot be written");
    field_.read_only = true;
  }

  void read_pattern() {
    field_.pattern = node_.text("pattern", max_pattern_length);
    field_.message = node_.text("message", max_message_length);
    if (field_.pattern.empty()) {
      if (!field_.message.empty())
        node_.wrong("message", "this is the error for a pattern; there is none");
      return;
    }
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
        std::string text = node_.text("default", max_default);
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
        if (text.str().size() > max_default) {
          node_.wrong("default", "at most " + std::to_string(max_default) + " bytes are allowed");
        }
        break;
      }
      case FieldType::choice: {
        if (field_.many) {
          read_default_choices();
          break;
        }
        std::string text = node_.text("default", max_choice_length);
        if (std::find(field_.choices.begin(), field_.choices.end(), text) == field_.choices.end()) {
          node_.wrong("default", "'" + text + "' is not among the choices");
        }
        field_.default_value = std::move(text);
        break;
      }
      case FieldType::user:
        field_.default_user = !field_.many && node_.text("default", max_default) == user_default;
        if (!field_.default_user)
          node_.wrong("default", "the default of a user is \"@user\", for one user");
        break;
      case FieldType::reference:
      case FieldType::blob:
      case FieldType::computed:
        break;
    }
  }

  void read_default_choices() {
    const auto texts = node_.texts("default", max_choices, max_choice_length);
    if (field_.required && texts.empty())
      node_.wrong("default", "at least one choice is required here");
    std::string list;
    base::JsonWriter json(list);
    json.begin_array();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (std::find(field_.choices.begin(), field_.choices.end(), texts[i]) == field_.choices.end())
        node_.wrong("default/" + std::to_string(i), "'" + texts[i] + "' is not among the choices");
      json.value(texts[i]);
    }
    json.end_array();
    field_.default_value = std::move(list);
  }

  void check_within(const Value& value, const char* below, const char* above) {
    if (value.index() == 0) return;
    if (field_.min.index() == value.index() && value < field_.min) node_.wrong("default", below);
    if (field_.max.index() == value.index() && field_.max < value) node_.wrong("default", above);
  }

  const Node& node_;
  Field field_;
};

}  // namespace

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

std::vector<std::string> read_former_names(const Node& node, std::string_view name) {
  auto names = node.texts("formerly", max_former_names, max_name_length);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string location = "formerly/" + std::to_string(i);
    if (!is_name(names[i])) {
      node.wrong(location, "'" + names[i] + "' is not a name");
    } else if (names[i] == name) {
      node.wrong(location, "'" + names[i] + "' is the name that it has now");
    }
  }
  return names;
}

std::string read_expression(const Node& node, const std::string& key) {
  if (!node.has(key)) return {};
  std::string text = node.text(key, max_expression_bytes * 4);
  if (node.raw(key).isString() && text.empty())
    node.wrong(key, "an expression is expected; leave the key out where there is none");
  if (text.size() > max_expression_bytes)
    node.wrong(key, "at most " + std::to_string(max_expression_bytes) + " bytes are allowed");
  return text;
}

Field parse_field(const Node& node) {
  return FieldParser(node).parse();
}

}  // namespace tenon::data::schema
