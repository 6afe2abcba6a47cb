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

/// One prepared statement of a cache, or one beside it that is dropped after use.
struct CachedStatement {
  std::string sql;
  sqlite3_stmt* statement = nullptr;
  JsonMembers json;
  bool is_lent = false;
  bool is_cached = false;
  bool reads_search = false;  ///< a search index of the host
  CachedStatement* newer = nullptr;
  CachedStatement* older = nullptr;
};

/// Prepared statements of one connection by their text; the longest unused leaves first. A
/// statement that is lent is not lent again: the same text then is prepared a second time and
/// dropped after use. Belongs to its connection: one thread at a time.
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

  /// Drops what is not lent.
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
