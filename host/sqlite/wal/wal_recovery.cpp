#include "sqlite/wal/wal_recovery.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/wal/checkpoint.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::size_t copy_buffer_bytes = 1024 * 1024;

/// A descriptor that is closed with it. Only for logs: closing any descriptor of the database file
/// itself would drop SQLite's locks on it.
class WalFile {
 public:
  explicit WalFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {}
  ~WalFile() {
    if (file_ >= 0) ::close(file_);
  }
  WalFile(const WalFile&) = delete;
  WalFile& operator=(const WalFile&) = delete;

  bool is_open() const noexcept { return file_ >= 0; }
  std::int64_t bytes() const noexcept {
    struct stat facts {};
    return ::fstat(file_, &facts) == 0 ? facts.st_size : 0;
  }

  /// Writes every byte again at its offset, and syncs. Returns false with errno set.
  bool write_again() const {
    std::vector<char> piece(copy_buffer_bytes);
    std::int64_t at = 0;
    for (;;) {
      const ssize_t got = ::pread(file_, piece.data(), piece.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      if (got == 0) break;
      for (ssize_t put = 0; put < got;) {
        const auto rest = static_cast<std::size_t>(got - put);
        const ssize_t done = ::pwrite(file_, piece.data() + put, rest, at + put);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        put += done;
      }
      at += got;
    }
    return ::fsync(file_) == 0;
  }

 private:
  int file_;
};

SqlError log_error(int reason) {
  const std::string detail =
      std::string("the log cannot be written again: ") + std::strerror(reason);
  if (reason == ENOSPC || reason == EDQUOT) {
    return {507, "data.disk_full", "The disk is full; nothing was changed.", SQLITE_FULL, detail};
  }
  return {503, "data.io", "The database could not read or write its file.", SQLITE_IOERR_WRITE,
          detail};
}

}  // namespace

bool recover_leftover_wal(Connection& connection, const std::string& path,
                          const std::function<void()>& check) {
  const WalFile log(path + "-wal");
  if (!log.is_open() || log.bytes() == 0) return false;
  // No other process may append in the meantime. If one does now, the WAL stays.
  const int begun = connection.control(Control::begin_write);
  if ((begun & 0xff) == SQLITE_BUSY) return true;
  if (begun != SQLITE_OK) throw sqlite_error(connection.handle(), begun);
  const bool is_written = log.write_again();
  const int reason = errno;
  connection.control(Control::rollback);
  if (!is_written) throw log_error(reason);
  if (check) {
    try {
      check();
    } catch (...) {
      connection.keep_wal_on_close();
      throw;
    }
  }

  Checkpointer checkpointer(path);
  const CheckpointResult result =
      checkpointer.run(connection, SQLITE_CHECKPOINT_TRUNCATE, connection.busy_timeout());
  if (result.code == SQLITE_OK || (result.code & 0xff) == SQLITE_BUSY) return true;
  auto error = sqlite_error(result.db, result.code);
  if (error.code() != "data.disk_full") throw error;
  return true;
}

}  // namespace tenon::data::sqlite
