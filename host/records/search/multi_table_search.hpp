#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/transaction.hpp"
#include "expression/context.hpp"
#include "records/model/table_context.hpp"

namespace tenon::base {
class JsonWriter;
}

namespace tenon::records {

// A search over several tables: each table is searched on its own, then the hits are merged by
// rank.

/// A record that was found.
struct SearchHit {
  double rank = 0;   ///< the smallest is the best
  std::string json;  ///< {"plugin","table","id","title","highlight"}
};

/// The search of one table.
struct TableHitsQuery {
  std::string_view typed;  ///< as q
  std::size_t limit = 0;
  std::string_view plugin = {};            ///< a member of each hit; empty: none
  data::Transaction* within = nullptr;     ///< null: the newest snapshot
  std::chrono::milliseconds timeout = {};  ///< of that; zero: the database's own
};

/// Returns the time until `end`, at least 1 ms. Throws 503 `records.search_time` if `end` has
/// passed.
std::chrono::milliseconds time_until(std::chrono::steady_clock::time_point end);

/// Adds what the table has for who asks; nothing where they may see nothing of it. The best stay,
/// one more than the limit. Throws what a list with q is refused with.
void find_hits(const TableContext& table_context, const TableHitsQuery& query,
               const expression::Context& context, std::vector<SearchHit>& hits);

/// Writes them as an array, the best first; whether there are more than the limit.
bool write_hits(base::JsonWriter& json, std::vector<SearchHit> hits, std::size_t limit);

}  // namespace tenon::records
