#pragma once

#include <string>
#include <string_view>

#include "identity/users/users.hpp"

namespace tenon::identity {

/// The one-time set-up: the holder of the token that the server printed creates the first admin.
/// Thread-safe; blocks on the database.
class Setup {
 public:
  Setup(data::Database& database, Users& users) noexcept : database_(database), users_(users) {}

  /// A new token (256 random bits, stored as SHA-256; earlier ones die), to be printed; empty when
  /// a user exists.
  std::string issue_token();

  /// Makes the first admin and ends the set-up. Throws base::Error 404 "identity.setup_done", 403
  /// "identity.setup_token_wrong", 422 "identity.validation".
  User run(std::string_view token, NewUser user);

 private:
  data::Database& database_;
  Users& users_;
};

}  // namespace tenon::identity
