#pragma once

#include <string>
#include <string_view>

namespace tenon::identity {

/// The form in which names are compared and searched: lower case of all letters that Unicode maps
/// one to one. Text that is not valid UTF-8 comes back as it is. Pure.
std::string name_key(std::string_view name);

}  // namespace tenon::identity
