#include "identity/sessions/authenticator.hpp"

#include "base/error.hpp"
#include "identity/sessions/cookie.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/users/users.hpp"

namespace tenon::identity {

PrincipalPtr Authenticator::authenticate(const Credentials& credentials) const noexcept {
  const std::string_view token = session_token(credentials.cookie, credentials.secure);
  return token.empty() ? nullptr : sessions_.find(token);
}

base::Error Authenticator::challenge() const {
  if (!users_.any()) {
    return {
        401, "identity.setup_required",
        "There are no users yet. Open the set-up link that the server printed when it started."};
  }
  return {401, "identity.signed_out", "Sign in to continue."};
}

}  // namespace tenon::identity
