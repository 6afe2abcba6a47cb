#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "identity/clock.hpp"
#include "identity/principal.hpp"
#include "identity/sessions/login_throttle.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/users/passwords.hpp"

namespace tenon::data {
class Database;
}
namespace tenon::events {
class Bus;
}
namespace tenon::observability {
class Audit;
class Metrics;
}  // namespace tenon::observability

namespace tenon::identity {

class AllowedHosts;
class Authenticator;
class Groups;
class People;
class Permissions;
class ProxyNotice;
class Setup;
class Users;

/// A sign-in that came too early. 429 "identity.throttled".
class Throttled : public base::Error {
 public:
  explicit Throttled(std::chrono::milliseconds wait);
  /// Whole seconds for Retry-After, at least 1.
  int retry_after() const noexcept { return retry_after_; }

 private:
  int retry_after_;
};

/// Everything the room offers, put together over the host database: creates its tables when they
/// are missing.
class Identity {
 public:
  struct Options {
    Sessions::Options sessions;
    Passwords::Options passwords;
    Clock clock;                          ///< empty: the wall clock
    std::vector<std::string> hosts = {};  ///< as AllowedHosts takes them
    /// A thread calls maintain() every minute; off in tests and for single commands.
    bool maintain = true;
  };

  /// Throws what the database throws. `database`, `bus` and `metrics` must outlive it.
  Identity(data::Database& database, events::Bus& bus, observability::Metrics& metrics,
           const Options& options);
  ~Identity();
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;

  Users& users() noexcept;
  Groups& groups() noexcept;
  People& people() noexcept;
  Sessions& sessions() noexcept;
  Setup& setup() noexcept;
  Permissions& permissions() noexcept;
  Authenticator& authenticator() noexcept;
  AllowedHosts& hosts() noexcept;
  ProxyNotice& proxy_notice() noexcept;
  observability::Audit& audit() noexcept;

  /// Checks throttle and password and opens a session; `old_token` is the session that the browser
  /// held before, it ends. Throws Throttled, 401 "identity.wrong_credentials" (in the same time for
  /// an unknown login) and 503 "identity.busy". Blocks; not for I/O threads.
  Sessions::Issued sign_in(std::string_view login, std::string_view password,
                           const LoginThrottle::Source& source, std::string_view user_agent,
                           std::string_view old_token);

  /// Users::change_password() of the principal, throttled as sign-ins are; its own session stays.
  void change_own_password(const Principal& principal, std::string_view old_password,
                           std::string_view new_password, const LoginThrottle::Source& source);

  /// Does the work of the maintenance thread, once a minute: expired sessions, uses of the others,
  /// allowed hosts that another server stored, the notice of a proxy, old audit records.
  void maintain();

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace tenon::identity
