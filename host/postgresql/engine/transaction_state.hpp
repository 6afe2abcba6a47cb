#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/engine/transaction_state.hpp"
#include "postgresql/client/session.hpp"

namespace tenon::data::postgresql {

class Engine;

/// Implements a Transaction and its cursors. Results are whole in memory, so rows hold nothing of
/// it.
class TransactionState final : public data::TransactionState {
 public:
  TransactionState(std::shared_ptr<Engine> engine, TransactionKind kind, std::int64_t deadline);
  ~TransactionState() override;

  /// Reads on a connection of its own.
  void start(std::unique_ptr<Connection> reader);
  void start_writing() noexcept override { has_started_ = true; }

  ExecResult exec(std::string_view sql, Cells cells) override;
  void exec_as_host(std::string_view sql, Cells cells) override;
  Rows query(std::string_view sql, Cells cells) override;
  Cursor open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits) override;
  void rollback() noexcept override;

  /// `owns_transaction`: it ends with the cursor.
  Cursor open(std::string_view sql, Cells cells, const BatchLimits& limits, bool owns_transaction);
  /// Throws what a call would.
  void require_open();
  /// Some more rows of a cursor of this transaction.
  Result fetch(const std::string& cursor, std::size_t rows);
  void close_cursor(const std::string& cursor, bool owns_transaction) noexcept;

 private:
  Engine& engine() const noexcept;
  Session& session() noexcept;
  Outcome run(Call& call, std::string_view sql, Cells cells, const RunOptions& how = {});

  bool end(Status status) noexcept override;
  bool release() noexcept override;
  bool is_reader_lost() const noexcept override { return reading_ && !reading_->is_open(); }

  bool has_started_ = false;
  std::unique_ptr<Connection> reader_;
  std::optional<Session> reading_;
  unsigned cursors_ = 0;
};

}  // namespace tenon::data::postgresql
