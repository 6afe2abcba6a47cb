#include "sqlite/wal/apply_frames.hpp"

#include <array>
#include <fstream>

#include <sqlite3.h>
#include <unistd.h>

#include "base/error.hpp"
#include "data/files/atomic_file_writer.hpp"
#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

// https://www.sqlite.org/fileformat2.html#walformat
constexpr std::uint64_t head_bytes = 32;
constexpr std::uint64_t frame_head_bytes = 24;
constexpr std::size_t page_size_at = 8;

std::uint64_t bytes_of(const std::string& log, std::uint32_t frames) {
  std::array<char, head_bytes> head{};
  if (!std::ifstream(log, std::ios::binary).read(head.data(), head.size()))
    throw base::Error(503, "data.io", log + " cannot be read.");
  std::uint64_t page = 0;
  for (std::size_t i = 0; i < 4; ++i)
    page = page << 8 | static_cast<unsigned char>(head[page_size_at + i]);
  return head_bytes + frames * (frame_head_bytes + page);
}

/// A connection without shared memory: no other process uses its file.
class Alone {
 public:
  explicit Alone(const std::string& path) {
    const int code =
        sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nullptr);
    if (code == SQLITE_OK) return;
    const SqlError error = sqlite_error(db_, code);
    sqlite3_close_v2(db_);
    throw error;
  }
  ~Alone() { sqlite3_close_v2(db_); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

  void run(const char* sql) {
    const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) throw sqlite_error(db_, code);
  }
  // Copies the WAL into the file. Returns the number of its pages.
  int apply_wal() {
    int pages = 0;
    int copied = 0;
    const int code =
        sqlite3_wal_checkpoint_v2(db_, "main", SQLITE_CHECKPOINT_FULL, &pages, &copied);
    if (code != SQLITE_OK) throw sqlite_error(db_, code);
    return copied;
  }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace

void apply_wal_frames(const std::string& copy, const std::string& log, std::uint32_t frames) {
  // Goes away with this, where SQLite has not removed it.
  AtomicFileWriter wal(copy + "-wal", 0);
  const std::uint64_t bytes = bytes_of(log, frames);
  wal.copy(log, bytes, {});
  Alone database(copy);
  database.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF");
  database.run("SELECT count(*) FROM sqlite_schema");
  // SQLite ignores all pages after one with a wrong checksum.
  const bool is_whole = database.apply_wal() == static_cast<int>(frames);
  database.run("PRAGMA journal_mode = DELETE");
  // It takes the log away once all of it is in the file.
  if (!is_whole || ::access((copy + "-wal").c_str(), F_OK) == 0)
    throw base::Error(503, "data.io", log + " was not copied into " + copy + ".");
}

}  // namespace tenon::data::sqlite
