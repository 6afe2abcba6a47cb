#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/snapshot/snapshot.hpp"
#include "schema/tables.hpp"

namespace tenon::data {

/// One table with records, as it is called now and was called in a snapshot.
struct PairedTable {
  std::string title;                          ///< for people
  std::string now;                            ///< empty: there is none
  std::string then;                           ///< empty: there was none
  std::string identity = "id";                ///< the column that identifies a record
  std::string named = "id";                   ///< the column that names a record for people
  std::map<std::string, std::string> former;  ///< of renamed fields: today's name to the former one
  std::set<std::string> converted;            ///< fields of which an upgrade changed the type
  std::set<std::string> stamps;               ///< columns that the host fills, as `updated`
};

/// The tables that are declared now or were then, and those of their fields with many references.
std::vector<PairedTable> paired_tables(const schema::Tables& now, const schema::Tables& then);

/// Tables that only migrations of the plugin know: of the names that are there now and were there
/// then, those that are neither in `declared` nor the host's.
std::vector<PairedTable> undeclared_tables(const std::vector<std::string>& now,
                                           const std::vector<std::string>& then,
                                           const std::vector<PairedTable>& declared);

/// A column of a table; `type` is compared as text, and may be empty.
struct StoredColumn {
  std::string name;
  std::string type;
};

struct PairedColumn {
  std::string now;
  std::string then;
};

/// The columns that decide whether a record has changed.
struct PairedColumns {
  std::vector<PairedColumn> compared;     ///< those of both versions
  std::vector<std::string> not_compared;  ///< of both, but with values of another type
  std::vector<std::string> added;         ///< of today's version alone, without stamps
};
PairedColumns paired_columns(const PairedTable& table, const std::vector<StoredColumn>& now,
                             const std::vector<StoredColumn>& then);

/// Adds `name` to `names` unless there are max_named_records already, or it is the last one.
void name_record(std::vector<std::string>& names, std::string_view name);

/// Whether anything would be lost, or might be.
bool has_changes(const TableChanges& changes) noexcept;

/// The difference of two tables whose rows have no ids. Each row is one text that says all of it.
class RowDifference {
 public:
  /// Different rows that are held at once; with more the difference is not known.
  static constexpr std::size_t max_rows = 200'000;

  void add_then(std::string_view row) { add(row, -1); }
  void add_now(std::string_view row) { add(row, 1); }
  bool is_known() const noexcept { return is_known_; }
  /// Sets `added` and `removed`, or that they are not known.
  void write_to(TableChanges& changes) const;

 private:
  void add(std::string_view row, std::int64_t count);

  std::unordered_map<std::size_t, std::int64_t> rows_;  ///< by hash; how many more there are now
  bool is_known_ = true;
};

}  // namespace tenon::data
