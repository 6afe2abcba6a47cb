#include "sqlite/snapshot/snapshot.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/engine/maintenance_thread.hpp"
#include "data/errors.hpp"
#include "data/files/atomic_file_writer.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/wal/apply_frames.hpp"
#include "sqlite/wal/wal_index.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::chrono::milliseconds between_tries{50};

// Offset of the write version in the header of the file; the read version follows. 1: rollback
// journal, 2: WAL.
constexpr std::uint64_t write_version = 18;

SqlError read_error(const std::string& path, int code) {
  return {503, "data.io", "The database could not read or write its file.", code,
          path + " cannot be read for a snapshot"};
}

}  // namespace

// Turn.
std::unique_ptr<Connection> Engine::try_pin(Connection& writer) {
  const std::lock_guard lock(checkpoint_mutex_);
  readers_->end_snapshots(base::monotonic_nanoseconds());
  const auto [code, frames, copied, db] =
      checkpointer_.run(writer, SQLITE_CHECKPOINT_FULL, overdue_timeout);
  if ((code & 0xff) == SQLITE_BUSY) return nullptr;
  if (code != SQLITE_OK) throw sqlite_error(db, code);
  if (frames != copied) return nullptr;

  auto pin = std::make_unique<Connection>(
      Connection::Options{.path = options_.path,
                          .confinement = options_.confinement,
                          .role = Role::reader,
                          .busy_milliseconds = static_cast<int>(overdue_timeout.count())});
  const AccessScope scope(*pin, Access::internal);
  if (const int begun = pin->control(Control::begin_read); begun != SQLITE_OK)
    throw sqlite_error(pin->handle(), begun);
  Sql::number(*pin, "SELECT count(*) FROM sqlite_schema");
  return pin;
}

std::unique_ptr<Connection> Engine::pin_checkpoint(std::chrono::milliseconds timeout) {
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(timeout);
  for (;;) {
    std::unique_ptr<Connection> pin;
    with_write_lock([&](Connection& writer) { pin = try_pin(writer); });
    if (pin) return pin;
    if (base::monotonic_nanoseconds() > until) {
      Counters::add(counters_.busy);
      throw busy_error();
    }
    std::this_thread::sleep_for(between_tries);
  }
}

void Engine::want_checkpoint() noexcept {
  is_checkpoint_wanted_.store(true, std::memory_order_release);
  maintenance_->wake();
}

namespace {

// A copy of the file as it was when the pin was set, and what the log has got since.
class FileSnapshot final : public data::OnlineSnapshot {
 public:
  FileSnapshot(Engine& engine, std::string path, const CopyProgress& progress,
               std::chrono::milliseconds timeout);
  ~FileSnapshot() override { release(); }

  void sync() { copy_->sync(); }
  std::uint64_t finish() override;
  // Later commits are left out.
  std::uint64_t put();

 private:
  void copy_file(const CopyProgress& progress);
  void release() noexcept;

  const std::shared_ptr<Engine> engine_;
  const std::string path_;
  std::unique_ptr<Connection> pin_;
  std::optional<AtomicFileWriter> copy_;
  std::uint64_t bytes_ = 0;
};

FileSnapshot::FileSnapshot(Engine& engine, std::string path, const CopyProgress& progress,
                           std::chrono::milliseconds timeout)
    : engine_(engine.shared_from_this()), path_(std::move(path)) {
  struct stat facts {};
  if (::lstat(path_.c_str(), &facts) == 0)
    throw base::Error(409, "data.snapshot_exists", path_ + " exists already.");
  pin_ = engine.pin_checkpoint(timeout);
  copy_file(progress);
}

void FileSnapshot::copy_file(const CopyProgress& progress) {
  // SQLite's own descriptor: closing another one of this file would drop its locks.
  sqlite3_file* file = nullptr;
  sqlite3_file_control(pin_->handle(), "main", SQLITE_FCNTL_FILE_POINTER,
                       static_cast<void*>(&file));
  sqlite3_int64 bytes = 0;
  if (const int code = file->pMethods->xFileSize(file, &bytes); code != SQLITE_OK)
    throw read_error(engine_->path(), code);

  copy_.emplace(path_ + ".part", static_cast<std::uint64_t>(bytes));
  std::vector<char> piece(copied_at_once);
  for (sqlite3_int64 at = 0; at < bytes;) {
    const auto size = std::min<sqlite3_int64>(bytes - at, static_cast<sqlite3_int64>(piece.size()));
    if (const int code = file->pMethods->xRead(file, piece.data(), static_cast<int>(size), at);
        code != SQLITE_OK)
      throw read_error(engine_->path(), code);
    copy_->write(std::span<const char>(piece).first(static_cast<std::size_t>(size)));
    at += size;
    report_progress(progress, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(bytes));
  }
  bytes_ = static_cast<std::uint64_t>(bytes);
}

std::uint64_t FileSnapshot::finish() {
  WalIndex log;
  if (!log.open(pin_->handle())) throw read_error(engine_->path() + "-shm", SQLITE_IOERR_SHMMAP);
  // The pinned checkpoint kept the file as it was: later commits are only in the WAL.
  if (log.is_copied()) return put();
  apply_wal_frames(copy_->name(), engine_->path() + "-wal", log.pages());
  release();
  copy_->commit(path_, false);
  return std::filesystem::file_size(path_);
}

std::uint64_t FileSnapshot::put() {
  release();
  // A file that is not in WAL mode can be read without files next to it.
  constexpr std::array<char, 2> no_log{1, 1};
  if (bytes_ != 0) copy_->write_at(write_version, no_log);
  copy_->commit(path_, false);
  return bytes_;
}

void FileSnapshot::release() noexcept {
  if (!pin_) return;
  pin_.reset();
  engine_->want_checkpoint();
}

}  // namespace

std::uint64_t snapshot(Engine& engine, const std::string& path, const CopyProgress& progress,
                       std::chrono::milliseconds timeout) {
  return FileSnapshot(engine, path, progress, timeout).put();
}

std::unique_ptr<OnlineSnapshot> start_snapshot(Engine& engine, const std::string& path) {
  auto begun = std::make_unique<FileSnapshot>(engine, path, CopyProgress(), snapshot_timeout);
  begun->sync();
  return begun;
}

}  // namespace tenon::data::sqlite
