#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "data/cell.hpp"
#include "data/limits.hpp"

namespace tenon::data {

class CursorSource;

/// Some rows of a query, row after row. Borrowed from its cursor.
struct Batch {
  std::size_t columns = 0;
  std::size_t rows = 0;
  bool more = false;            ///< false: these were the last
  std::span<const Cell> cells;  ///< rows × columns
};

/// The rows of a query in batches. Each is copied into the cursor's own memory, so that its reader
/// holds nothing of the engine. It may rest between batches. After its transaction ended or
/// expired, next() fails with 503 data.transaction_expired or 409 data.transaction_over, and the
/// last batch stays readable. Any thread, one at a time for a transaction.
class Cursor {
 public:
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&& other) noexcept;
  /// Closes; never throws.
  ~Cursor();

  /// Names of the columns; valid as long as the cursor.
  std::span<const std::string_view> names() const noexcept;

  /// Returns the next rows; an empty batch with more == false after the last. The batch is valid
  /// until the next call of next(), the move or the end of this object. Throws the errors of the
  /// statement.
  const Batch& next();

  /// Returns the statement, and the transaction if it is the cursor's own. The last batch stays
  /// readable.
  void close() noexcept;

  /// For this room only.
  explicit Cursor(std::unique_ptr<CursorSource> source) noexcept;

 private:
  std::unique_ptr<CursorSource> source_;
};

}  // namespace tenon::data
