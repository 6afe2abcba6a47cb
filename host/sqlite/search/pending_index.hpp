#pragma once

#include <cstdint>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::data::sqlite {

/// The changes that the search indexes of a file do not have yet, for the connection that writes.
/// Triggers record the changed rows in a queue table of each index (schema/search_index.cpp);
/// flush() applies them at the commit. FTS5 writes a segment of its index for each statement that
/// ran a trigger; with a queue it writes one for each commit. One thread at a time.
class PendingIndex {
 public:
  explicit PendingIndex(sqlite3* db) noexcept : db_(db) {}
  ~PendingIndex();
  PendingIndex(const PendingIndex&) = delete;
  PendingIndex& operator=(const PendingIndex&) = delete;

  /// Applies and empties the queues in the open transaction, before the commit or before a
  /// statement that reads an index. Returns SQLite's result code. Requires Access::internal.
  int flush() noexcept;

 private:
  struct Queue {
    sqlite3_stmt* has_rows = nullptr;
    sqlite3_stmt* remove = nullptr;  ///< removes the old texts of changed and deleted records
    sqlite3_stmt* add = nullptr;     ///< adds the current texts
    sqlite3_stmt* empty = nullptr;
  };

  int find();
  void forget() noexcept;

  sqlite3* db_;
  sqlite3_stmt* schema_version_ = nullptr;
  std::int64_t found_at_ = -1;  // the schema version for which `queues_` was read
  std::vector<Queue> queues_;
};

}  // namespace tenon::data::sqlite
