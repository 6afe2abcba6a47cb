#include "schema/field_text.hpp"

#include <algorithm>

#include "schema/ddl.hpp"

namespace tenon::data::schema {

namespace {

std::string value_text(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  Field carrier;
  carrier.default_value = value;
  return default_sql(carrier);
}

std::string bounds_text(const Field& field) {
  const char* unit = field.type == FieldType::text ? " characters" : "";
  const bool has_min = field.min.index() != 0;
  const bool has_max = field.max.index() != 0;
  if (has_min && has_max)
    return ", " + value_text(field.min) + " to " + value_text(field.max) + unit;
  if (has_min) return ", at least " + value_text(field.min) + unit;
  if (has_max) return ", at most " + value_text(field.max) + unit;
  return {};
}

void append_list(std::string& text, const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    text.append(i == 0 ? ", one of " : " ").append(texts[i]);
}

// An expression on one line, cut between characters.
std::string shortened(const std::string& expression) {
  constexpr std::size_t max_bytes = 80;
  std::size_t length = std::min(max_bytes, expression.size());
  while (length < expression.size() && (expression[length] & 0xC0) == 0x80)
    --length;
  std::string text = expression.substr(0, length);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return length < expression.size() ? text + " …" : text;
}

}  // namespace

std::string describe(const Field& field) {
  std::string text(name_of(field.type));
  if (field.type == FieldType::computed) return text + " as " + shortened(field.expression);
  if (field.type == FieldType::reference) text.append(" to ").append(field.table);
  if (field.many) text += ", many";
  if (field.refers_to_own()) text.append(", on delete ").append(name_of(field.on_delete));
  if (!field.same.empty()) text.append(", same ").append(field.same);
  if (field.required) text += ", required";
  if (field.unique) text += ", unique";
  if (field.default_value.index() != 0) {
    const bool is_boolean = field.type == FieldType::boolean;
    text.append(", default ");
    text.append(is_boolean ? (field.default_value == Value(std::int64_t{1}) ? "true" : "false")
                           : value_text(field.default_value));
  }
  if (field.default_user) text.append(", default ").append(user_default);
  text += bounds_text(field);
  if (field.type == FieldType::blob)
    text += ", at most " + std::to_string(field.max_bytes) + " bytes";
  append_list(text, field.types);
  append_list(text, field.choices);
  return text;
}

}  // namespace tenon::data::schema
