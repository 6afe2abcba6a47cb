#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "identity/clock.hpp"
#include "identity/principal.hpp"

namespace tenon::data {
class Database;
}
namespace tenon::events {
class Bus;
}

namespace tenon::identity {

struct User;

/// A signed-in browser, without its secret.
struct Session {
  std::string id;
  std::string user_id;
  std::int64_t created_ms = 0;    ///< since 1970
  std::int64_t last_seen_ms = 0;  ///< exact to a minute after a restart
  std::int64_t expires_ms = 0;    ///< at the latest
  std::string address;            ///< where it was signed in from
  std::string user_agent;         ///< at most 200 bytes
  std::int64_t generation = 0;    ///< User::generation when it was opened
};

enum class SessionEnd : std::uint8_t { signed_out, disabled };

/// All sessions: a table in memory that is read without blocking, written through to the host
/// database (tokens as SHA-256) and read from it at the start. Thread-safe. Functions that change
/// something block on the database, so not for I/O threads. The end of every session is an event on
/// the bus, see session_events.hpp.
class Sessions {
 public:
  struct Options {
    std::chrono::milliseconds idle{std::chrono::hours(7 * 24)};
    std::chrono::milliseconds absolute{std::chrono::hours(30 * 24)};
    std::size_t per_user = 100;  ///< beyond: the one that was used longest ago ends
  };

  /// Loads what is stored. `database` and `bus` must outlive it.
  Sessions(data::Database& database, events::Bus& bus, Clock clock, Options options);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  struct Issued {
    std::string token;  ///< the cookie's value: 256 random bits; kept nowhere
    PrincipalPtr principal;
    std::int64_t expires_ms = 0;
  };
  /// Throws base::Error 401 "identity.wrong_credentials" when the user was disabled or got a new
  /// password meanwhile.
  Issued issue(const User& user, std::string_view address, std::string_view user_agent);

  /// Returns the holder of this token; null for unknown and expired ones. Counts as use. For I/O
  /// threads.
  PrincipalPtr find(std::string_view token) noexcept;

  std::vector<Session> of_user(std::string_view user_id) const;

  /// False when there is no such session of this user.
  bool end(std::string_view user_id, std::string_view session_id,
           SessionEnd reason = SessionEnd::signed_out);
  /// Ends all sessions of the user that were opened before its User::generation became
  /// `generation`; `except_session` moves on to it instead.
  void end_before(std::string_view user_id, std::int64_t generation, SessionEnd reason,
                  std::string_view except_session = {});
  /// Puts the stored name, role and groups into the sessions of these users.
  void refresh(const std::vector<std::string>& user_ids);

  /// Ends what has expired and stores when the others were last used. To be called every minute.
  void sweep();

  std::size_t size() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::identity
