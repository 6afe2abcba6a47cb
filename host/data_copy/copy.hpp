#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/copy/copy_source.hpp"

namespace tenon::data::copying {

/// How far a table is.
struct Progress {
  enum class Work : std::uint8_t { copying, checking };
  Work work;
  std::string_view table;
  std::int64_t rows;  ///< so far
  std::int64_t of;
  bool is_finished;
};
/// Called after every batch and at the end of each table.
using Watch = std::function<void(const Progress&)>;

/// A table that has been compared.
struct Compared {
  std::string table;
  std::int64_t rows = 0;        ///< of the source
  std::int64_t other_rows = 0;  ///< of the target
  std::string checksum;         ///< of the source; see RowDigest
  bool is_equal = false;
};

/// Copies the rows of `source` into the tables that were made in `target`, batch by batch. Each
/// batch and its copy state are one transaction of the target. So another call resumes an
/// interrupted copy after its last batch; no row is copied twice. Triggers do not run. Throws 422
/// data.copy_refused, which names table and row, what the engines fail with, and what
/// check_tables() throws.
void copy_rows(CopySource& source, CopyTarget& target, const Watch& watch);

/// Compares every table by count and checksum, read again from both sides.
std::vector<Compared> compare_rows(CopySource& source, CopySource& target, const Watch& watch);

/// Refuses what does not fit into the target: 422 data.copy_refused with all tables and columns
/// that it lacks, or has alone. Empty tables need none.
void check_tables(CopySource& source, CopySource& target);

/// True once copy_rows() has begun: the target's tables have no triggers and references, and must
/// not be migrated.
bool is_prepared(CopySource& target);
/// True when copy_rows() came to its end.
bool is_copied(CopySource& target);

}  // namespace tenon::data::copying
