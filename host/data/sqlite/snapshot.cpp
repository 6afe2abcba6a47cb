#include "data/sqlite/snapshot.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "data/errors.hpp"
#include "data/housekeeper.hpp"
#include "data/new_file.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/sql.hpp"
#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::chrono::milliseconds between_tries{50};

// Where the file's head says how it is written and read: 1 is the rollback journal, 2 the log.
constexpr std::size_t write_version = 18;
constexpr std::size_t read_version = 19;

SqlError read_error(const std::string& path, int code) {
  return {503, "data.io", "The database could not read or write its file.", code,
          path + " cannot be read for a snapshot"};
}

}  // namespace

// Turn.
std::unique_ptr<Connection> Engine::try_pin(Connection& writer) {
  const std::lock_guard lock(checkpoint_mutex_);
  readers_->end_snapshots(base::monotonic_nanoseconds());
  int pages = 0;
  int copied = 0;
  sqlite3_busy_timeout(writer.handle(), static_cast<int>(overdue_wait.count()));
  const int code =
      sqlite3_wal_checkpoint_v2(writer.handle(), "main", SQLITE_CHECKPOINT_FULL, &pages, &copied);
  sqlite3_busy_timeout(writer.handle(), static_cast<int>(options_.waits.other_process.count()));
  if ((code & 0xff) == SQLITE_BUSY) return nullptr;
  if (code != SQLITE_OK) throw sqlite_error(writer.handle(), code);
  if (pages != copied) return nullptr;

  auto pin = std::make_unique<Connection>(
      Connection::Options{.path = options_.path,
                          .confinement = options_.confinement,
                          .role = Role::reader,
                          .busy_milliseconds = static_cast<int>(overdue_wait.count())});
  const AccessScope scope(*pin, Access::internal);
  if (const int begun = pin->control(Control::begin_read); begun != SQLITE_OK)
    throw sqlite_error(pin->handle(), begun);
  Sql::number(*pin, "SELECT count(*) FROM sqlite_schema");
  return pin;
}

std::unique_ptr<Connection> Engine::pin_file(std::chrono::milliseconds longest) {
  const std::int64_t until = base::monotonic_nanoseconds() + nanoseconds_of(longest);
  for (;;) {
    std::unique_ptr<Connection> pin;
    run_exclusively([&](Connection& writer) { pin = try_pin(writer); });
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
  housekeeper_->hurry();
}

std::uint64_t snapshot(Engine& engine, const std::string& path, const CopyProgress& progress) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0)
    throw base::Error(409, "data.snapshot_exists", path + " is there already.");
  auto pin = engine.pin_file(snapshot_wait);
  // SQLite's own descriptor: closing another one of this file would drop its locks.
  sqlite3_file* file = nullptr;
  sqlite3_file_control(pin->handle(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  sqlite3_int64 bytes = 0;
  if (const int code = file->pMethods->xFileSize(file, &bytes); code != SQLITE_OK)
    throw read_error(engine.path(), code);

  NewFile copy(path + ".part", static_cast<std::uint64_t>(bytes));
  std::vector<char> piece(copied_at_once);
  for (sqlite3_int64 at = 0; at < bytes;) {
    const auto size = std::min<sqlite3_int64>(bytes - at, static_cast<sqlite3_int64>(piece.size()));
    if (const int code = file->pMethods->xRead(file, piece.data(), static_cast<int>(size), at);
        code != SQLITE_OK)
      throw read_error(engine.path(), code);
    // Without a log beside it nothing needs to be made there to read it.
    if (at == 0) piece[write_version] = piece[read_version] = 1;
    copy.write(std::span<const char>(piece).first(static_cast<std::size_t>(size)));
    at += size;
    tell(progress, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(bytes));
  }
  pin.reset();
  engine.want_checkpoint();
  copy.put(path, false);
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace tenon::data::sqlite
