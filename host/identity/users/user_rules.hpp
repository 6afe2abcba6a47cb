#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tenon::identity {

/// Collects what is wrong with the fields of a user or of a group, to report all at once.
class UserRules {
 public:
  void check_login(std::string_view login);
  void check_name(std::string_view name);
  void check_description(std::string_view description);
  /// `login`: of the user. `field` is the name that the caller gave the password.
  void check_password(std::string_view password, std::string_view login,
                      std::string_view field = "password");

  /// Throws 422 "identity.validation" when something was wrong.
  void require() const;

 private:
  void add(std::string_view field, std::string_view code, std::string message);

  std::vector<base::FieldError> wrong_;
};

/// The form in which logins are compared: ASCII lower case, which is all that a login can hold.
std::string login_key(std::string_view login);

}  // namespace tenon::identity
