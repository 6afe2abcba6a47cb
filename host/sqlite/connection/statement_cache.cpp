#include "sqlite/connection/statement_cache.hpp"

#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

// Longer texts are rarely repeated and cost more to keep.
constexpr std::size_t max_cached_sql = 16 * 1024;

bool is_blank(std::string_view text) noexcept {
  return text.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

}  // namespace

sqlite3_stmt* prepare_one(sqlite3* db, std::string_view sql, bool persistent) {
  if (sql.size() > static_cast<std::size_t>(sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, -1))) {
    throw SqlError(413, "data.too_large",
                   "A value or a statement is larger than the database takes.", SQLITE_TOOBIG,
                   "the SQL text is too long");
  }
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  const int code =
      sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                         persistent ? SQLITE_PREPARE_PERSISTENT : 0, &statement, &tail);
  if (code != SQLITE_OK) throw sqlite_error(db, code);
  const auto refuse = [&](const char* detail) {
    sqlite3_finalize(statement);
    throw SqlError(500, "data.sql", "The database refused a statement.", SQLITE_ERROR, detail);
  };
  if (!statement) refuse("the text holds no statement");
  std::string_view rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
  if (!is_blank(rest)) {
    // A comment may follow; anything that compiles may not.
    sqlite3_stmt* second = nullptr;
    const int more =
        sqlite3_prepare_v3(db, rest.data(), static_cast<int>(rest.size()), 0, &second, nullptr);
    const bool is_comment = more == SQLITE_OK && second == nullptr;
    sqlite3_finalize(second);
    if (!is_comment) refuse("the text holds more than one statement");
  }
  return statement;
}

StatementCache::~StatementCache() {
  for (auto& [sql, entry] : entries_)
    sqlite3_finalize(entry->statement);
}

CachedStatement* StatementCache::take(std::string_view sql) {
  // The last one again: nothing is hashed or moved.
  if (newest_ && !newest_->is_in_use && newest_->sql == sql) {
    newest_->is_in_use = true;
    return newest_;
  }
  if (const auto found = entries_.find(sql); found != entries_.end() && !found->second->is_in_use) {
    CachedStatement* entry = found->second.get();
    entry->is_in_use = true;
    if (entry != newest_) {
      unlink(entry);
      link_newest(entry);
    }
    return entry;
  }
  const bool keep = sql.size() <= max_cached_sql && !entries_.contains(sql);
  auto entry = std::make_unique<CachedStatement>();
  reads_search_ = false;
  entry->statement = prepare_one(db_, sql, keep);
  entry->reads_search = reads_search_;
  entry->is_in_use = true;
  if (!keep) return entry.release();
  entry->sql = sql;
  entry->is_cached = true;
  CachedStatement* raw = entry.get();
  entries_.emplace(raw->sql, std::move(entry));
  link_newest(raw);
  for (CachedStatement* old = oldest_; old && entries_.size() > capacity_;) {
    CachedStatement* next = old->newer;
    if (!old->is_in_use) {
      unlink(old);
      sqlite3_finalize(old->statement);
      entries_.erase(std::string_view(old->sql));
    }
    old = next;
  }
  return raw;
}

void StatementCache::give(CachedStatement* entry) noexcept {
  if (!entry->is_cached) {
    sqlite3_finalize(entry->statement);
    delete entry;
    return;
  }
  sqlite3_reset(entry->statement);
  sqlite3_clear_bindings(entry->statement);
  entry->is_in_use = false;
}

void StatementCache::clear() noexcept {
  for (CachedStatement* old = oldest_; old;) {
    CachedStatement* next = old->newer;
    if (!old->is_in_use) {
      unlink(old);
      sqlite3_finalize(old->statement);
      entries_.erase(std::string_view(old->sql));
    }
    old = next;
  }
}

void StatementCache::unlink(CachedStatement* entry) noexcept {
  (entry->newer ? entry->newer->older : newest_) = entry->older;
  (entry->older ? entry->older->newer : oldest_) = entry->newer;
  entry->newer = entry->older = nullptr;
}

void StatementCache::link_newest(CachedStatement* entry) noexcept {
  entry->older = newest_;
  (newest_ ? newest_->newer : oldest_) = entry;
  newest_ = entry;
}

}  // namespace tenon::data::sqlite
