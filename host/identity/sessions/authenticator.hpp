#pragma once

#include <string_view>

#include "base/error_fwd.hpp"
#include "identity/principal.hpp"

namespace tenon::identity {

class Sessions;
class Users;

/// The parts of a request that say who makes it.
struct Credentials {
  std::string_view cookie = {};  ///< the Cookie field as sent
  /// The Authorization field as sent; API tokens ("Bearer tnn_…") will be read from it.
  std::string_view authorization = {};
  bool secure = false;  ///< the client came over TLS: only the __Host- cookie counts
};

/// Names the principal of a request. Never blocks; for I/O threads. Thread-safe.
class Authenticator {
 public:
  Authenticator(Sessions& sessions, const Users& users) noexcept
      : sessions_(sessions), users_(users) {}

  /// Returns null when no user is signed in with these credentials.
  PrincipalPtr authenticate(const Credentials& credentials) const noexcept;

  /// The 401 for a request without principal: "identity.signed_out", or "identity.setup_required"
  /// while no user exists.
  base::Error challenge() const;

 private:
  Sessions& sessions_;
  const Users& users_;
};

}  // namespace tenon::identity
