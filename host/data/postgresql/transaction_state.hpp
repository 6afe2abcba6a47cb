#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "data/postgresql/session.hpp"
#include "data/transaction_state.hpp"

namespace tenon::data {
struct Member;
}

namespace tenon::data::postgresql {

class Engine;

enum class TransactionKind : std::uint8_t {
  read,
  write,
  job,  ///< a write that its caller runs and ends
};

/// What stands behind a Transaction and its cursors. Calls exclude each other by a mutex; the
/// housekeeper may end it at its deadline, but not during a call. Results are whole in memory, so
/// rows hold nothing of it.
class TransactionState final : public data::TransactionState,
                               public std::enable_shared_from_this<TransactionState> {
 public:
  TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind, std::int64_t deadline);
  ~TransactionState() override;

  /// Reads on a connection of its own, or writes in the writer's session.
  void start(std::unique_ptr<Connection> reader);
  /// For the housekeeper, where it may rest between calls.
  void watch();

  ExecResult exec(std::string_view sql, Cells cells) override;
  void exec_as_host(std::string_view sql, Cells cells) override;
  Rows query(std::string_view sql, Cells cells) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) override;
  void commit() override;
  void commit_async(std::function<void(std::exception_ptr)> done) override;
  void rollback() noexcept override;
  bool is_open() const noexcept override;

  /// `owns_transaction`: it ends with the cursor.
  Cursor open(std::string_view sql, Cells cells, const BatchLimits& limits, bool owns_transaction);
  /// Throws what a call would.
  void require_open();
  /// Some more rows of a cursor of this transaction.
  Result fetch(const std::string& cursor, std::size_t rows);
  void close_cursor(const std::string& cursor, bool owns_transaction) noexcept;

  /// Ends a job: keeps it as `member`, or undoes it. Returns the error that it ended with.
  std::exception_ptr finish_job(Member* member, std::exception_ptr error) noexcept;

  /// Ends it when its deadline passed and nobody is in a call.
  void expire_if_due(std::int64_t now) noexcept;
  /// Ends it because the database closes; waits for a call that runs.
  void close() noexcept;

 private:
  enum class Status : std::uint8_t { open, committed, undone, expired, closed, lost };
  class Call;

  Session& session() noexcept;
  [[noreturn]] void throw_over() const;
  Outcome run(Call& call, std::string_view sql, Cells cells, const RunOptions& how = {});
  bool end(Status status) noexcept;
  bool release() noexcept;
  bool note_failure(const SqlError& error) noexcept;
  bool prepare_commit(Member* member);

  const std::shared_ptr<Engine> engine_;
  const TransactionKind kind_;
  const std::int64_t deadline_;
  mutable std::mutex mutex_;
  Status status_ = Status::open;
  bool has_started_ = false;
  bool is_watched_ = false;
  std::unique_ptr<Connection> reader_;
  std::optional<Session> reading_;
  unsigned cursors_ = 0;
};

}  // namespace tenon::data::postgresql
