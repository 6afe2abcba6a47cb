#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/engine/engine_core.hpp"
#include "data/sql_error.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/statement_rows.hpp"
#include "sqlite/engine/reader_pool.hpp"
#include "sqlite/wal/checkpoint.hpp"

namespace tenon::data::sqlite {

class FileCheck;
class TransactionState;

/// How long the writer waits for queries that read from the WAL when a checkpoint is overdue.
/// Queries that begin after the WAL was copied read from the file.
inline constexpr std::chrono::milliseconds overdue_timeout{50};

/// A full or failing disk counts as healed when a write succeeds this long after the last failure,
/// so that a disk that fails now and then is reported once.
inline constexpr std::chrono::milliseconds healed_after{1'000};

/// One SQLite file, its writer and its readers.
class Engine final : public EngineCore, public std::enable_shared_from_this<Engine> {
 public:
  /// Opens or creates the file; see Database. `first`: see EngineCore.
  static std::shared_ptr<Engine> open(DatabaseOptions options,
                                      std::shared_ptr<Handle> first = nullptr);

  /// Returns the engine of a database whose dialect is SQLite's.
  static Engine& of(Database& database) { return static_cast<Engine&>(database.engine()); }

  Engine(DatabaseOptions options, std::shared_ptr<Handle> first);
  ~Engine() override;

  Dialect dialect() const noexcept override { return Dialect::sqlite; }
  const std::string& path() const noexcept override { return options_.path; }
  void close() noexcept override;
  void leave_wal() noexcept override { is_wal_left_.store(true, std::memory_order_relaxed); }

  std::optional<CleanClose> clean_close() const override;
  /// Records that the declaration of a clean close is applied, so that apply() need not compare.
  void assume(const CleanClose& closed);

  /// Waits for a check in the background. Throws 503 data.corrupt if it found damage.
  void wait_checked();

  Rows query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) override;
  std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells,
                          std::chrono::milliseconds timeout) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                     std::chrono::milliseconds timeout, const Handle& handle) override;
  std::vector<std::string> quick_check(int max_findings) override;
  FileFacts file_facts() const override;

  /// Whether with_write_lock() reports a storage error to the admin.
  enum class Reporting : bool { off, on };

  /// Gives back the connection of a query.
  void end_query(Connection& connection) noexcept;

  /// Runs `work` on the connection of the writer, with the write lock. Rolls back a transaction
  /// that `work` left open.
  void with_write_lock(const std::function<void(Connection&)>& work,
                       Reporting reporting = Reporting::on);
  /// Runs `work` on a new connection that only reads and has no deadline.
  void with_read_connection(const std::function<void(Connection&)>& work);

  /// Copies the whole WAL into the file and returns a connection that keeps it so: until it is
  /// closed, writes go to the WAL only. Throws 503 data.busy after `timeout`.
  std::unique_ptr<Connection> pin_checkpoint(std::chrono::milliseconds timeout);

  /// Has the maintenance thread copy the WAL soon, however small it is.
  void want_checkpoint() noexcept;

  std::optional<SqlError> control(Control what) noexcept override;
  bool is_transaction_open() const noexcept override;
  std::optional<SqlError> finish_member() noexcept override;
  std::exception_ptr member_error(const SqlError& error) noexcept override;

  /// Returns the connection of the writer; needs the write lock.
  Connection& connection() noexcept { return *connection_; }
  ReaderPool& readers() noexcept { return *readers_; }

  /// Counts a failure. Rejects all later writes if the disk can no longer be trusted.
  void note(const SqlError& error) noexcept override { note(error, false); }
  /// Notes that a COMMIT is on disk.
  void note_written() noexcept override;
  /// Notifies the listeners of a COMMIT; needs the write lock.
  void note_commit() noexcept override;
  bool is_checkpoint_overdue() const noexcept override;
  /// Copies the whole WAL, so that the next write restarts it; needs the write lock. Waits for
  /// queries that began before, at most twice `overdue_timeout`.
  void run_overdue_checkpoint() noexcept override;

  /// Also copies the WAL if that is due.
  bool run_maintenance() noexcept override;

  Statistics statistics() const override;

 private:
  /// Registers with the maintenance thread. Call it once, after the constructor.
  void start();
  /// `copies`: copies the cells, because the rows outlive them.
  StatementRows read(std::string_view sql, Cells cells, std::chrono::milliseconds timeout,
                     bool copies);
  void read_schema(const Work& work) override;
  void read_room(const Work& work) override;
  void change_schema(Change change, const Work& work) override;
  bool is_applied(const Declaration& declaration) override;
  void before_change(bool is_upgrade) override;
  void after_apply(const Declaration& declaration, std::int64_t schema_number,
                   bool is_new) override;
  std::shared_ptr<data::TransactionState> make_state(TransactionKind kind,
                                                     std::int64_t deadline) override;
  Transaction begin_read(std::int64_t now, std::int64_t deadline, const Handle& handle) override;
  std::unique_ptr<Connection> try_pin(Connection& writer);
  void start_check();
  void checkpoint() noexcept;
  void note(const SqlError& error, bool is_checkpointing) noexcept;
  bool must_not_grow() const noexcept;
  void report_faults() noexcept;
  void note_trouble(Fault fault, const std::string& detail) noexcept;
  /// Notes an applied declaration. `schema`: SQLite's number of the schema on disk.
  void note_applied(const Declaration& declaration, std::int64_t schema);
  /// Records the digest of an applied declaration. Without it, the next start compares again.
  void store_applied(const Declaration& declaration, std::int64_t schema) noexcept;
  /// Forgets the applied declaration. Call it before a change of the schema.
  void forget_applied();
  /// Returns whether the file still has the schema that was applied.
  bool is_as_applied() noexcept;

  bool is_check_due_ = false;  ///< in the background
  std::unique_ptr<Connection> connection_;
  std::int64_t finished_changes_ =
      0;  ///< of the connection, at the end of the last finished member
  std::unique_ptr<ReaderPool> readers_;

  std::mutex check_mutex_;
  std::shared_ptr<FileCheck> check_;  ///< from start() to close()

  std::mutex checkpoint_mutex_;
  Checkpointer checkpointer_;                   ///< checkpoint_mutex_
  std::unique_ptr<Connection> passive_writer_;  ///< checkpoint_mutex_; of the maintenance thread
  std::atomic<bool> is_checkpoint_wanted_{false};
  std::atomic<bool> is_wal_left_{false};
  std::atomic<int> checkpoint_from_{
      checkpoint_pages};              ///< pages in the WAL that make the next one due
  int overdue_from_ = overdue_pages;  ///< guarded by the write lock

  mutable std::mutex applied_mutex_;
  CleanClose applied_;  ///< without a fingerprint; the declaration is empty if none was applied
  std::optional<CleanClose> closed_;

  std::mutex fault_mutex_;
  std::vector<std::pair<Fault, std::string>> faults_;
  bool reported_sync_ = false;
  bool reported_corrupt_ = false;
  std::atomic<Fault> trouble_{Fault::healed};  ///< disk_full, io_failed or healed
  std::int64_t trouble_at_ = 0;                ///< of the last disk_full or io_failed
  Fault reported_trouble_ = Fault::healed;
  std::string trouble_detail_;
};

/// Returns SQLite's number of the schema (PRAGMA schema_version). Every change of the schema
/// changes it.
std::int64_t schema_number(Connection& connection);

/// Returns the facts of a file, which need not be open.
FileFacts facts_of_file(const std::string& path);

/// See data::plan_file.
schema::Plan plan_file(const std::string& path, bool has_writer, const Declaration& declaration);

}  // namespace tenon::data::sqlite
