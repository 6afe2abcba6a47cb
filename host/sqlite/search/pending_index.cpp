#include "sqlite/search/pending_index.hpp"

#include <new>
#include <string>

#include <sqlite3.h>

#include "data/sql_error.hpp"
#include "schema/ddl.hpp"
#include "sqlite/connection/statement_cache.hpp"
#include "sqlite/schema/search_index.hpp"

namespace tenon::data::sqlite {

namespace {

std::string name_in_column(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string() : std::string(text);
}

int run(sqlite3_stmt* statement) noexcept {
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW)
    code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

}  // namespace

PendingIndex::~PendingIndex() {
  forget();
  sqlite3_finalize(schema_version_);
}

void PendingIndex::forget() noexcept {
  for (const Queue& queue : queues_) {
    for (sqlite3_stmt* statement : {queue.has_rows, queue.remove, queue.add, queue.empty})
      sqlite3_finalize(statement);
  }
  queues_.clear();
}

int PendingIndex::find() {
  forget();
  // Of each queue its fields, in order.
  sqlite3_stmt* rows =
      prepare_one(db_,
                  "SELECT s.name, c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c "
                  "WHERE s.type = 'table' AND s.name GLOB 'tenon_*_search_queued' AND c.cid > 1 "
                  "ORDER BY s.name, c.cid",
                  false);
  struct QueueColumns {
    std::string name;
    std::string columns;
    std::string values;
  };
  std::vector<QueueColumns> queues;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
    std::string name = name_in_column(rows, 0);
    if (queues.empty() || queues.back().name != name) queues.push_back({std::move(name), "", ""});
    const std::string column = schema::quoted(name_in_column(rows, 1));
    queues.back().columns += ", " + column;
    queues.back().values += ", t." + column;
  }
  sqlite3_finalize(rows);
  if (code != SQLITE_DONE) return code;
  for (const QueueColumns& one : queues) {
    const std::string queue = schema::quoted(one.name);
    const std::string index = schema::quoted(schema::index_of_queue(one.name));
    const std::string table = schema::quoted(schema::table_of_queue(one.name));
    queues_.emplace_back();
    Queue& made = queues_.back();
    made.has_rows = prepare_one(db_, "SELECT 1 FROM " + queue + " LIMIT 1", true);
    made.remove = prepare_one(db_,
                              "INSERT INTO " + index + " (" + index + ", rowid" + one.columns +
                                  ") SELECT 'delete', rowid" + one.columns + " FROM " + queue +
                                  " WHERE \":was\" ORDER BY rowid",
                              true);
    made.add = prepare_one(db_,
                           "INSERT INTO " + index + " (rowid" + one.columns + ") SELECT t.rowid" +
                               one.values + " FROM " + queue + " AS q CROSS JOIN " + table +
                               " AS t ON t.rowid = q.rowid ORDER BY q.rowid",
                           true);
    made.empty = prepare_one(db_, "DELETE FROM " + queue, true);
  }
  return SQLITE_OK;
}

int PendingIndex::flush() noexcept {
  try {
    if (schema_version_ == nullptr)
      schema_version_ = prepare_one(db_, "PRAGMA schema_version", true);
    int code = sqlite3_step(schema_version_);
    const std::int64_t version = sqlite3_column_int64(schema_version_, 0);
    sqlite3_reset(schema_version_);
    if (code != SQLITE_ROW) return code;
    if (version != found_at_) {
      found_at_ = -1;
      if (code = find(); code != SQLITE_OK) return code;
      found_at_ = version;
    }
    for (const Queue& queue : queues_) {
      code = sqlite3_step(queue.has_rows);
      sqlite3_reset(queue.has_rows);
      if (code == SQLITE_DONE) continue;
      if (code != SQLITE_ROW) return code;
      for (sqlite3_stmt* statement : {queue.remove, queue.add, queue.empty}) {
        if (code = run(statement); code != SQLITE_OK) return code;
      }
    }
    return SQLITE_OK;
  } catch (const SqlError& error) {
    return error.sqlite_code();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

}  // namespace tenon::data::sqlite
