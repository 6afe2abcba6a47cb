#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/engine/cursor_source.hpp"
#include "sqlite/connection/connection.hpp"

struct sqlite3_stmt;

namespace tenon::data::sqlite {

class TransactionState;

/// The state of a Cursor. It is linked to its transaction while it holds a statement, and is used
/// only in calls of that transaction.
class StatementCursor final : public CursorSource {
 public:
  StatementCursor(std::shared_ptr<TransactionState> owner, StatementLease statement,
                  const BatchLimits& batch_limits);

  const Batch& next() override;
  void close() noexcept override;

  /// Copies rows until a bound is reached or the statement ends (`is_done`). SQLite's result code,
  /// SQLITE_ROW or SQLITE_DONE when all is well.
  int fill();

  std::shared_ptr<TransactionState> state;
  StatementLease lease;
  BatchLimits limits;
  bool owns_transaction = false;
  bool is_done = false;
  StatementCursor* later = nullptr;
  StatementCursor* earlier = nullptr;

  std::vector<std::string> name_texts;

 private:
  void append_row(sqlite3_stmt* statement);

  struct Slot {
    CellKind kind;
    std::size_t size;
    union {
      std::int64_t integer;
      double number;
      std::size_t offset;
    };
  };
  bool has_row_ = false;  ///< the statement is at a row that is not in a batch yet
  std::string bytes_;
  std::vector<Slot> slots_;
  std::vector<Cell> cells_;
};

}  // namespace tenon::data::sqlite
