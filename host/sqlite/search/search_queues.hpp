#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sqlite/search/search_lengths.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::data::sqlite {

/// The queues of a file's search indexes (schema/search_index.cpp), for the connection that writes.
/// Triggers note in them which records changed; settle() brings the indexes up to date, once for
/// all that is committed together. FTS5 writes a piece of its index for each statement that a
/// trigger of it ran in; a queue makes that one for each commit. One thread at a time.
class SearchQueues {
 public:
  /// Null lengths: none are kept.
  SearchQueues(sqlite3* db, std::shared_ptr<SearchLengths> lengths) noexcept
      : db_(db), lengths_(std::move(lengths)) {}
  ~SearchQueues();
  SearchQueues(const SearchQueues&) = delete;
  SearchQueues& operator=(const SearchQueues&) = delete;

  /// Empties the queues within the open transaction, before it is committed or reads an index;
  /// SQLite's result code. The connection's access is to be Access::internal.
  int settle() noexcept;

  /// When the transaction is over, done or undone: the lengths of what settle() met in it are not
  /// known any more.
  void forget_lengths() noexcept;

 private:
  /// Beyond so many changed records of a transaction the lengths of all are forgotten.
  static constexpr std::size_t max_forgotten = SearchLengths::places / 4;

  struct Queue {
    std::uint32_t number = 0;        ///< search_number() of the table
    sqlite3_stmt* rows = nullptr;    ///< the records in it
    sqlite3_stmt* remove = nullptr;  ///< what the index has of records that changed or are gone
    sqlite3_stmt* add = nullptr;     ///< what they are now
    sqlite3_stmt* empty = nullptr;
  };

  int find();
  int note_rows(const Queue& queue, bool& has_some);
  void forget() noexcept;

  sqlite3* db_;
  sqlite3_stmt* schema_version_ = nullptr;
  std::int64_t found_at_ = -1;  // the schema's version that the queues were found at
  std::vector<Queue> queues_;
  std::shared_ptr<SearchLengths> lengths_;
  std::vector<SearchLengths::Key> changed_;
  bool is_all_changed_ = false;
};

}  // namespace tenon::data::sqlite
