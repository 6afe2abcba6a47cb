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

/// The rows of a query in batches, each copied into the cursor's own memory, so that nothing of
/// the engine is held by whoever reads them. It may rest between batches; when its transaction ends
/// or expires, next() fails with 503 data.transaction_expired or 409 data.transaction_over while
/// the last batch stays readable. Any thread, one at a time for a transaction.
class Cursor {
 public:
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&& other) noexcept;
  /// Closes; never throws.
  ~Cursor();

  /// Names of the columns; valid as long as the cursor.
  std::span<const std::string_view> names() const noexcept;

  /// The next rows; an empty batch with more == false after the last. What it lends is valid until
  /// the next call of next(), the move or the end of this object. Throws what the statement fails
  /// with.
  const Batch& next();

  /// Gives the statement back (and the transaction, where it was the cursor's own); the last batch
  /// stays readable.
  void close() noexcept;

  /// The room's own.
  explicit Cursor(std::unique_ptr<CursorSource> source) noexcept;

 private:
  std::unique_ptr<CursorSource> source_;
};

}  // namespace tenon::data
