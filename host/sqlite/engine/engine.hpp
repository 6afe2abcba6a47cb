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

/// How long the writer waits for queries that read from an overdue log. Those that begin while it
/// waits read the file alone, once the log is copied.
inline constexpr std::chrono::milliseconds overdue_wait{50};

/// A full or failing disk counts as healed when a write succeeds this long after the last failure,
/// so that a disk on the edge is told of once.
inline constexpr std::chrono::milliseconds trouble_lasts{1'000};

/// One SQLite file, its writer and its readers.
class Engine final : public EngineCore, public std::enable_shared_from_this<Engine> {
 public:
  /// Opens or makes the file; see Database.
  /// `first`: see EngineCore.
  static std::shared_ptr<Engine> open(DatabaseOptions options,
                                      std::shared_ptr<Handle> first = nullptr);

  /// That of a database whose dialect is SQLite's.
  static Engine& of(Database& database) { return static_cast<Engine&>(database.engine()); }

  Engine(DatabaseOptions options, std::shared_ptr<Handle> first);
  ~Engine() override;

  Dialect dialect() const noexcept override { return Dialect::sqlite; }
  const std::string& path() const noexcept override { return options_.path; }
  void close() noexcept override;
  void leave_wal() noexcept override { is_wal_left_.store(true, std::memory_order_relaxed); }

  std::optional<CleanClose> clean_close() const override;
  /// That this was applied already.
  void assume(const CleanClose& closed);

  /// Waits for a check beside the work; throws what it found.
  void wait_checked();

  Rows query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) override;
  std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells,
                          std::chrono::milliseconds timeout) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                     std::chrono::milliseconds timeout, const Handle& handle) override;
  std::vector<std::string> quick_check(int most) override;
  FileFacts file_facts() const override;

  /// Whether a storage error that with_write_lock() meets is reported to the admin.
  enum class Reporting : bool { off, on };

  /// Takes back the connection of a query.
  void end_query(Connection& connection) noexcept;

  /// Runs `work` with the writer's connection while no transaction is open and no other writes. A
  /// transaction that `work` leaves open is undone.
  void with_write_lock(const std::function<void(Connection&)>& work,
                       Reporting reporting = Reporting::on);
  /// Runs `work` with a connection of its own that only reads and has no deadline.
  void with_read_connection(const std::function<void(Connection&)>& work);

  /// A reader of the whole log's content in the file itself: while it lasts, nobody writes the
  /// file. Those who write go on in the log. Tries until `longest` is over: 503 data.busy.
  std::unique_ptr<Connection> pin_file(std::chrono::milliseconds longest);

  /// The housekeeper copies the log soon, whatever stands in it.
  void want_checkpoint() noexcept;

  std::optional<SqlError> control(Control what) noexcept override;
  bool is_transaction_open() const noexcept override;
  std::optional<SqlError> finish_member() noexcept override;
  std::exception_ptr member_error(const SqlError& error) noexcept override;

  /// Turn: the writer's.
  Connection& connection() noexcept { return *connection_; }
  ReaderPool& readers() noexcept { return *readers_; }

  /// Counts a failure, and stops writing when the disk cannot be believed any more.
  void note(const SqlError& error) noexcept override { note(error, false); }
  /// A COMMIT is on disk.
  void note_written() noexcept override;
  /// Turn, after each COMMIT.
  void note_commit() noexcept override;
  bool is_checkpoint_overdue() const noexcept override;
  /// Turn: copies the whole log, so that the next write starts it again. Waits for queries that
  /// began before, twice overdue_wait at most.
  void run_overdue_checkpoint() noexcept override;

  /// Copies the log too.
  bool run_maintenance() noexcept override;

  Statistics statistics() const override;

 private:
  /// Tells the housekeeper; once, after the constructor.
  void start();
  /// `copies`: the rows outlive the cells.
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
  void check_aside();
  void checkpoint() noexcept;
  void note(const SqlError& error, bool is_checkpointing) noexcept;
  bool must_not_grow() const noexcept;
  void report_faults() noexcept;
  void note_trouble(Fault fault, const std::string& detail) noexcept;
  /// `schema`: the number of it that is on disk.
  void note_applied(const Declaration& declaration, std::int64_t schema);
  /// Records the digest of an applied declaration. Without it, the next start compares again.
  void keep_applied(const Declaration& declaration, std::int64_t schema) noexcept;
  /// Before anything is changed.
  void forget_applied();
  /// Whether the writer's connection still finds the schema that was applied.
  bool is_as_applied() noexcept;

  bool is_check_due_ = false;  ///< beside the work
  std::unique_ptr<Connection> connection_;
  std::int64_t finished_changes_ = 0;  ///< of the connection, up to the last finished member
  std::unique_ptr<ReaderPool> readers_;

  std::mutex check_mutex_;
  std::shared_ptr<FileCheck> check_;  ///< from start() to close()

  std::mutex checkpoint_mutex_;
  Checkpointer checkpointer_;                   ///< checkpoint_mutex_
  std::unique_ptr<Connection> passive_writer_;  ///< checkpoint_mutex_; the housekeeper's
  std::atomic<bool> is_checkpoint_wanted_{false};
  std::atomic<bool> is_wal_left_{false};
  std::atomic<int> checkpoint_from_{
      checkpoint_pages};              ///< pages in the log at which the next one is wanted
  int overdue_from_ = overdue_pages;  ///< turn

  mutable std::mutex applied_mutex_;
  CleanClose applied_;  ///< without a mark; the declaration is empty where none was applied
  std::optional<CleanClose> closed_;

  std::mutex fault_mutex_;
  std::vector<std::pair<Fault, std::string>> faults_;
  bool told_sync_ = false;
  bool told_corrupt_ = false;
  std::atomic<Fault> trouble_{Fault::healed};  ///< disk_full, io_failed or healed
  std::int64_t trouble_at_ = 0;                ///< of the last disk_full or io_failed
  Fault told_trouble_ = Fault::healed;
  std::string trouble_detail_;
};

/// SQLite's own number of the schema, which every change of it moves.
std::int64_t schema_number(Connection& connection);

/// Of a file that need not be open.
FileFacts facts_of_file(const std::string& path);

/// See data::plan_file.
schema::Plan plan_file(const std::string& path, bool is_live, const Declaration& declaration);

}  // namespace tenon::data::sqlite
