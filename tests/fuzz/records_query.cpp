// The query of a list of records, a cursor in it, and an Idempotency-Key.

#include <set>
#include <string>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "property.hpp"
#include "records/query/query_text.hpp"

namespace {

using tenon::records::from_base64url;
using tenon::records::parse_query;
using tenon::records::read_quoted;
using tenon::records::to_base64url;

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(tenon::fuzz::text_of(data, size));
  TENON_HOLDS(from_base64url(to_base64url(text)) == text);
  if (const auto bytes = from_base64url(text)) TENON_HOLDS(to_base64url(*bytes) == text);
  if (const auto key = read_quoted(text)) {
    std::string quoted = "\"";
    for (const char c : *key) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    TENON_HOLDS(read_quoted(quoted + "\"") == *key);
  }
  try {
    std::set<std::string> names;
    for (const auto& [name, value] : parse_query(text)) {
      TENON_HOLDS(names.insert(name).second);
      TENON_HOLDS(tenon::base::is_valid_utf8(name) && tenon::base::is_valid_utf8(value));
      TENON_HOLDS(name.size() + value.size() <= text.size());
    }
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 400 && error.code() == "records.bad_query");
  }
  return 0;
}
