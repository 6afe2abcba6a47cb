#include "identity/users/user_rules.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "identity/users/common_passwords.hpp"
#include "identity/users/groups.hpp"
#include "identity/users/passwords.hpp"
#include "identity/users/users.hpp"

namespace tenon::identity {

namespace {

bool is_login_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '@' || c == '+' || c == '-';
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

void UserRules::add(std::string_view field, std::string_view code, std::string message) {
  wrong_.push_back({std::string(field), std::string(code), std::move(message)});
}

void UserRules::check_login(std::string_view login) {
  if (login.empty()) {
    add("login", "required", "A login is needed.");
  } else if (login.size() > Users::max_login_bytes) {
    add("login", "too_long",
        "A login has at most " + std::to_string(Users::max_login_bytes) + " characters.");
  } else if (!std::all_of(login.begin(), login.end(), is_login_character)) {
    add("login", "invalid", "A login is made of letters A-Z, digits and the characters . _ @ + -");
  }
}

void UserRules::check_name(std::string_view name) {
  if (name.find_first_not_of(' ') == std::string_view::npos) {
    add("name", "required", "A name is needed.");
  } else if (name.size() > Users::max_name_bytes) {
    add("name", "too_long",
        "A name has at most " + std::to_string(Users::max_name_bytes) + " bytes.");
  } else if (!base::is_valid_utf8(name) || std::any_of(name.begin(), name.end(), is_control)) {
    add("name", "invalid", "A name has no control characters.");
  }
}

void UserRules::check_description(std::string_view description) {
  if (description.size() > Groups::max_description_bytes) {
    add("description", "too_long",
        "A description has at most " + std::to_string(Groups::max_description_bytes) + " bytes.");
  } else if (!base::is_valid_utf8(description) ||
             std::any_of(description.begin(), description.end(), is_control)) {
    add("description", "invalid", "A description is one line without control characters.");
  }
}

void UserRules::check_password(std::string_view password, std::string_view login,
                               std::string_view field) {
  if (password.size() < Passwords::min_bytes) {
    add(field, password.empty() ? "required" : "too_short",
        "A password has at least " + std::to_string(Passwords::min_bytes) + " characters.");
  } else if (password.size() > Passwords::max_bytes) {
    add(field, "too_long",
        "A password has at most " + std::to_string(Passwords::max_bytes) + " bytes.");
  } else if (login_key(password) == login_key(login)) {
    add(field, "is_login", "The password is the login. Choose another password.");
  } else if (is_common_password(password)) {
    add(field, "too_common",
        "This password is one of the most used, so it is easy to guess. Choose another password.");
  }
}

void UserRules::require() const {
  if (wrong_.empty()) return;
  throw base::Error(422, "identity.validation",
                    wrong_.size() == 1 ? wrong_.front().message : "Some fields are wrong.", wrong_);
}

std::string login_key(std::string_view login) {
  std::string key(login);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return key;
}

}  // namespace tenon::identity
