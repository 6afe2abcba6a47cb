// A Cookie field. The first line is the name that is looked for.

#include "http/parser/cookies.hpp"

#include "http/parser/ascii.hpp"
#include "property.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tenon::http::cookie_value;
  std::string_view header = tenon::fuzz::text_of(data, size);
  const std::string_view name = tenon::fuzz::take_line(header);

  const std::string_view value = cookie_value(header, name);
  TENON_HOLDS(tenon::fuzz::is_within(value, header));
  TENON_HOLDS(value.find(';') == std::string_view::npos);
  TENON_HOLDS(value.empty() || header.find(name) != std::string_view::npos);
  TENON_HOLDS(value == tenon::http::trimmed(value) || header.find('"') != std::string_view::npos);

  // The first cookie of a name wins, whatever follows.
  const bool is_name = !name.empty() && name == tenon::http::trimmed(name) &&
                       name.find_first_of("=;") == std::string_view::npos;
  if (is_name) {
    const std::string first = std::string(name) + "=abc; " + std::string(header);
    TENON_HOLDS(cookie_value(first, name) == "abc");
    const std::string quoted = "x=1;" + std::string(name) + " = \"abc\" ;" + std::string(header);
    TENON_HOLDS(cookie_value(quoted, name) == (name == "x" ? "1" : "abc"));
    const std::string other = std::string(name) + "2=abc; " + std::string(header);
    TENON_HOLDS(cookie_value(other, name) == value);
  }
  return 0;
}
