#include "http/parser/cookies.hpp"

#include <cstddef>

#include "http/parser/ascii.hpp"

namespace tenon::http {

std::string_view cookie_value(std::string_view header, std::string_view name) noexcept {
  while (!header.empty()) {
    const std::string_view pair = next_part(header, ';');
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || trimmed(pair.substr(0, equals)) != name) continue;
    std::string_view value = trimmed(pair.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

}  // namespace tenon::http
