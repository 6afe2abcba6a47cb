#include "sqlite/engine/engine.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "data/engine/maintenance_thread.hpp"
#include "data/files/space_reserve.hpp"
#include "sqlite/connection/file_check.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/connection/statement_cursor.hpp"
#include "sqlite/engine/transaction_state.hpp"
#include "sqlite/snapshot/restore.hpp"
#include "sqlite/wal/wal_recovery.hpp"

namespace tenon::data::sqlite {

namespace {

Connection::Options connection_options(const DatabaseOptions& options, Role role) {
  return {.path = options.path,
          .confinement = options.confinement,
          .role = role,
          .busy_milliseconds = static_cast<int>(options.waits.other_process.count())};
}

// Later than anything was used.
constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::max();

// The writer's connection of a file that was checked, or is checked in the background.
std::unique_ptr<Connection> open_writer(const DatabaseOptions& options, bool& is_check_due) {
  finish_restore(options.path);
  auto connection = std::make_unique<Connection>(connection_options(options, Role::writer));
  std::error_code ignored;
  bool is_checked = options.check_bytes == 0 ||
                    std::filesystem::file_size(options.path, ignored) > options.check_bytes;
  const auto check_once = [&] {
    if (std::exchange(is_checked, true)) return;
    const auto findings = connection->check(true, 1);
    if (!findings.empty()) throw damaged_error(findings.front());
  };
  const bool was_cut_off = recover_leftover_wal(*connection, options.path, check_once);
  is_check_due = !is_checked && options.check_time == CheckTime::while_serving && !was_cut_off;
  if (!is_check_due) check_once();
  return connection;
}

}  // namespace

Engine::Engine(DatabaseOptions options, std::shared_ptr<Handle> first)
    : EngineCore(std::move(options), true, std::move(first)),
      connection_(open_writer(options_, is_check_due_)),
      readers_(std::make_unique<ReaderPool>(connection_options(options_, Role::reader),
                                            options_.readers, counters_)),
      checkpointer_(options_.path) {}

Engine::~Engine() = default;

std::shared_ptr<Engine> Engine::open(DatabaseOptions options, std::shared_ptr<Handle> first) {
  auto engine = std::make_shared<Engine>(std::move(options), std::move(first));
  engine->start();
  return engine;
}

void Engine::start() {
  // Before any error is possible: the maintenance thread reports it.
  register_engine();
  // Indexes the records that another program wrote: they are in the queues of the search indexes.
  // After an error, the next commit indexes them.
  if (!control(Control::begin_write)) {
    if (const auto error = control(Control::commit)) {
      control(Control::rollback);
      note(*error);
    }
  }
  if (is_check_due_) start_check();
  if (options_.reserve && options_.reserve->is_allocation_due()) maintenance_->wake();
}

void Engine::wait_checked() {
  std::shared_ptr<FileCheck> check;
  {
    const std::lock_guard lock(check_mutex_);
    check = check_;
  }
  if (!check) return;
  try {
    return check->wait();
  } catch (const SqlError& error) {
    if (is_corruption(error.sqlite_code())) throw;
  }
  // The disk did not read then.
  {
    const std::lock_guard lock(check_mutex_);
    if (check_ == check) start_check();
    check = check_;
  }
  if (check) check->wait();
}

void Engine::start_check() {
  check_ = std::make_shared<FileCheck>(connection_options(options_, Role::reader),
                                       [this](const SqlError& error) { note(error); });
}

std::shared_ptr<data::TransactionState> Engine::make_state(TransactionKind kind,
                                                           std::int64_t deadline) {
  return std::make_shared<TransactionState>(shared_from_this(), kind, deadline);
}

Transaction Engine::begin_read(std::int64_t now, std::int64_t deadline, const Handle& handle) {
  auto state =
      std::make_shared<TransactionState>(shared_from_this(), TransactionKind::read, deadline);
  Connection* connection = take_from(*readers_, now, deadline);
  connection->snapshot().end();
  const int code = connection->control(Control::begin_read);
  if (code != SQLITE_OK) {
    auto error = sqlite_error(connection->handle(), code);
    readers_->give(connection);
    note(error);
    throw error;
  }
  state->start(connection);
  add(*state, handle);
  return Transaction(std::move(state));
}

StatementRows Engine::read(std::string_view sql, Cells cells, std::chrono::milliseconds timeout,
                           bool copies) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + time_for(timeout);
  Connection* connection = take_from(*readers_, now, deadline);
  connection->set_deadline(deadline);
  connection->snapshot().refresh(now);
  try {
    StatementLease lease(*connection, sql);
    lease.bind(cells, copies);
    return {shared_from_this(), std::move(lease), now};
  } catch (const SqlError& error) {
    connection->snapshot().invalidate();
    note(error);
    end_query(*connection);
    throw;
  } catch (...) {
    end_query(*connection);
    throw;
  }
}

Rows Engine::query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  return StatementRows::to_rows(read(sql, cells, timeout, true));
}

std::size_t Engine::append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells,
                                std::chrono::milliseconds timeout) {
  return read(sql, cells, timeout, false).append_json(shape, text);
}

void Engine::end_query(Connection& connection) noexcept {
  connection.set_deadline(0);
  const bool is_kept = connection.snapshot().finish_query();
  readers_->give(&connection);
  if (is_kept) maintenance_->watch();
}

Cursor Engine::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                           std::chrono::milliseconds timeout, const Handle& handle) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + time_for(timeout);
  auto state =
      std::make_shared<TransactionState>(shared_from_this(), TransactionKind::single, deadline);
  Connection* connection = take_from(*readers_, now, deadline);
  connection->snapshot().end();
  state->start(connection);
  add(*state, handle);
  return state->open_cursor(sql, cells, limits);
}

std::optional<SqlError> Engine::control(Control what) noexcept {
  const int code = connection_->control(what);
  if (code == SQLITE_OK) return std::nullopt;
  return sqlite_error(connection_->handle(), code);
}

bool Engine::is_transaction_open() const noexcept {
  return !connection_->is_autocommit();
}

std::optional<SqlError> Engine::finish_member() noexcept {
  // A member that changed many records indexes them itself, so that the COMMIT of the group does
  // not wait for it.
  const std::int64_t changes = sqlite3_total_changes64(connection_->handle());
  if (changes - finished_changes_ >= max_changes_indexed_together) {
    try {
      connection_->flush_search_index();
    } catch (const SqlError& error) {
      note(error);
      return error;
    }
  }
  finished_changes_ = sqlite3_total_changes64(connection_->handle());
  if (!connection_->has_deferred_violations()) return std::nullopt;
  return SqlError(409, "data.reference",
                  "A record that this one refers to does not exist, or others refer to the one to "
                  "be removed.",
                  SQLITE_CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed (deferred)");
}

std::exception_ptr Engine::member_error(const SqlError& error) noexcept {
  const int code = error.sqlite_code();
  if (is_sync_failure(code)) return std::make_exception_ptr(storage_failed_error());
  if ((code & 0xff) == SQLITE_CONSTRAINT) return std::make_exception_ptr(group_rolled_back_error());
  return std::make_exception_ptr(error);
}

void Engine::with_write_lock(const std::function<void(Connection&)>& work, Reporting reporting) {
  writer().acquire(base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.max_transaction),
                   true);
  const auto leave = [&] {
    if (!connection_->is_autocommit()) connection_->control(Control::rollback);
    connection_->set_deadline(0);
    writer().release_write_lock(nullptr);
  };
  try {
    if (writer().has_failed()) throw storage_failed_error();
    work(*connection_);
  } catch (const SqlError& error) {
    if (reporting == Reporting::on) note(error);
    leave();
    throw;
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

void Engine::with_read_connection(const std::function<void(Connection&)>& work) {
  Connection aside(connection_options(options_, Role::reader));
  try {
    work(aside);
  } catch (const SqlError& error) {
    note(error);
    throw;
  }
}

void Engine::note(const SqlError& error, bool is_checkpointing) noexcept {
  const int code = error.sqlite_code();
  if (error.code() == "data.timeout") Counters::add(counters_.timeouts);
  if (error.code() == "data.disk_full") {
    Counters::add(counters_.disk_full);
    if (options_.reserve) {
      // A checkpoint that is running would use up what is released.
      std::unique_lock lock(checkpoint_mutex_, std::defer_lock);
      if (!is_checkpointing) lock.lock();
      options_.reserve->release_if_full();
    }
    note_trouble(Fault::disk_full, error.detail());
  }
  const bool is_sync = is_sync_failure(code);
  if (error.code() == "data.io" && !is_sync) note_trouble(Fault::io_failed, error.detail());
  if (!is_sync && !is_corruption(code)) return;
  if (is_sync) writer().fail_storage();
  {
    const std::lock_guard lock(fault_mutex_);
    if (std::exchange(is_sync ? reported_sync_ : reported_corrupt_, true)) return;
    faults_.emplace_back(is_sync ? Fault::sync_failed : Fault::corrupt, error.detail());
  }
  maintenance_->wake();
}

void Engine::note_trouble(Fault fault, const std::string& detail) noexcept {
  {
    const std::lock_guard lock(fault_mutex_);
    const std::int64_t now = base::monotonic_nanoseconds();
    if (fault == Fault::healed) {
      if (now - trouble_at_ < nanoseconds_of(healed_after)) return;
    } else {
      trouble_at_ = now;
    }
    if (trouble_.exchange(fault, std::memory_order_relaxed) == fault) return;
    trouble_detail_ = detail;
  }
  maintenance_->wake();
}

void Engine::note_written() noexcept {
  if (trouble_.load(std::memory_order_relaxed) == Fault::healed) return;
  // A write into the space reserve says nothing about the disk.
  if (!options_.reserve || !options_.reserve->is_released()) note_trouble(Fault::healed, {});
}

void Engine::note_commit() noexcept {
  notify_commit();
  const int pages = connection_->wal_pages();
  if (pages < checkpoint_pages) {
    // The log has started again.
    checkpoint_from_.store(checkpoint_pages, std::memory_order_relaxed);
    overdue_from_ = overdue_pages;
    return;
  }
  if (pages < checkpoint_from_.load(std::memory_order_relaxed)) return;
  checkpoint_from_.store(pages + checkpoint_pages, std::memory_order_relaxed);
  if (!is_checkpoint_wanted_.exchange(true, std::memory_order_acq_rel)) maintenance_->wake();
}

bool Engine::is_checkpoint_overdue() const noexcept {
  return connection_->wal_pages() >= overdue_from_;
}

// A checkpoint makes the file larger: the space reserve is for the writes of admins.
bool Engine::must_not_grow() const noexcept {
  return options_.reserve && options_.reserve->is_released();
}

void Engine::run_overdue_checkpoint() noexcept {
  if (must_not_grow()) return;
  overdue_from_ = connection_->wal_pages() + overdue_pages;
  // SQLite refuses the second of two who copy.
  const std::lock_guard lock(checkpoint_mutex_);
  is_checkpoint_wanted_.store(false, std::memory_order_relaxed);
  readers_->end_snapshots(no_time);
  const CheckpointResult result =
      checkpointer_.run(*connection_, SQLITE_CHECKPOINT_RESTART, overdue_timeout);
  if (result.code != SQLITE_OK && (result.code & 0xff) != SQLITE_BUSY)
    note(sqlite_error(result.db, result.code), true);
  Counters::add(counters_.checkpoints);
}

void Engine::checkpoint() noexcept {
  const std::lock_guard lock(checkpoint_mutex_);
  readers_->end_snapshots(no_time);
  try {
    if (!passive_writer_)
      passive_writer_ = std::make_unique<Connection>(connection_options(options_, Role::writer));
    const CheckpointResult result = checkpointer_.run(*passive_writer_, SQLITE_CHECKPOINT_PASSIVE,
                                                      passive_writer_->busy_timeout());
    if (result.code != SQLITE_OK) note(sqlite_error(result.db, result.code), true);
    Counters::add(counters_.checkpoints);
  } catch (const SqlError& error) {
    note(error, true);
  } catch (...) {  // no memory: the next round tries again
  }
}

void Engine::report_faults() noexcept {
  std::vector<std::pair<Fault, std::string>> faults;
  {
    const std::lock_guard lock(fault_mutex_);
    faults.swap(faults_);
    if (const Fault now = trouble_; now != reported_trouble_) {
      faults.emplace_back(now, trouble_detail_);
      reported_trouble_ = now;
    }
  }
  for (const auto& [fault, reason] : faults)
    report_fault(fault, options_.path, reason);
}

bool Engine::run_maintenance() noexcept {
  report_faults();
  if (options_.reserve) options_.reserve->allocate();
  const std::int64_t now = base::monotonic_nanoseconds();
  bool has_open = expire_due(now);
  if (!must_not_grow() && is_checkpoint_wanted_.exchange(false, std::memory_order_acq_rel) &&
      !writer().has_failed())
    checkpoint();
  has_open |= readers_->end_snapshots(now - nanoseconds_of(max_cached_idle));
  return has_open;
}

void Engine::close() noexcept {
  if (!begin_close()) return;
  std::shared_ptr<FileCheck> check;
  {
    const std::lock_guard lock(check_mutex_);
    check.swap(check_);
  }
  check.reset();
  writer().close();
  readers_->close();
  end_writing();
  report_faults();
  // After a failed write, the WAL may not be on disk: a checkpoint could copy parts of it only.
  const bool is_wal_kept =
      writer().has_failed() || is_wal_left_.load(std::memory_order_relaxed) || must_not_grow();
  if (is_wal_kept) {
    connection_->keep_wal_on_close();
    if (passive_writer_) passive_writer_->keep_wal_on_close();
  }
  passive_writer_.reset();
  // Rows that outlive the database are not waited for.
  if (!is_wal_kept)
    checkpointer_.run(*connection_, SQLITE_CHECKPOINT_TRUNCATE, std::chrono::milliseconds(0));
  checkpointer_.close();
  const bool is_known = !is_wal_kept && is_as_applied();
  connection_.reset();
  if (!is_known) return;
  const std::lock_guard lock(applied_mutex_);
  if (const auto mark = fingerprint_if_clean(options_.path)) {
    closed_ = applied_;
    closed_->mark = *mark;
  }
}

}  // namespace tenon::data::sqlite
