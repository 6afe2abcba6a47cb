#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "data/sql_error.hpp"
#include "data/sqlite/connection.hpp"
#include "data/sqlite/statement_cursor.hpp"
#include "data/sqlite/statement_rows.hpp"
#include "data/transaction_state.hpp"

namespace tenon::data {
struct Member;
}

namespace tenon::data::sqlite {

class Engine;

enum class TransactionKind : std::uint8_t {
  single,  ///< one cursor of a reader, without BEGIN
  read,
  write,
  job,  ///< a write that its caller runs and ends
};

/// What stands behind a Transaction, its rows and its cursors. Calls exclude each other by a mutex;
/// the housekeeper may end it at its deadline, but not during a call nor while rows of it live
/// (pins).
class TransactionState final : public data::TransactionState,
                               public std::enable_shared_from_this<TransactionState> {
 public:
  TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind, std::int64_t deadline);
  ~TransactionState() override;

  /// Takes over a connection whose transaction was begun; from here on the state gives it back.
  /// `is_watched`: it may rest between calls, so that the housekeeper has to mind its deadline.
  void start(Connection* connection, bool is_watched);

  ExecResult exec(std::string_view sql, Cells cells) override;
  void exec_as_host(std::string_view sql, Cells cells) override;
  Rows query(std::string_view sql, Cells cells) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) override;
  bool step(StatementRows& rows);
  void finish_rows(StatementRows& rows) noexcept;
  void fill(StatementCursor& cursor);
  void close_cursor(StatementCursor& cursor) noexcept;

  void commit() override;
  void commit_async(std::function<void(std::exception_ptr)> done) override;
  void rollback() noexcept override;
  bool is_open() const noexcept override;

  /// Ends a job: keeps it as `member`, or undoes it. Returns the error that it ended with.
  std::exception_ptr finish_job(Member* member, std::exception_ptr error) noexcept;

  /// Ends it when its deadline passed and nobody is in a call.
  void expire_if_due(std::int64_t now) noexcept;
  /// Ends it because the database closes; waits for a call that runs.
  void close() noexcept;

  std::int64_t deadline() const noexcept { return deadline_; }

  // Links of the engine's list of open transactions, under the engine's lock.
  TransactionState* newer = nullptr;
  TransactionState* older = nullptr;
  bool is_listed = false;

 private:
  enum class Status : std::uint8_t { open, committed, undone, expired, closed, lost };
  class Call;

  [[noreturn]] void throw_over() const;
  bool end(Status status) noexcept;
  bool release() noexcept;
  bool note_failure(const SqlError& error) noexcept;
  bool prepare_commit(Member* member);
  void close_cursors() noexcept;

  const std::shared_ptr<Engine> engine_;
  const TransactionKind kind_;
  const std::int64_t deadline_;
  mutable std::mutex mutex_;
  Status status_ = Status::open;
  bool is_ending_ = false;  ///< ended, but rows still hold the connection
  int pins_ = 0;
  Connection* connection_ = nullptr;
  StatementCursor* cursors_ = nullptr;
};

}  // namespace tenon::data::sqlite
