#include "sqlite/wal/checkpoint.hpp"

#include <utility>

#include <sqlite3.h>

#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

Checkpointer::Checkpointer(std::string path) : path_(std::move(path)) {}

Checkpointer::~Checkpointer() {
  close();
}

void Checkpointer::close() noexcept {
  sqlite3_close_v2(std::exchange(reader_, nullptr));
  is_open_ = false;
}

int Checkpointer::open() noexcept {
  if (is_open_) return SQLITE_OK;
  close();
  const int code =
      sqlite3_open_v2(path_.c_str(), &reader_,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  is_open_ = code == SQLITE_OK;
  return code;
}

CheckpointResult Checkpointer::run_guarded(sqlite3* db, int mode) noexcept {
  CheckpointResult result{.db = reader_};
  // BEGIN alone takes no lock; reading the version of the schema does.
  result.code = sqlite3_exec(reader_, "BEGIN; PRAGMA schema_version", nullptr, nullptr, nullptr);
  if (result.code == SQLITE_OK) {
    result.db = db;
    result.code = sqlite3_wal_checkpoint_v2(db, "main", mode, &result.frames, &result.copied);
  }
  if (sqlite3_get_autocommit(reader_) == 0)
    sqlite3_exec(reader_, "ROLLBACK", nullptr, nullptr, nullptr);
  return result;
}

CheckpointResult Checkpointer::run(Connection& writer, int mode,
                                   std::chrono::milliseconds wait) noexcept {
  if (const int code = open(); code != SQLITE_OK) return {.code = code, .db = reader_};
  sqlite3* db = writer.handle();
  sqlite3_busy_timeout(reader_, static_cast<int>(wait.count()));
  sqlite3_busy_timeout(db, static_cast<int>(wait.count()));
  CheckpointResult result;
  // RESTART and TRUNCATE wait until no connection reads the WAL. The guard reads it while frames
  // are left to copy; a transaction that begins afterwards reads the file alone.
  if (mode == SQLITE_CHECKPOINT_RESTART || mode == SQLITE_CHECKPOINT_TRUNCATE)
    result = run_guarded(db, SQLITE_CHECKPOINT_FULL);
  if (result.code == SQLITE_OK) result = run_guarded(db, mode);
  sqlite3_busy_timeout(db, static_cast<int>(writer.busy_timeout().count()));
  return result;
}

}  // namespace tenon::data::sqlite
