#pragma once

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
#include "postgresql/client/pool.hpp"
#include "postgresql/client/session.hpp"

namespace tenon::data::postgresql {

class Sql;

/// One schema of a PostgreSQL database, as its role: one connection that writes, with the group
/// commit of Writer, and a pool that reads. Writers of other hosts are kept out by a lock of the
/// schema that a group takes with its BEGIN.
class Engine final : public EngineCore, public std::enable_shared_from_this<Engine> {
 public:
  /// Connects; see Database.
  static std::shared_ptr<Engine> open(DatabaseOptions options);
  static Engine& of(Database& database) { return static_cast<Engine&>(database.engine()); }

  explicit Engine(DatabaseOptions options);
  ~Engine() override;

  Dialect dialect() const noexcept override { return Dialect::postgresql; }
  const std::string& path() const noexcept override { return name_; }
  void close() noexcept override;

  Rows query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) override;
  std::size_t append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells,
                          std::chrono::milliseconds timeout) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                     std::chrono::milliseconds timeout, const Handle& handle) override;

  std::vector<std::string> quick_check(int limit) override;
  Statistics statistics() const override;
  FileFacts file_facts() const override;

  bool run_maintenance() noexcept override;

  std::optional<SqlError> control(Control what) noexcept override;
  bool is_transaction_open() const noexcept override;
  std::optional<SqlError> finish_member() noexcept override;
  std::exception_ptr member_error(const SqlError& error) noexcept override;
  void note(const SqlError& error) noexcept override;
  void note_written() noexcept override;
  void note_commit() noexcept override { notify_commit(); }

  Pool& readers() noexcept { return *readers_; }
  /// Returns the owner of the tables; empty if that is the role of the connection.
  const std::string& owner() const noexcept { return options_.postgresql->owner; }
  const PostgresqlSchema& location() const noexcept { return *options_.postgresql; }
  /// Returns the writer's transaction; needs the write lock.
  Session& session() noexcept { return *session_; }

 private:
  std::shared_ptr<data::TransactionState> make_state(TransactionKind kind,
                                                     std::int64_t deadline) override;
  Transaction begin_read(std::int64_t now, std::int64_t deadline, const Handle& handle) override;
  Outcome read(std::string_view sql, Cells cells, std::chrono::milliseconds timeout);
  void connect_writer();
  class Owner;
  ConnectionOptions owner_options() const;
  std::string lock_sql() const;
  /// Runs `work` in a snapshot of a reader's.
  void with_read_connection(const std::function<void(Sql&)>& work);
  /// Runs `work` in one transaction of the tables' owner, while all writes wait; then validates the
  /// constraints that it made.
  void migrate(const std::function<void(Sql&)>& work);
  /// Runs `work` in one transaction of the writer, which owns the tables; validates nothing.
  void migrate_as_writer(const std::function<void(Sql&)>& work);
  /// Runs `work` while this host writes nothing else.
  void with_write_lock(const std::function<void()>& work);
  std::int64_t migration_deadline() const;
  void validate(Owner& owner);
  void read_schema(const Work& work) override;
  void change_schema(Change change, const Work& work) override;
  void note_trouble(Fault fault, const std::string& detail) noexcept;
  void report_faults() noexcept;

  const std::string name_;
  const std::shared_ptr<SharedTimes> times_ = std::make_shared<SharedTimes>();
  BackOff back_off_;
  std::unique_ptr<Pool> readers_;
  std::unique_ptr<Connection> connection_;  ///< guarded by the write lock
  std::optional<Session> session_;          ///< guarded by the write lock
  bool has_deferrable_ = false;  ///< guarded by the write lock: constraints checked at COMMIT

  std::mutex fault_mutex_;
  Fault trouble_ = Fault::healed;
  Fault reported_trouble_ = Fault::healed;
  std::string trouble_detail_;
};

}  // namespace tenon::data::postgresql
