#include "fake_functions.hpp"

namespace tenon::test {

namespace {

// As the host calls them.
const char* constraint_name(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
      return "data.unique";
    case SQLITE_CONSTRAINT_FOREIGNKEY:
    case SQLITE_CONSTRAINT_TRIGGER:
      return "data.reference";
    case SQLITE_CONSTRAINT_NOTNULL:
      return "data.required";
    case SQLITE_CONSTRAINT_CHECK:
      return "data.check";
    default:
      return "data.constraint";
  }
}

}  // namespace

void Functions::fill_database(tenon_db& table) {
  table = {sizeof(tenon_db), 0,           &db_begin,  &db_exec,     &db_query,
           &db_next,         &db_close,   &db_commit, &db_rollback, &db_query_json,
           &db_write,        &db_migrate, &db_engine};
}

tenon_code Functions::db_begin(const tenon_host* host, std::uint32_t mode, std::uint32_t,
                               tenon_handle* out, tenon_error* error) noexcept {
  FakeHost& self = of(host);
  if (mode == TENON_DB_WRITE &&
      sqlite3_exec(self.db_, "BEGIN", nullptr, nullptr, nullptr) != SQLITE_OK) {
    return say(error, TENON_E_BUSY, 503, "data.busy", sqlite3_errmsg(self.db_));
  }
  *out = self.next_handle_++;
  self.transactions_[*out] = mode;
  ++self.open_transactions;
  return TENON_OK;
}

tenon_code Functions::prepare(FakeHost& host, tenon_span sql, const tenon_cell* cells,
                              std::uint32_t count, sqlite3_stmt** statement, tenon_error* error) {
  if (sqlite3_prepare_v2(host.db_, sql.data, static_cast<int>(sql.size), statement, nullptr) !=
      SQLITE_OK) {
    return say(error, TENON_E_SQL, 500, "data.sql", sqlite3_errmsg(host.db_));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const int at = static_cast<int>(i) + 1;
    const tenon_cell& cell = cells[i];
    switch (cell.type) {
      case TENON_CELL_INTEGER:
        sqlite3_bind_int64(*statement, at, cell.as.integer);
        break;
      case TENON_CELL_NUMBER:
        sqlite3_bind_double(*statement, at, cell.as.number);
        break;
      case TENON_CELL_TEXT:
        sqlite3_bind_text64(*statement, at, cell.as.bytes, cell.size, SQLITE_TRANSIENT,
                            SQLITE_UTF8);
        break;
      case TENON_CELL_BLOB:
        sqlite3_bind_blob64(*statement, at, cell.as.bytes, cell.size, SQLITE_TRANSIENT);
        break;
      default:
        sqlite3_bind_null(*statement, at);
    }
  }
  return TENON_OK;
}

tenon_code Functions::db_exec(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                              const tenon_cell* cells, std::uint32_t count, tenon_db_result* result,
                              tenon_error* error) noexcept {
  FakeHost& self = of(host);
  if (transaction != TENON_DB_AUTOCOMMIT && !self.transactions_.contains(transaction)) {
    return say(error, TENON_E_HANDLE, 500, "data.handle", "The transaction has ended.");
  }
  sqlite3_stmt* statement = nullptr;
  if (const tenon_code code = prepare(self, sql, cells, count, &statement, error); code < 0)
    return code;
  const int stepped = sqlite3_step(statement);
  const std::string message = sqlite3_errmsg(self.db_);
  const int extended = sqlite3_extended_errcode(self.db_);
  sqlite3_finalize(statement);
  if (stepped == SQLITE_CONSTRAINT)
    return say(error, TENON_E_CONSTRAINT, 409, constraint_name(extended), message.c_str());
  if (stepped != SQLITE_DONE) return say(error, TENON_E_SQL, 500, "data.sql", message.c_str());
  if (result != nullptr) {
    result->changes = sqlite3_changes64(self.db_);
    result->last_row_id = sqlite3_last_insert_rowid(self.db_);
  }
  return TENON_OK;
}

void Functions::fill_batch(FakeHost::Cursor& cursor, tenon_db_batch* batch) {
  const int columns = sqlite3_column_count(cursor.statement);
  cursor.kept.clear();
  cursor.kept.reserve(static_cast<std::size_t>(columns) * cursor.host->batch_rows);
  cursor.cells.clear();
  std::uint32_t rows = 0;
  for (; cursor.has_row && rows < cursor.host->batch_rows; ++rows) {
    for (int i = 0; i < columns; ++i) {
      tenon_cell cell{};
      switch (sqlite3_column_type(cursor.statement, i)) {
        case SQLITE_INTEGER:
          cell.type = TENON_CELL_INTEGER;
          cell.as.integer = sqlite3_column_int64(cursor.statement, i);
          break;
        case SQLITE_FLOAT:
          cell.type = TENON_CELL_NUMBER;
          cell.as.number = sqlite3_column_double(cursor.statement, i);
          break;
        case SQLITE_NULL:
          break;
        default: {
          cell.type = sqlite3_column_type(cursor.statement, i) == SQLITE_TEXT ? TENON_CELL_TEXT
                                                                              : TENON_CELL_BLOB;
          const auto* bytes = static_cast<const char*>(sqlite3_column_blob(cursor.statement, i));
          const auto size = static_cast<std::size_t>(sqlite3_column_bytes(cursor.statement, i));
          cursor.kept.emplace_back(size == 0 ? "" : bytes, size);
          cell.as.bytes = cursor.kept.back().data();
          cell.size = size;
        }
      }
      cursor.cells.push_back(cell);
    }
    cursor.has_row = sqlite3_step(cursor.statement) == SQLITE_ROW;
  }
  batch->columns = static_cast<std::uint32_t>(columns);
  batch->rows = rows;
  batch->more = cursor.has_row ? 1 : 0;
  batch->cells = cursor.cells.data();
  batch->names = cursor.names.data();
}

tenon_code Functions::db_query(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                               const tenon_cell* cells, std::uint32_t count, tenon_handle* cursor,
                               tenon_db_batch* batch, tenon_error* error) noexcept {
  FakeHost& self = of(host);
  if (transaction != TENON_DB_AUTOCOMMIT && !self.transactions_.contains(transaction)) {
    return say(error, TENON_E_HANDLE, 500, "data.handle", "The transaction has ended.");
  }
  sqlite3_stmt* statement = nullptr;
  if (const tenon_code code = prepare(self, sql, cells, count, &statement, error); code < 0)
    return code;
  auto made = std::make_unique<FakeHost::Cursor>();
  made->host = &self;
  made->transaction = transaction;
  made->statement = statement;
  ++self.open_cursors;
  made->has_row = sqlite3_step(statement) == SQLITE_ROW;
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    made->column_names.emplace_back(sqlite3_column_name(statement, i));
  for (const std::string& name : made->column_names)
    made->names.push_back(to_span(name));
  fill_batch(*made, batch);
  *cursor = self.next_handle_++;
  self.cursors_[*cursor] = std::move(made);
  return TENON_OK;
}

tenon_code Functions::db_next(const tenon_host* host, tenon_handle cursor, tenon_db_batch* batch,
                              tenon_error* error) noexcept {
  FakeHost& self = of(host);
  const auto found = self.cursors_.find(cursor);
  if (found == self.cursors_.end())
    return say(error, TENON_E_HANDLE, 500, "data.handle", "The cursor is closed.");
  if (!found->second->has_row) return TENON_DONE;
  fill_batch(*found->second, batch);
  return TENON_OK;
}

tenon_code Functions::db_close(const tenon_host* host, tenon_handle cursor) noexcept {
  return of(host).cursors_.erase(cursor) == 1 ? TENON_OK : TENON_E_HANDLE;
}

tenon_code Functions::db_commit(const tenon_host* host, tenon_handle transaction,
                                tenon_error* error) noexcept {
  FakeHost& self = of(host);
  std::erase_if(self.cursors_,
                [&](const auto& item) { return item.second->transaction == transaction; });
  if (self.transactions_.erase(transaction) == 0)
    return say(error, TENON_E_HANDLE, 500, "data.handle", "The transaction has ended.");
  --self.open_transactions;
  sqlite3_exec(self.db_, "COMMIT", nullptr, nullptr, nullptr);
  return TENON_OK;
}

tenon_code Functions::db_rollback(const tenon_host* host, tenon_handle transaction) noexcept {
  FakeHost& self = of(host);
  std::erase_if(self.cursors_,
                [&](const auto& item) { return item.second->transaction == transaction; });
  const auto found = self.transactions_.find(transaction);
  if (found == self.transactions_.end()) return TENON_E_HANDLE;
  if (found->second == TENON_DB_WRITE)
    sqlite3_exec(self.db_, "ROLLBACK", nullptr, nullptr, nullptr);
  self.transactions_.erase(found);
  --self.open_transactions;
  return TENON_OK;
}

tenon_code Functions::db_query_json(const tenon_host* host, tenon_handle transaction,
                                    std::uint32_t shape, tenon_span sql, const tenon_cell* cells,
                                    std::uint32_t count, const tenon_text_sink* sink,
                                    tenon_error* error) noexcept {
  FakeHost& self = of(host);
  if (transaction != TENON_DB_AUTOCOMMIT && !self.transactions_.contains(transaction))
    return say(error, TENON_E_HANDLE, 500, "data.handle", "The transaction has ended.");
  sqlite3_stmt* statement = nullptr;
  if (const tenon_code code = prepare(self, sql, cells, count, &statement, error); code < 0)
    return code;
  // SQLite's own words for a value are JSON's for numbers, and enough for plain texts.
  std::string text = shape == TENON_DB_JSON_ROWS ? "[" : "";
  int rows = 0;
  while (sqlite3_step(statement) == SQLITE_ROW && (rows == 0 || shape == TENON_DB_JSON_ROWS)) {
    text += rows++ == 0 ? "{" : ",{";
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const bool is_text = sqlite3_column_type(statement, i) == SQLITE_TEXT;
      const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      text += std::string(i == 0 ? "\"" : ",\"") + sqlite3_column_name(statement, i) + "\":";
      text += (is_text ? "\"" : "") + std::string(value == nullptr ? "null" : value) +
              (is_text ? "\"" : "");
    }
    text += "}";
  }
  sqlite3_finalize(statement);
  if (shape == TENON_DB_JSON_ROWS) text += "]";
  if (text.empty()) return TENON_DONE;
  sink->fn(sink->ctx, to_span(text));
  return TENON_OK;
}

void FakeHost::run_writes(tenon_code failure) {
  for (const tenon_db_work& work : std::exchange(queued_, {})) {
    sqlite3_exec(db_, "BEGIN", nullptr, nullptr, nullptr);
    const tenon_handle transaction = next_handle_++;
    transactions_[transaction] = TENON_DB_WRITE;
    ++open_transactions;
    const tenon_code code = work.fn(work.ctx, transaction);
    if (transactions_.erase(transaction) == 1) {
      --open_transactions;
      sqlite3_exec(db_, code >= 0 && failure == TENON_OK ? "COMMIT" : "ROLLBACK", nullptr, nullptr,
                   nullptr);
    }
    tenon_error error{};
    error.size = sizeof error;
    if (code >= 0 && failure < 0) {
      Functions::say(&error, failure, 507, "data.disk_full", "The disk is full.");
      work.done(work.ctx, failure, &error);
    } else {
      work.done(work.ctx, code < 0 ? code : TENON_OK, nullptr);
    }
    work.drop(work.ctx);
  }
}

tenon_code Functions::db_write(const tenon_host* host, std::uint32_t, const tenon_db_work* work,
                               tenon_error* error) noexcept {
  FakeHost& self = of(host);
  if (self.is_busy) {
    work->drop(work->ctx);
    return say(error, TENON_E_BUSY, 503, "data.busy", "Too many wait.");
  }
  self.queued_.push_back(*work);
  return TENON_OK;
}

// It has no lifecycle that could run one.
tenon_code Functions::db_migrate(const tenon_host*, std::uint32_t, tenon_span,
                                 const tenon_db_migration* migration, tenon_error* error) noexcept {
  if (migration->drop) migration->drop(migration->ctx);
  return say(error, TENON_E_UNSUPPORTED, 500, "data.no_migrations", "There are no migrations.");
}

tenon_code Functions::db_engine(const tenon_host* host, std::uint32_t* engine) noexcept {
  *engine = of(host).engine;
  return TENON_OK;
}

}  // namespace tenon::test
