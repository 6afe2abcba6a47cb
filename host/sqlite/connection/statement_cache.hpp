#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/json_rows.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::data::sqlite {

/// A prepared statement, either in the cache or finalized after use.
struct CachedStatement {
  std::string sql;
  sqlite3_stmt* statement = nullptr;
  JsonMembers json;
  bool is_in_use = false;
  bool is_cached = false;
  bool reads_search = false;  ///< a search index of the host
  CachedStatement* newer = nullptr;
  CachedStatement* older = nullptr;
};

/// The prepared statements of one connection by their text; the least recently used one is
/// finalized first. If a statement is in use, the same text is prepared a second time and finalized
/// after use. Belongs to its connection: one thread at a time.
class StatementCache {
 public:
  /// `reads_search` is set while a statement is prepared that does.
  StatementCache(sqlite3* db, std::size_t capacity, bool& reads_search)
      : db_(db), capacity_(capacity), reads_search_(reads_search) {}
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  /// The statement for `sql`, reset and without values. Throws what preparing fails with, and 500
  /// data.sql for a text that holds no statement or more than one.
  CachedStatement* take(std::string_view sql);
  void give(CachedStatement* entry) noexcept;

  /// Finalizes the statements that are not in use.
  void clear() noexcept;

 private:
  void unlink(CachedStatement* entry) noexcept;
  void link_newest(CachedStatement* entry) noexcept;

  sqlite3* db_;
  std::size_t capacity_;
  bool& reads_search_;
  std::unordered_map<std::string_view, std::unique_ptr<CachedStatement>> entries_;
  CachedStatement* newest_ = nullptr;
  CachedStatement* oldest_ = nullptr;
};

/// Prepares exactly one statement, `persistent` for one that will be kept. Throws as take() does.
sqlite3_stmt* prepare_one(sqlite3* db, std::string_view sql, bool persistent);

}  // namespace tenon::data::sqlite
