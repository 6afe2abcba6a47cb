#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "data/engine/rows_source.hpp"
#include "data/rows.hpp"
#include "sqlite/connection/statement_lease.hpp"

struct sqlite3_stmt;

namespace tenon::data::sqlite {

class Engine;
class TransactionState;

/// The source of Rows: a statement of SQLite, in a transaction or as a query of its own.
class StatementRows final : public RowsSource {
 public:
  StatementRows(std::shared_ptr<TransactionState> state, StatementLease lease,
                std::int64_t started) noexcept;
  StatementRows(std::shared_ptr<Engine> engine, StatementLease lease,
                std::int64_t started) noexcept;
  ~StatementRows() override;

  /// Returns the rows for the caller of a query.
  static data::Rows to_rows(StatementRows&& rows) noexcept;

  RowsSource* move_to(void* storage) noexcept override;
  bool next() override;
  int columns() const noexcept override;
  std::string_view name(int column) const noexcept override;
  std::size_t append_json(JsonShape shape, JsonText& text) override;
  JsonPageEnd append_json_page(std::size_t max_rows, JsonText& text) override;

 private:
  friend class TransactionState;
  StatementRows(StatementRows&& other) noexcept;
  bool advance();
  void finish() noexcept;

  std::shared_ptr<TransactionState> state_;
  std::shared_ptr<Engine> engine_;  ///< for a query of its own, without a transaction's state
  StatementLease lease_;
  sqlite3_stmt* statement_ = nullptr;
  std::int64_t started_;    ///< 0 after it was reported
  std::int64_t ended_ = 0;  ///< its first step; 0 before
};

static_assert(sizeof(StatementRows) <= data::Rows::source_bytes);

}  // namespace tenon::data::sqlite
