// The target of a request: forms, decoding, dot segments; and the values of its query.

#include <algorithm>

#include "base/utf8.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/head_parser.hpp"
#include "http/parser/target.hpp"
#include "property.hpp"

namespace {

using namespace tenon::http;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

void check_path(std::string_view path) {
  TENON_HOLDS(path.starts_with('/') && !path.starts_with("//"));
  TENON_HOLDS(!has_control(path) && tenon::base::is_valid_utf8(path));
  for (std::string_view rest = path.substr(1);;) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    TENON_HOLDS(segment != "." && segment != "..");
    if (slash == std::string_view::npos) break;
    rest = rest.substr(slash + 1);
  }
}

std::string encoded(std::string_view path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/') {
      text += c;
    } else {
      text += '%';
      text += digits[byte >> 4];
      text += digits[byte & 15];
    }
  }
  return text;
}

void check_target(std::string_view method, std::string_view text) {
  std::string decoded;
  Target target;
  if (read_target(method, text, decoded, target) != nullptr) return;
  TENON_HOLDS(target.authority.empty() || is_valid_host(target.authority));
  TENON_HOLDS(target.authority.find_first_of("/@\\") == std::string_view::npos);
  TENON_HOLDS(tenon::fuzz::is_within(target.query, text));
  TENON_HOLDS(!has_control(target.origin) && target.origin.find('#') == std::string_view::npos);
  if (target.path == "*") {
    TENON_HOLDS(text == "*" && method == "OPTIONS");
    return;
  }
  check_path(target.path);

  const std::string path(target.path);
  const std::string query(target.query);
  std::string again_text = encoded(path);
  if (target.origin.find('?') != std::string_view::npos) again_text += "?" + query;
  std::string again_decoded;
  Target again;
  TENON_HOLDS(read_target(method, again_text, again_decoded, again) == nullptr);
  TENON_HOLDS(again.path == path && again.query == query);

  for (std::string_view rest = query; !rest.empty();) {
    const std::string_view pair = next_part(rest, '&');
    const std::string_view name = pair.substr(0, pair.find('='));
    TENON_HOLDS(query_value(query, name).size() <= query.size());
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = tenon::fuzz::text_of(data, size);
  check_target("GET", text);
  check_target("OPTIONS", text);
  std::string decoded;
  Target target;
  TENON_HOLDS(read_target("CONNECT", text, decoded, target) != nullptr);
  if (is_valid_host(text)) {
    TENON_HOLDS(size <= 255 && std::all_of(text.begin(), text.end(), [](char c) {
                  return c > 0x20 && c < 0x7F &&
                         std::string_view("/?#@\\,;%").find(c) == std::string_view::npos;
                }));
  }
  return 0;
}
