#include "identity/users/name_key.hpp"

#include <algorithm>

#include <Poco/UTF8String.h>

#include "base/utf8.hpp"
#include "identity/users/user_rules.hpp"

namespace tenon::identity {

std::string name_key(std::string_view name) {
  const bool is_ascii = std::all_of(name.begin(), name.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii) return login_key(name);
  if (!base::is_valid_utf8(name)) return std::string(name);
  return Poco::UTF8::toLower(std::string(name));
}

}  // namespace tenon::identity
