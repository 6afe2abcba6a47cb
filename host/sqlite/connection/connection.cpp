#include "sqlite/connection/connection.hpp"

#include <array>
#include <mutex>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "sqlite/connection/bounded_functions.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/search/highlight.hpp"
#include "sqlite/search/rank_function.hpp"
#include "sqlite/search/ranked_match.hpp"

namespace tenon::data::sqlite {

namespace {

// Instructions of SQLite's machine between two looks at the clock, some tens of microseconds.
constexpr int progress_instructions = 1000;

constexpr std::array<const char*, static_cast<int>(Control::count)> control_sql = {
    "BEGIN",          "BEGIN IMMEDIATE",   "COMMIT", "ROLLBACK", "SAVEPOINT member",
    "RELEASE member", "ROLLBACK TO member"};

// A line of its own before the first finding of a b-tree.
constexpr std::string_view findings_title = "*** in database main ***\n";

void configure_library() {
  static std::once_flag once;
  std::call_once(once, [] {
    // With memory statistics, SQLite locks one mutex for every allocation of every thread.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // A connection would begin with 20 pages of cache, which most plugins' never need. Without them
    // each page that it reads is allocated by itself, and kept.
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, nullptr, 0, 0);
  });
}

// SQLite would make the file readable for everybody whom the umask lets; its log takes over the
// mode. A file that exists is not even opened: closing it would drop the locks that other
// connections of this process hold on it, and another process could take the log away.
void make_private_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) ::close(file);
}

void set_switch(sqlite3* db, int option, int value) {
  int now = -1;
  sqlite3_db_config(db, option, value, &now);
  if (now != value) {
    throw SqlError(503, "data.open", "The database file could not be opened.", SQLITE_ERROR,
                   "switch " + std::to_string(option) + " of SQLite cannot be set");
  }
}

void set_limits(sqlite3* db, const StatementLimits& limits) {
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, limits.value_bytes);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, limits.sql_bytes);
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, limits.columns);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, limits.expression_depth);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, limits.compound_selects);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, limits.program_operations);
  sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, limits.function_arguments);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, limits.like_pattern_bytes);
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, limits.parameters);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, limits.trigger_depth);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

}  // namespace

Connection::Connection(const Options& options) {
  configure_library();
  const bool is_writer = options.role == Role::writer;
  if (is_writer) make_private_file(options.path);
  const int flags =
      (is_writer ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY) |
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (options.is_uri ? SQLITE_OPEN_URI : 0);
  const int code = sqlite3_open_v2(options.path.c_str(), &db_, flags, nullptr);
  if (code != SQLITE_OK) {
    auto error = sqlite_error(db_, code);
    sqlite3_close_v2(db_);
    throw error;
  }
  try {
    configure(options);
  } catch (...) {
    // A file that cannot be opened stays as it is.
    keep_wal_on_close();
    close();
    throw;
  }
}

void Connection::configure(const Options& options) {
  const bool is_writer = options.role == Role::writer;
  busy_timeout_ = std::chrono::milliseconds(options.busy_milliseconds);
  sqlite3_busy_timeout(db_, options.busy_milliseconds);
  set_switch(db_, SQLITE_DBCONFIG_DEFENSIVE, 1);
  // SQLite 3.40 takes FTS5 in a trigger and JSON in a CHECK for unsafe while the schema is not
  // trusted. The authorizer checks the triggers and views of a plugin in any case.
  set_switch(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, options.confinement.trusted ? 0 : 1);
  set_switch(db_, SQLITE_DBCONFIG_DQS_DDL, 0);
  set_switch(db_, SQLITE_DBCONFIG_DQS_DML, 0);
  set_switch(db_, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0);
  set_switch(db_, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 0);
  set_switch(db_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
  set_switch(db_, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0);
  set_switch(db_, SQLITE_DBCONFIG_ENABLE_FKEY, 1);
  set_switch(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0);
  add_highlight_functions(db_);
  add_match_function(db_);
  add_rank_function(db_);
  sqlite3_set_authorizer(db_, &authorize, &watch_);

  run_internal(
      "PRAGMA cache_size = -2000; PRAGMA recursive_triggers = OFF; PRAGMA cell_size_check = ON");
  if (is_writer) {
    run_internal(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
        "PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = FAST");
    sqlite3_stmt* mode = prepare_one(db_, "PRAGMA journal_mode", false);
    const bool is_wal =
        sqlite3_step(mode) == SQLITE_ROW &&
        std::string_view(reinterpret_cast<const char*>(sqlite3_column_text(mode, 0))) == "wal";
    sqlite3_finalize(mode);
    if (!is_wal) {
      throw SqlError(503, "data.open", "The database file could not be opened.", SQLITE_ERROR,
                     "the file system does not carry a write-ahead log");
    }
    sqlite3_stmt* size = prepare_one(db_, "PRAGMA page_size", false);
    const std::int64_t page =
        sqlite3_step(size) == SQLITE_ROW ? sqlite3_column_int64(size, 0) : 4096;
    sqlite3_finalize(size);
    const std::int64_t pages = options.confinement.limits.file_bytes / page;
    run_internal(("PRAGMA max_page_count = " + std::to_string(pages)).c_str());
    sqlite3_wal_hook(db_, &Connection::logged, this);
    pending_index_ = std::make_unique<PendingIndex>(db_);
  } else {
    // Reads the schema, so that a file that is none is found here.
    run_internal("PRAGMA schema_version");
  }
  set_limits(db_, options.confinement.limits);
  if (!options.confinement.trusted) add_bounded_functions(db_);
  cache_ = std::make_unique<StatementCache>(db_, cached_statements, watch_.reads_search);
  for (int i = 0; i < static_cast<int>(Control::count); ++i) {
    controls_[i] = prepare_one(db_, control_sql[static_cast<std::size_t>(i)], true);
  }
  watch_.access = options.confinement.trusted ? Access::trusted : Access::confined;
  sqlite3_progress_handler(db_, progress_instructions, &Connection::progress, this);
}

Connection::~Connection() {
  close();
}

void Connection::close() noexcept {
  for (auto* statement : controls_)
    sqlite3_finalize(statement);
  cache_.reset();
  pending_index_.reset();
  sqlite3_close_v2(db_);
}

void Connection::report(sqlite3_stmt* statement, std::int64_t begin, std::int64_t end,
                        bool has_failed) const noexcept {
  const char* sql = sqlite3_sql(statement);
  const char* file = sqlite3_db_filename(db_, "main");
  observability::note_statement({.sql = sql == nullptr ? "" : sql,
                                 .database = file == nullptr ? "" : file,
                                 .begin = begin,
                                 .end = end,
                                 .has_failed = has_failed});
}

int Connection::control(Control what) noexcept {
  const AccessScope scope(*this, Access::internal);
  // The end of a transaction must not be cancelled.
  const std::int64_t deadline = std::exchange(deadline_, 0);
  int code = what == Control::commit && pending_index_ ? pending_index_->flush() : SQLITE_OK;
  if (code == SQLITE_OK) {
    sqlite3_stmt* statement = controls_[static_cast<int>(what)];
    code = sqlite3_step(statement);
    if (code == SQLITE_DONE || code == SQLITE_ROW) code = SQLITE_OK;
    sqlite3_reset(statement);
  }
  deadline_ = deadline;
  return code;
}

void Connection::flush_search_index() {
  if (!pending_index_) return;
  const AccessScope scope(*this, Access::internal);
  if (const int code = pending_index_->flush(); code != SQLITE_OK) throw sqlite_error(db_, code);
}

void Connection::run_internal(const char* sql) {
  const AccessScope scope(*this, Access::internal);
  const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw sqlite_error(db_, code);
}

std::vector<std::string> Connection::check(bool with_indexes, int max_findings) {
  const AccessScope scope(*this, Access::internal);
  std::vector<std::string> findings;
  const std::string pragma = with_indexes ? "PRAGMA integrity_check(" : "PRAGMA quick_check(";
  sqlite3_stmt* statement = prepare_one(db_, pragma + std::to_string(max_findings) + ")", false);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    std::string_view finding(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    if (finding.starts_with(findings_title)) finding.remove_prefix(findings_title.size());
    findings.emplace_back(finding);
  }
  // SQLite reports a page that could not be read as damage; whether it is damaged is unknown.
  std::optional<SqlError> failure;
  if (is_read_refused(db_))
    failure = refused_read_error();
  else if (is_corruption(code))
    findings.emplace_back(sqlite3_errmsg(db_));
  else if (code != SQLITE_DONE)
    failure = sqlite_error(db_, code);
  sqlite3_finalize(statement);
  if (failure) throw *std::move(failure);
  if (findings.size() == 1 && findings.front() == "ok") findings.clear();
  return findings;
}

void Connection::keep_wal_on_close() noexcept {
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Connection::is_autocommit() const noexcept {
  return sqlite3_get_autocommit(db_) != 0;
}

bool Connection::has_deferred_violations() const noexcept {
  int now = 0;
  int highest = 0;
  return sqlite3_db_status(db_, SQLITE_DBSTATUS_DEFERRED_FKS, &now, &highest, 0) == SQLITE_OK &&
         now != 0;
}

int Connection::progress(void* self) noexcept {
  const auto* connection = static_cast<const Connection*>(self);
  return connection->deadline_ != 0 && base::monotonic_nanoseconds() > connection->deadline_ ? 1
                                                                                             : 0;
}

int Connection::logged(void* self, sqlite3* /*db*/, const char* /*name*/, int pages) noexcept {
  static_cast<Connection*>(self)->wal_pages_ = pages;
  return SQLITE_OK;
}

StatementLease::StatementLease(Connection& connection, std::string_view sql)
    : connection_(&connection), cached_(connection.cache().take(sql)) {}

sqlite3_stmt* StatementLease::get() const noexcept {
  return cached_->statement;
}

JsonMembers& StatementLease::json_members() const noexcept {
  return cached_->json;
}

void StatementLease::bind(Cells cells, bool copy) {
  if (cached_->reads_search) connection_->flush_search_index();
  bind_cells(connection_->handle(), get(), cells, copy);
}

void StatementLease::give_back() noexcept {
  connection_->cache().give(std::exchange(cached_, nullptr));
}

void bind_cells(sqlite3* db, sqlite3_stmt* statement, Cells cells, bool copy) {
  const int expected = sqlite3_bind_parameter_count(statement);
  if (static_cast<std::size_t>(expected) != cells.size()) {
    throw SqlError(500, "data.sql", "The database refused a statement.", SQLITE_RANGE,
                   "the statement has " + std::to_string(expected) + " parameters, " +
                       std::to_string(cells.size()) + " values were given");
  }
  const auto lifetime = copy ? SQLITE_TRANSIENT : SQLITE_STATIC;
  int index = 0;
  for (const Cell& cell : cells) {
    ++index;
    int code = SQLITE_OK;
    switch (cell.kind()) {
      case CellKind::null:
        code = sqlite3_bind_null(statement, index);
        break;
      case CellKind::integer:
        code = sqlite3_bind_int64(statement, index, cell.integer());
        break;
      case CellKind::number:
        code = sqlite3_bind_double(statement, index, cell.number());
        break;
      case CellKind::text: {
        // A null pointer would bind NULL.
        const auto text = cell.text();
        code = sqlite3_bind_text64(statement, index, text.data() ? text.data() : "", text.size(),
                                   lifetime, SQLITE_UTF8);
        break;
      }
      case CellKind::blob: {
        const auto bytes = cell.text();
        code = sqlite3_bind_blob64(statement, index, bytes.data() ? bytes.data() : "", bytes.size(),
                                   lifetime);
        break;
      }
    }
    if (code != SQLITE_OK) throw sqlite_error(db, code);
  }
}

}  // namespace tenon::data::sqlite
