#pragma once

#include <string_view>

#include "data/dialect.hpp"

namespace tenon::identity {

/// The SQL of this room that differs between the two engines.
struct RoomSql {
  std::string_view group_ids;  ///< the ids of a user u's groups, with spaces between; NULL for none
  std::string_view names;      ///< a query: id and name of the users of the JSON array ?1
};

constexpr RoomSql room_sql(data::Dialect dialect) noexcept {
  if (dialect == data::Dialect::sqlite) {
    return {"(SELECT group_concat(group_id, ' ') FROM identity_members WHERE user_id = u.id)",
            "SELECT id, name FROM identity_users WHERE id IN (SELECT value FROM json_each(?1))"};
  }
  return {"(SELECT string_agg(group_id, ' ') FROM identity_members WHERE user_id = u.id)",
          "SELECT id, name FROM identity_users WHERE id IN "
          "(SELECT value FROM json_array_elements_text(?1::json))"};
}

}  // namespace tenon::identity
