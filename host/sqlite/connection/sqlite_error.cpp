#include "sqlite/connection/sqlite_error.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"

namespace tenon::data::sqlite {

namespace {

using base::FieldError;

// "UNIQUE constraint failed: notes.notebook, notes.title" → notebook, title.
std::vector<std::string> columns_in(std::string_view text) {
  std::vector<std::string> columns;
  const auto colon = text.find(": ");
  if (colon == std::string_view::npos) return columns;
  text.remove_prefix(colon + 2);
  while (!text.empty()) {
    const auto comma = text.find(", ");
    std::string_view one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 2);
    const auto dot = one.rfind('.');
    if (dot != std::string_view::npos) one.remove_prefix(dot + 1);
    columns.emplace_back(one);
  }
  return columns;
}

std::vector<FieldError> field_errors(const std::vector<std::string>& names, const char* code,
                                     const char* message) {
  std::vector<FieldError> errors;
  errors.reserve(names.size());
  for (const auto& name : names)
    errors.push_back({name, code, message});
  return errors;
}

SqlError constraint_error(int code, std::string detail) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return {409,
              "data.unique",
              "A record with these values exists already.",
              code,
              detail,
              field_errors(columns_in(detail), "unique", "This value is taken already.")};
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return {409, "data.reference",
              "A record that this one refers to does not exist, or others refer to the one to be "
              "removed.",
              code, std::move(detail)};
    case SQLITE_CONSTRAINT_NOTNULL:
      return {422,
              "data.required",
              "A required field is empty.",
              code,
              detail,
              field_errors(columns_in(detail), "required", "This field is required.")};
    case SQLITE_CONSTRAINT_CHECK:
      return {422,
              "data.check",
              "A value is outside of what its field allows.",
              code,
              detail,
              field_errors(columns_in(detail), "invalid", "This value is not allowed here.")};
    case SQLITE_CONSTRAINT_DATATYPE: {
      // "cannot store TEXT value in INTEGER column notes.position"
      const auto dot = detail.rfind('.');
      std::vector<std::string> names;
      if (dot != std::string::npos) names.push_back(detail.substr(dot + 1));
      return {422,  "data.type", "A value has the wrong type for its field.",
              code, detail,      field_errors(names, "type", "This value has the wrong type.")};
    }
    case SQLITE_CONSTRAINT_TRIGGER:
      // ON DELETE RESTRICT has the error code of a trigger.
      if (detail == "FOREIGN KEY constraint failed")
        return constraint_error(SQLITE_CONSTRAINT_FOREIGNKEY, detail);
      return {409, "data.refused", detail, code, detail};
    default:
      return {409, "data.constraint", "The change breaks a rule of the table.", code,
              std::move(detail)};
  }
}

// Returns the errno of the failed system call; 0 if it is unknown. The rollback after the error
// makes SQLite forget it, but its file objects remember it; the WAL comes first, since writes go
// there.
int system_reason(sqlite3* db) noexcept {
  if (!db) return 0;
  int reason = sqlite3_system_errno(db);
  if (reason != 0) return reason;
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(db, nullptr, SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log)) ==
          SQLITE_OK &&
      log && log->pMethods)
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &reason);
  if (reason == 0) sqlite3_file_control(db, nullptr, SQLITE_FCNTL_LAST_ERRNO, &reason);
  return reason;
}

}  // namespace

SqlError sqlite_error(sqlite3* db, int code) {
  const int extended = db ? sqlite3_extended_errcode(db) : code;
  if ((extended & 0xff) == (code & 0xff)) code = extended;
  // A read that the disk refused comes out of a statement as damage: SQLite makes SQLITE_CORRUPT
  // of the SQLITE_IOERR_CORRUPTFS that EIO is. The errno that the file object remembers
  // distinguishes them.
  if (db && code == SQLITE_CORRUPT && is_read_refused(db)) return refused_read_error();
  std::string detail = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  const int system = db ? sqlite3_system_errno(db) : 0;
  // A denied function, or a statement denied inside a virtual table, is reported as an ordinary
  // error.
  const bool is_denied =
      detail.starts_with("not authorized") || detail.starts_with("unsafe use of");
  if (code == SQLITE_ERROR && is_denied) code = SQLITE_AUTH;
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
      return constraint_error(code, std::move(detail));
    case SQLITE_MISMATCH:
      return {422, "data.type", "A value has the wrong type for its field.", code,
              std::move(detail)};
    case SQLITE_AUTH:
      return {500, "data.denied", "The statement does what this database's confinement denies.",
              code, std::move(detail)};
    case SQLITE_INTERRUPT:
      return {503, "data.timeout",
              "The database did not respond in time; the statement was cancelled.", code,
              std::move(detail)};
    case SQLITE_FULL:
      return {507, "data.disk_full", "The disk is full; nothing was changed.", code,
              std::move(detail)};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {503, "data.busy", "The database is busy; try again.", code, std::move(detail)};
    case SQLITE_TOOBIG:
      return {413, "data.too_large", "A value or a statement is larger than the database takes.",
              code, std::move(detail)};
    case SQLITE_READONLY:
      return {500, "data.read_only",
              "A statement that writes was given where only reading is allowed.", code,
              std::move(detail)};
    case SQLITE_NOMEM:
      return {503, "data.memory", "The database ran out of memory; try again.", code,
              std::move(detail)};
    case SQLITE_IOERR:
      if (!is_sync_failure(code) && (system == ENOSPC || system == EDQUOT)) {
        return {507, "data.disk_full", "The disk is full; nothing was changed.", code,
                std::move(detail)};
      }
      if (const int reason = system_reason(db); reason != 0)
        detail += std::string(" (") + std::strerror(reason) + ")";
      return {503, "data.io", "The database could not read or write its file.", code,
              std::move(detail)};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {503, "data.corrupt", "The database file is damaged.", code, std::move(detail)};
    case SQLITE_CANTOPEN:
      return {503, "data.open", "The database file could not be opened.", code, std::move(detail)};
    default:
      return {500, "data.sql", "The database refused a statement.", code, std::move(detail)};
  }
}

bool is_sync_failure(int code) noexcept {
  return code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC;
}

bool is_corruption(int code) noexcept {
  return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

bool is_read_refused(sqlite3* db) noexcept {
  int refused = 0;
  return sqlite3_file_control(db, nullptr, SQLITE_FCNTL_LAST_ERRNO, &refused) == SQLITE_OK &&
         (refused == EIO || refused == ENXIO);
}

SqlError refused_read_error() {
  return {503, "data.io", "The database could not read or write its file.", SQLITE_IOERR_READ,
          "the disk refused to read"};
}

SqlError damaged_error(std::string detail) {
  return {503, "data.corrupt", "The database file is damaged.", SQLITE_CORRUPT, std::move(detail)};
}

}  // namespace tenon::data::sqlite
