#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::expression {

/// The user and time of a request: the values of the parameters of an expression. One per request;
/// for one thread at a time.
class Context {
 public:
  /// Whether the principal holds a permission.
  using Can = std::function<bool(std::string_view permission)>;

  /// `user` is the principal's id, nullopt for an anonymous request; `groups` the ids of its
  /// groups; `now` in milliseconds since 1970 (UTC), within the years 0 to 9999. An empty `can`
  /// grants nothing.
  Context(std::optional<std::string> user, std::vector<std::string> groups, std::int64_t now,
          Can can);

  const std::optional<std::string>& user() const noexcept { return user_; }
  const std::vector<std::string>& groups() const noexcept { return groups_; }
  /// @groups as a JSON array, made when first asked for.
  std::string_view groups_json() const;
  /// @now, as a datetime is stored.
  std::string_view now() const;
  /// @today, as a date is stored.
  std::string_view today() const { return now().substr(0, 10); }
  /// Returns the time that many days of 24 hours before the request, as a datetime is stored; year
  /// 0 is the earliest.
  std::string_view days_ago(std::int64_t days) const;
  bool can(std::string_view permission) const { return can_ && can_(permission); }

 private:
  std::optional<std::string> user_;
  std::vector<std::string> groups_;
  mutable std::string groups_json_;
  std::int64_t milliseconds_;
  mutable std::string now_;  // made when first asked for
  mutable std::map<std::int64_t, std::string> days_ago_;
  Can can_;
};

}  // namespace tenon::expression
