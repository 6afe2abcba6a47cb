#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "identity/clock.hpp"
#include "identity/principal.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::identity {

class Passwords;
class Sessions;

struct User {
  std::string id;
  std::string login;
  std::string name;
  Role role = Role::member;
  bool disabled = false;
  std::int64_t created_ms = 0;  ///< since 1970
  std::int64_t updated_ms = 0;
  std::int64_t generation = 0;  ///< grows with a new password and when the user is disabled:
                                ///< sessions of older ones are void
};

struct NewUser {
  std::string login;  ///< 1–64 of [A-Za-z0-9._@+-], unique without regard to case
  std::string name;   ///< 1–200 bytes of UTF-8 without control characters; the login when empty
  Role role = Role::member;
  std::string password;
};

struct UserChange {
  std::optional<std::string> name;
  std::optional<Role> role;
  std::optional<bool> disabled;
  std::optional<std::string> password;
};

struct UserPage {
  std::vector<User> items;
  std::string next;  ///< cursor of the next page, empty at the end
};

/// The people of this installation, in the host database. Thread-safe; blocks on the database, so
/// not for I/O threads (except any()). Throws base::Error: 422 "identity.validation" with the
/// fields that are wrong, 409 "identity.login_taken", 404 "identity.unknown_user", 409
/// "identity.last_admin", 403 "identity.wrong_password", 503 "identity.busy".
class Users {
 public:
  static constexpr std::size_t max_login_bytes = 64;
  static constexpr std::size_t max_name_bytes = 200;
  static constexpr std::size_t max_page = 200;

  Users(data::Database& database, Passwords& passwords, Sessions& sessions, Clock clock);

  /// False until the first user exists. Never blocks.
  bool any() const noexcept { return any_.load(std::memory_order_acquire); }

  /// Ordered by login. `after` is a cursor of an earlier page or empty.
  /// `limit` is cut to 1 … max_page.
  UserPage list(std::size_t limit = 50, std::string_view after = {}) const;
  /// As list(), of a group's members; empty where there is no such group.
  UserPage members_of(std::string_view group_id, std::size_t limit = 50,
                      std::string_view after = {}) const;
  std::optional<User> find(std::string_view id) const;
  /// Returns the user as a principal without a session; nothing when there is none or it is
  /// disabled.
  std::optional<Principal> principal(std::string_view id) const;
  /// Returns the user that follows in the order of ids; `id` may be empty or unknown.
  std::optional<User> find_after(std::string_view id) const;
  /// Ids and names of those of these ids that there are, in any order; one statement.
  std::vector<std::pair<std::string, std::string>> names(const std::vector<std::string>& ids) const;
  std::optional<User> find_by_login(std::string_view login) const;

  User create(const NewUser& user);
  /// As create(), but an admin, and only while no user exists (else 404 "identity.setup_done"). For
  /// the set-up, which it ends.
  User create_first(NewUser user);

  /// A disabled user and one with a new password lose all sessions at once; a new name or role is
  /// in force with the next request. The last admin that is not disabled cannot be demoted or
  /// disabled.
  User change(std::string_view id, const UserChange& change);

  /// Own password, with the old one. Ends all sessions of the user but `except_session` (may be
  /// empty).
  void change_password(std::string_view id, std::string_view old_password,
                       std::string_view new_password, std::string_view except_session);

  /// The user with this login and password, nothing when they do not fit or the user is disabled;
  /// as slow in every case.
  std::optional<User> check(std::string_view login, std::string_view password) const;

 private:
  User insert(const NewUser& user, bool only_first);

  data::Database& database_;
  Passwords& passwords_;
  Sessions& sessions_;
  Clock clock_;
  std::atomic<bool> any_{false};
};

}  // namespace tenon::identity
