#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "data/engine/transaction_state.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/statement_cursor.hpp"
#include "sqlite/connection/statement_rows.hpp"

namespace tenon::data::sqlite {

class Engine;

/// The state that a Transaction shares with its rows and cursors. It is not ended while rows of it
/// live (`pins_`).
class TransactionState final : public data::TransactionState {
 public:
  TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind, std::int64_t deadline);
  ~TransactionState() override;

  /// Takes over a reader whose transaction has begun. The state gives it back.
  void start(Connection* connection) noexcept;
  void start_writing() noexcept override;

  ExecResult exec(std::string_view sql, Cells cells) override;
  void exec_as_host(std::string_view sql, Cells cells) override;
  Rows query(std::string_view sql, Cells cells) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) override;
  bool step(StatementRows& rows);
  void finish_rows(StatementRows& rows) noexcept;
  void fill(StatementCursor& cursor);
  void close_cursor(StatementCursor& cursor) noexcept;

  void rollback() noexcept override;

 private:
  Engine& engine() const noexcept;
  std::shared_ptr<TransactionState> self();
  void close_cursors() noexcept;

  bool end(Status status) noexcept override;
  bool release() noexcept override;
  void before_commit() override;
  void before_job_ends() noexcept override;
  bool is_at_rest() const noexcept override { return pins_ == 0; }

  bool is_ending_ = false;  ///< ended, but rows still hold the connection
  int pins_ = 0;
  Connection* connection_ = nullptr;
  StatementCursor* cursors_ = nullptr;
};

}  // namespace tenon::data::sqlite
