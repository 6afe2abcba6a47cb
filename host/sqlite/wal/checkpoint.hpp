#pragma once

#include <chrono>
#include <string>

struct sqlite3;

namespace tenon::data::sqlite {

class Connection;

/// The result of a checkpoint.
struct CheckpointResult {
  int code = 0;    ///< SQLite's; SQLITE_BUSY when readers or another process left some frames
  int frames = 0;  ///< in the WAL
  int copied = 0;  ///< of them, into the file
  sqlite3* db = nullptr;  ///< whose message belongs to the code; until the next call
};

/// Runs the checkpoints of one file, safe from the WAL-reset bug of SQLite 3.7.0 to 3.51.2
/// (https://www.sqlite.org/wal.html#the_wal_reset_bug), which loses committed transactions when a
/// commit resets the WAL while a checkpoint begins. A read transaction of a second connection keeps
/// the WAL from being reset until the checkpoint has returned. See
/// docs/decisions/0086-hold-a-read-lock-during-checkpoints.md for the proof.
///
/// Every checkpoint of a file that other connections may write goes through here. One thread at a
/// time. The second connection opens with the first checkpoint and closes with this object.
class Checkpointer {
 public:
  /// `path`: of the file.
  explicit Checkpointer(std::string path);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Runs a checkpoint on `writer`, a connection without an open transaction. `mode`:
  /// SQLITE_CHECKPOINT_PASSIVE, FULL, RESTART or TRUNCATE. FULL waits at most `wait` for readers
  /// and for another writer, RESTART and TRUNCATE twice as long, PASSIVE not at all.
  CheckpointResult run(Connection& writer, int mode, std::chrono::milliseconds wait) noexcept;
  /// Closes the second connection; a later run() opens it again.
  void close() noexcept;

 private:
  int open() noexcept;
  CheckpointResult run_guarded(sqlite3* db, int mode) noexcept;

  const std::string path_;
  sqlite3* reader_ = nullptr;  ///< also of an open() that failed: it has the message
  bool is_open_ = false;
};

}  // namespace tenon::data::sqlite
