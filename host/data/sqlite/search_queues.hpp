#pragma once

#include <cstdint>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::data::sqlite {

/// The queues of a file's search indexes (schema/search_index.cpp), for the connection that writes.
/// Triggers note in them which records changed; settle() brings the indexes up to date, once for
/// all that is committed together. FTS5 writes a piece of its index for each statement that a
/// trigger of it ran in; a queue makes that one for each commit. One thread at a time.
class SearchQueues {
 public:
  explicit SearchQueues(sqlite3* db) noexcept : db_(db) {}
  ~SearchQueues();
  SearchQueues(const SearchQueues&) = delete;
  SearchQueues& operator=(const SearchQueues&) = delete;

  /// Empties the queues within the open transaction, before it is committed or reads an index;
  /// SQLite's result code. The connection's access is to be Access::internal.
  int settle() noexcept;

 private:
  struct Queue {
    sqlite3_stmt* first = nullptr;   ///< a row, where there is one
    sqlite3_stmt* remove = nullptr;  ///< what the index has of records that changed or are gone
    sqlite3_stmt* add = nullptr;     ///< what they are now
    sqlite3_stmt* empty = nullptr;
  };

  int find();
  void forget() noexcept;

  sqlite3* db_;
  sqlite3_stmt* schema_version_ = nullptr;
  std::int64_t found_at_ = -1;  // the schema's version that the queues were found at
  std::vector<Queue> queues_;
};

}  // namespace tenon::data::sqlite
