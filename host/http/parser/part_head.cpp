#include "http/parser/part_head.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "http/parser/ascii.hpp"

namespace tenon::http {

namespace {

constexpr Refusal bad_head{400, "http.bad_part_head",
                           "The head of a part of the form is not valid."};
constexpr Refusal bad_disposition{
    400, "http.bad_part_disposition",
    "A part of the form needs one Content-Disposition: form-data with a name."};
constexpr Refusal bad_name{400, "http.bad_part_name",
                           "A name in the form is not UTF-8 or holds a control character."};
constexpr Refusal name_too_long{400, "http.part_name_too_long", "A name in the form is too long."};
constexpr Refusal coded{400, "http.part_coded",
                        "The data of a part of the form must come without a transfer encoding."};

std::string_view take_token(std::string_view& text) noexcept {
  const auto end =
      std::find_if_not(text.begin(), text.end(), [](char c) { return is_in(c, token_character); });
  const std::string_view token = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(token.size());
  return token;
}

bool take_quoted(std::string_view& text, std::string& value) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') ++i;
    value += text[i];
  }
  return false;
}

bool is_clean(std::string_view text) noexcept {
  return base::is_valid_utf8(text) && is_field_value(text) &&
         text.find('\t') == std::string_view::npos;
}

const Refusal* read_disposition(std::string_view value, std::string& name, std::string& file_name,
                                bool& has_file_name) {
  if (!equals_ignoring_case(take_token(value), "form-data")) return &bad_disposition;
  bool has_name = false;
  std::string_view parameter;
  for (std::string text; !value.empty();) {
    if (!take_parameter(value, parameter, text)) return &bad_disposition;
    if (equals_ignoring_case(parameter, "name")) {
      if (has_name) return &bad_disposition;
      has_name = true;
      name = std::move(text);
    } else if (equals_ignoring_case(parameter, "filename")) {
      if (has_file_name) return &bad_disposition;
      has_file_name = true;
      file_name = std::move(text);
    }
  }
  return name.empty() ? &bad_disposition : nullptr;
}

}  // namespace

bool take_parameter(std::string_view& rest, std::string_view& name, std::string& value) {
  value.clear();
  rest = trimmed(rest);
  if (!rest.starts_with(';')) return false;
  rest = trimmed(rest.substr(1));
  name = take_token(rest);
  if (name.empty() || !rest.starts_with('=')) return false;
  rest.remove_prefix(1);
  if (rest.starts_with('"')) {
    if (!take_quoted(rest, value)) return false;
  } else {
    value = take_token(rest);
    if (value.empty()) return false;
  }
  rest = trimmed(rest);
  return true;
}

const Refusal* parse_part_head(std::string_view fields, const MultipartLimits& limits,
                               std::string& name, std::string& file_name, PartHead& head) {
  head = PartHead();
  name.clear();
  file_name.clear();
  bool has_disposition = false;
  bool has_type = false;
  while (!fields.empty()) {
    const std::size_t end = fields.find("\r\n");
    if (end == std::string_view::npos) return &bad_head;
    std::string_view line = fields.substr(0, end);
    fields.remove_prefix(end + 2);
    const std::string_view field = take_token(line);
    if (field.empty() || !line.starts_with(':')) return &bad_head;
    const std::string_view value = trimmed(line.substr(1));
    if (!is_field_value(value)) return &bad_head;
    if (equals_ignoring_case(field, "content-disposition")) {
      if (has_disposition) return &bad_disposition;
      has_disposition = true;
      if (const Refusal* refusal = read_disposition(value, name, file_name, head.has_file_name))
        return refusal;
    } else if (equals_ignoring_case(field, "content-type")) {
      if (has_type) return &bad_head;
      has_type = true;
      head.content_type = value;
    } else if (equals_ignoring_case(field, "content-transfer-encoding")) {
      const bool is_plain = equals_ignoring_case(value, "binary") ||
                            equals_ignoring_case(value, "8bit") ||
                            equals_ignoring_case(value, "7bit");
      if (!is_plain) return &coded;
    }
  }
  if (!has_disposition) return &bad_disposition;
  if (name.size() > limits.name || file_name.size() > limits.file_name) return &name_too_long;
  if (!is_clean(name) || !is_clean(file_name)) return &bad_name;
  head.name = name;
  head.file_name = file_name;
  return nullptr;
}

}  // namespace tenon::http
