#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "identity/clock.hpp"

namespace tenon::identity {

/// Slows down guessing: after some free attempts an account and an address have to wait ever longer
/// between two, up to a bound that is short enough never to lock a person out. An address from
/// which the account was signed in before is counted apart from the rest of the world, so that
/// strangers who guess do not make the owner wait. IPv6 addresses count as their /64. Requests
/// through an unknown proxy on this machine share the proxy's address: then the account counts
/// alone, the proxy's address has a far higher bound, and the address that the proxy claims has the
/// usual one. A claim can only add a wait, so a forged one gains nothing beyond the proxy's bound.
/// Memory is fixed: the entries that matter least give way. Thread-safe; never blocks.
class LoginThrottle {
 public:
  static constexpr int free_per_account = 5;
  static constexpr int free_per_address = 20;
  static constexpr int free_per_shared_address = 500;
  static constexpr std::chrono::seconds first_wait{1};
  static constexpr std::chrono::seconds max_wait{30};
  /// Every so long without an attempt one failure is forgotten.
  static constexpr std::chrono::seconds forget_after{60};
  /// Time without an attempt after which an address that many people share loses one failure.
  static constexpr std::chrono::seconds forget_shared_after{1};
  /// Accounts, and addresses, that are remembered at once.
  static constexpr std::size_t capacity = 16'384;

  /// The origin of an attempt.
  struct Source {
    std::string_view address;
    bool is_shared = false;         ///< the address of a proxy of this machine that is not trusted
    std::string_view claimed = {};  ///< the client's address according to that proxy; may be empty
  };

  explicit LoginThrottle(Clock clock);
  ~LoginThrottle();
  LoginThrottle(const LoginThrottle&) = delete;
  LoginThrottle& operator=(const LoginThrottle&) = delete;

  /// Returns zero if the attempt may continue; it is already counted as failed, so that attempts at
  /// the same moment do not slip through. Otherwise returns how long to wait; nothing is counted
  /// then.
  std::chrono::milliseconds attempt(std::string_view login, const Source& source);

  /// Takes back what attempt() counted and remembers the address for the account; once remembered,
  /// its own failures are forgotten too.
  void succeeded(std::string_view login, const Source& source);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::identity
