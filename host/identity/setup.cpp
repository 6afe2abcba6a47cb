#include "identity/setup.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"

namespace tenon::identity {

std::string Setup::issue_token() {
  if (users_.any()) return {};
  std::string token = base::random_token();
  database_.exec(
      "INSERT INTO identity_setup(one, token_hash) VALUES(1, ?1) "
      "ON CONFLICT(one) DO UPDATE SET token_hash = excluded.token_hash",
      {base::sha256_hex(token)});
  return token;
}

User Setup::run(std::string_view token, NewUser user) {
  if (users_.any()) throw base::Error(404, "identity.setup_done", "The set-up is done. Sign in.");
  bool is_right = false;
  {
    data::Rows rows = database_.query("SELECT token_hash FROM identity_setup");
    is_right = rows.next() && base::equal_in_constant_time(rows.text(0), base::sha256_hex(token));
  }
  if (!is_right) {
    throw base::Error(403, "identity.setup_token_wrong",
                      "This set-up link is not the one that the server printed last. Restart the "
                      "server to get a new one.");
  }
  return users_.create_first(std::move(user));
}

}  // namespace tenon::identity
