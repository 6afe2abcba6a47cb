#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "data/engine/cursor_source.hpp"
#include "data/limits.hpp"
#include "postgresql/client/result_rows.hpp"

namespace tenon::data::postgresql {

class TransactionState;

/// Rows that a cursor fetches at first; afterwards as many as are likely to fill a batch.
inline constexpr std::size_t first_fetch = 64;

/// Implements a Cursor: a cursor on the server, and copies of the rows of one batch.
class ResultCursor final : public CursorSource {
 public:
  ResultCursor(std::shared_ptr<TransactionState> state, std::string name, Result first,
               const BatchLimits& limits, bool owns_transaction);

  const Batch& next() override;
  void close() noexcept override;

 private:
  /// Enters the next row, fetched where it must be; false after the last.
  bool enter_row();
  void append_row();

  const std::shared_ptr<TransactionState> state_;
  const std::string name_;
  const BatchLimits limits_;
  const bool owns_transaction_;
  std::vector<std::string> name_texts_;

  std::unique_ptr<ResultTable> table_;
  std::size_t asked_ = first_fetch;
  std::size_t row_bytes_ = 0;  ///< of the last batch, a row
  int row_ = -1;
  bool has_row_ = false;  ///< entered, and in no batch yet
  bool is_done_ = false;

  std::string bytes_;
  std::vector<std::size_t> offsets_;
  std::vector<Cell> cells_;
};

}  // namespace tenon::data::postgresql
