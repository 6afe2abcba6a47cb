#include "sqlite/engine/lazy_engine.hpp"

#include <utility>

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "data/errors.hpp"
#include "sqlite/connection/file_check.hpp"
#include "sqlite/connection/read_only_uri.hpp"
#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

LazyEngine::LazyEngine(DatabaseOptions options)
    : options_(std::move(options)),
      first_(std::make_shared<Handle>(options_.waits, std::exchange(options_.on_fault, nullptr))) {}

LazyEngine::~LazyEngine() = default;

// SQLite would create an empty file instead of one that was removed.
void LazyEngine::require_there() const {
  const FileFingerprint& known = options_.closed->mark;
  struct stat now {};
  if (::lstat(options_.path.c_str(), &now) == 0 && now.st_dev == known.device &&
      now.st_ino == known.inode)
    return;
  throw SqlError(503, "data.open", "The database file could not be opened.", SQLITE_CANTOPEN,
                 "it is not the file that was there when the server started; disable the plugin "
                 "and enable it again");
}

void LazyEngine::report_trouble(Fault fault, const std::string& detail) {
  if (std::exchange(trouble_, fault) != fault) first_->report_fault(fault, options_.path, detail);
}

sqlite::Engine& LazyEngine::open() {
  const std::lock_guard lock(mutex_);
  if (engine_) return *engine_;
  if (is_closed_) throw closed_error();
  // It opens the file as one that no process changes.
  check_.reset();
  try {
    require_there();
    DatabaseOptions options = options_;
    if (is_sound_) options.check_bytes = 0;
    engine_ = sqlite::Engine::open(std::move(options), first_);
  } catch (const SqlError& error) {
    is_damaged_ = is_corruption(error.sqlite_code());
    if (is_damaged_) first_->report_fault(Fault::corrupt, options_.path, error.detail());
    if (error.code() == "data.io") report_trouble(Fault::io_failed, error.detail());
    if (error.code() == "data.disk_full") report_trouble(Fault::disk_full, error.detail());
    throw;
  }
  report_trouble(Fault::healed, {});
  engine_->set_on_commit(
      [late = weak_from_this()] {
        if (const auto self = late.lock()) self->notify_commit();
      },
      this);
  engine_->assume(*options_.closed);
  open_.store(engine_.get(), std::memory_order_release);
  return *engine_;
}

void LazyEngine::begin_check() {
  const std::lock_guard lock(mutex_);
  if (engine_ || is_closed_ || check_ || options_.closed->mark.bytes > options_.check_bytes) return;
  Connection::Options options;
  options.path = read_only_uri(options_.path, false);
  options.confinement = options_.confinement;
  options.is_uri = true;
  check_ = std::make_unique<FileCheck>(
      std::move(options),
      [this](const SqlError& error) {
        // Another program may have written in the meantime.
        if (!is_corruption(error.sqlite_code()) ||
            fingerprint_if_clean(options_.path) != options_.closed->mark)
          return;
        is_damaged_ = true;
        first_->report_fault(Fault::corrupt, options_.path, error.detail());
      },
      [this] { is_sound_ = true; });
}

std::shared_ptr<Handle> LazyEngine::open_handle(Handle::OnFault on_fault) {
  return engine().open_handle(std::move(on_fault));
}

void LazyEngine::close_handle(Handle& handle) noexcept {
  std::unique_lock lock(mutex_);
  if (engine_) {
    lock.unlock();
    return engine_->close_handle(handle);
  }
  // The only one: another would have opened it.
  is_closed_ = true;
  check_.reset();
  handle.close();
  handle.set_on_fault({});
}

void LazyEngine::leave_wal() noexcept {
  // One that was not opened has none.
  if (sqlite::Engine* const engine = open_.load(std::memory_order_acquire)) engine->leave_wal();
}

std::optional<CleanClose> LazyEngine::clean_close() const {
  const std::lock_guard lock(mutex_);
  if (engine_) return engine_->clean_close();
  if (!is_closed_ || is_damaged_) return std::nullopt;
  // The state at the start: the next start detects a write since then.
  return options_.closed;
}

Statistics LazyEngine::statistics() const {
  const sqlite::Engine* const engine = open_.load(std::memory_order_acquire);
  return engine ? engine->statistics() : Statistics();
}

FileFacts LazyEngine::file_facts() const {
  return facts_of_file(options_.path);
}

bool LazyEngine::pause_writes(Handle& handle, std::chrono::milliseconds timeout) {
  return engine().pause_writes(handle, timeout);
}

void LazyEngine::resume_writes(Handle& handle) {
  engine().resume_writes(handle);
}

Transaction LazyEngine::begin(Mode mode, std::chrono::milliseconds timeout, Handle& handle) {
  return engine().begin(mode, timeout, handle);
}

void LazyEngine::run_write(const WriteCall& call, std::chrono::milliseconds timeout,
                           Handle& handle) {
  engine().run_write(call, timeout, handle);
}

void LazyEngine::queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout,
                       Handle& handle) {
  engine().queue(std::move(write), timeout, handle);
}

Rows LazyEngine::query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  return engine().query(sql, cells, timeout);
}

std::size_t LazyEngine::append_json(JsonShape shape, JsonText& text, std::string_view sql,
                                    Cells cells, std::chrono::milliseconds timeout) {
  return engine().append_json(shape, text, sql, cells, timeout);
}

Cursor LazyEngine::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                               std::chrono::milliseconds timeout, const Handle& handle) {
  return engine().open_cursor(sql, cells, limits, timeout, handle);
}

std::vector<std::string> LazyEngine::quick_check(int max_findings) {
  return engine().quick_check(max_findings);
}

}  // namespace tenon::data::sqlite
