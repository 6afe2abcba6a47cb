#include "http/parser/request.hpp"

#include <array>
#include <utility>

#include "http/parser/ascii.hpp"
#include "http/parser/text_scan.hpp"

namespace tenon::http {

namespace {
constexpr std::array<std::pair<std::string_view, Method>, 7> methods{
    {{"GET", Method::get},
     {"HEAD", Method::head},
     {"POST", Method::post},
     {"PUT", Method::put},
     {"PATCH", Method::patch},
     {"DELETE", Method::del},
     {"OPTIONS", Method::options}}};

// False on a broken escape; then `out` is of no use.
bool decode_form(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '+') {
      out += ' ';
    } else if (c != '%') {
      out += c;
    } else {
      const int byte = escaped_byte(text, i);
      if (byte < 0) return false;
      out += static_cast<char>(byte);
      i += 2;
    }
  }
  return true;
}
}  // namespace

Method parse_method(std::string_view name) noexcept {
  if (is_text(name, "GET")) return Method::get;
  for (const auto& [text, method] : methods) {
    if (text == name) return method;
  }
  return Method::other;
}

std::string_view to_string(Method method) noexcept {
  for (const auto& [text, known] : methods) {
    if (known == method) return text;
  }
  return "OTHER";
}

std::string_view Request::find_field(std::string_view name) const noexcept {
  for (const Field& field : fields) {
    if (field.name == name) return field.value;
  }
  return {};
}

std::string query_value(std::string_view query, std::string_view name) {
  std::string decoded;
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
    const std::size_t equals = pair.find('=');
    if (!decode_form(pair.substr(0, equals), decoded) || decoded != name) continue;
    if (equals == std::string_view::npos) return {};
    return decode_form(pair.substr(equals + 1), decoded) ? decoded : std::string{};
  }
  return {};
}

}  // namespace tenon::http
