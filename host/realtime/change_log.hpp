#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/dialect.hpp"
#include "data/transaction.hpp"

namespace tenon::realtime {

/// A change as it is in the change log of a plugin's database (schema/change_log.hpp).
struct Change {
  std::int64_t sequence = 0;
  std::string table;
  std::string record;
  bool is_create = false;
  bool is_delete = false;
  std::optional<std::string> before;  ///< JSON
};

struct LogEnds {
  std::string name;         ///< of the log; empty where there is none
  std::int64_t newest = 0;  ///< sequence of the newest change; 0 before the first
  std::int64_t oldest = 0;  ///< of the oldest stored change; newest + 1 if there is none
};

LogEnds read_ends(data::Transaction& transaction, data::Dialect engine);

struct Changes {
  std::vector<Change> list;
  std::int64_t last = 0;   ///< sequence that was read last
  bool is_gapless = true;  ///< false: changes after the requested sequence are no longer stored
  bool has_more = false;
};

/// Returns at most `max_count` changes after `sequence`, up to `until`.
Changes read_changes(data::Transaction& transaction, std::int64_t sequence, std::int64_t until,
                     std::size_t max_count);

/// Turns deletes of records that still exist into updates. SQLite's change log has a `delete` also
/// if an insert hit an existing record and was ignored or changed it (data/README.md). Queries each
/// deleted record of the list, in the transaction that read it.
void correct_deletes(data::Transaction& transaction, data::Dialect engine, Changes& changes);

}  // namespace tenon::realtime
