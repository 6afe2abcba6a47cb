#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/dialect.hpp"
#include "data/transaction.hpp"

namespace tenon::realtime {

/// A change as the log of a plugin's file has it (schema/change_log.hpp).
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
  std::int64_t oldest = 0;  ///< of the oldest that is kept; newest + 1 where none is
};

LogEnds read_ends(data::Transaction& transaction, data::Dialect engine);

struct Changes {
  std::vector<Change> list;
  std::int64_t last = 0;   ///< sequence that was read last
  bool is_gapless = true;  ///< false: changes behind the sequence asked for are not kept any more
  bool has_more = false;
};

/// At most `most` changes behind `sequence`, up to `until`.
Changes read_changes(data::Transaction& transaction, std::int64_t sequence, std::int64_t until,
                     std::size_t most);

/// SQLite's log has a `delete` also where an insert met the record and was ignored, or changed it
/// (data/README.md, "The log of changes"). Makes those changes updates whose record was not gone.
/// Asks for each deleted record of the list; in the transaction that read it.
void settle_deletes(data::Transaction& transaction, data::Dialect engine, Changes& changes);

}  // namespace tenon::realtime
