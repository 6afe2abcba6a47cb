#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/detail/link.hpp>
#include <tenon/identity.h>

namespace tenon {

/// A user of the server.
struct User {
  std::string id;
  std::string login;
  std::string name;       ///< display name
  bool is_admin = false;  ///< has all permissions
  bool is_disabled = false;
};

/// The users of the server and the user of a request. Thread-safe; usable from start on.
class Identity {
 public:
  explicit Identity(detail::Link& link) noexcept : link_(&link) {}

  /// Returns the user with an id, or empty.
  std::optional<User> find(std::string_view user_id) const {
    tenon_user raw = empty();
    return taken(TENON_CALL(*link_, tenon_identity, find, detail::span(user_id), &raw), raw);
  }

  /// Returns all users in the order of ids. It calls the host once for each user: use it for lists
  /// that people read, not on hot paths.
  std::vector<User> all() const {
    std::vector<User> users;
    std::string last;
    for (;;) {
      tenon_user raw = empty();
      std::optional<User> user =
          taken(TENON_CALL(*link_, tenon_identity, next, detail::span(last), &raw), raw);
      if (!user) return users;
      last = user->id;
      users.push_back(*std::move(user));
    }
  }

  /// Returns the user who makes a request, or empty if the request is anonymous. Handlers usually
  /// call Request::user().
  std::optional<User> requester(tenon_handle request) const {
    tenon_user raw = empty();
    return taken(TENON_CALL(*link_, tenon_identity, requester, request, &raw), raw);
  }

  /// Returns the ids of the groups of the user who makes a request, sorted; none if the request is
  /// anonymous. Handlers usually call Request::groups().
  std::vector<std::string> groups(tenon_handle request) const {
    std::vector<tenon_group_id> raw(usual_groups);
    std::uint32_t count = 0;
    const auto ask = [&] {
      detail::check(TENON_CALL(*link_, tenon_identity, groups, request, raw.data(),
                               static_cast<std::uint32_t>(raw.size()), &count),
                    "reading the groups of a user");
    };
    ask();
    if (count > raw.size()) {
      raw.resize(count);
      ask();
    }
    raw.resize(std::min<std::size_t>(count, raw.size()));
    std::vector<std::string> ids;
    ids.reserve(raw.size());
    for (const tenon_group_id& group : raw)
      ids.emplace_back(detail::text_of(group.id));
    return ids;
  }

  /// Returns whether the user of the request has a permission of plugin.json. Throws Misuse if
  /// plugin.json does not declare the permission.
  bool can(tenon_handle request, std::string_view permission) const {
    const tenon_code code =
        TENON_CALL(*link_, tenon_identity, can, request, detail::span(permission));
    if (code == TENON_E_INVALID) {
      throw Misuse("permission '" + std::string(permission) + "' is not declared in plugin.json");
    }
    if (code == TENON_E_DENIED) return false;
    detail::check(code, "checking a permission");
    return true;
  }

 private:
  static constexpr std::size_t usual_groups = 16;

  static tenon_user empty() noexcept {
    tenon_user raw{};
    raw.size = sizeof raw;
    return raw;
  }

  static std::optional<User> taken(tenon_code code, const tenon_user& raw) {
    if (code == TENON_E_NOT_FOUND || code == TENON_DONE) return std::nullopt;
    detail::check(code, "reading a user");
    return User{std::string(detail::text_of(raw.id)), std::string(detail::text_of(raw.login)),
                std::string(detail::text_of(raw.name)), (raw.flags & TENON_USER_ADMIN) != 0,
                (raw.flags & TENON_USER_DISABLED) != 0};
  }

  detail::Link* link_;
};

}  // namespace tenon
