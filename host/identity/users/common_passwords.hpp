#pragma once

#include <string_view>

namespace tenon::identity {

/// Returns true for a password of at least Passwords::min_bytes bytes that is among the 10,000 most
/// used ones, without regard to case. The list is common_passwords.txt, see decision 0087.
bool is_common_password(std::string_view password);

}  // namespace tenon::identity
