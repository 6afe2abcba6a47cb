#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identity/clock.hpp"

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data

namespace tenon::identity {

class Sessions;

struct Group {
  std::string id;
  std::string name;
  std::string description;
  std::size_t members = 0;      ///< how many
  std::int64_t created_ms = 0;  ///< since 1970
  std::int64_t updated_ms = 0;  ///< of name and description
};

struct NewGroup {
  std::string name;  ///< 1–200 bytes of UTF-8 without control characters, unique without regard to
                     ///< case; spaces around it are dropped
  std::string description = {};  ///< at most 1,000 bytes, one line
};

struct GroupChange {
  std::optional<std::string> name = {};
  std::optional<std::string> description = {};
};

struct MembersChange {
  std::vector<std::string> add = {};     ///< ids of users; who is a member already stays one
  std::vector<std::string> remove = {};  ///< who is none is passed over
};

struct GroupPage {
  std::vector<Group> items;
  std::string next;  ///< cursor of the next page, empty at the end
};

/// Groups of users, in the host database. A change of members takes effect with the next request of
/// these users. Thread-safe; blocks on the database, so not for I/O threads. Throws base::Error:
/// 422 "identity.validation" with the fields that are wrong, 409 "identity.group_name_taken", 404
/// "identity.unknown_group", and 409 "identity.too_many_groups", "identity.too_many_members" beyond
/// the bounds.
class Groups {
 public:
  static constexpr std::size_t max_description_bytes = 1000;
  static constexpr std::size_t max_page = 200;
  static constexpr std::size_t max_groups = 1000;          ///< in one installation
  static constexpr std::size_t max_members = 10'000;       ///< of one group
  static constexpr std::size_t max_groups_per_user = 200;  ///< that one user belongs to

  Groups(data::Database& database, Sessions& sessions, Clock clock);

  /// Ordered by name. `after` is a cursor of an earlier page or empty.
  /// `limit` is cut to 1 … max_page.
  GroupPage list(std::size_t limit = 50, std::string_view after = {}) const;
  std::optional<Group> find(std::string_view id) const;

  Group create(const NewGroup& group);
  Group change(std::string_view id, const GroupChange& change);

  /// Changes all or nothing. An unknown user to add is 422 with the field "add".
  Group change_members(std::string_view id, const MembersChange& change);

  /// Removes the group and returns it as it was. Records that refer to it keep its id, which
  /// matches no one any more and is never given again.
  Group remove(std::string_view id);

 private:
  data::Database& database_;
  Sessions& sessions_;
  Clock clock_;
};

}  // namespace tenon::identity
