#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/cell.hpp"
#include "data/json_rows.hpp"

struct sqlite3_stmt;

namespace tenon::data {

class RowsSource;

/// The rows of one query. On SQLite they are stepped directly from its statement: nothing is copied
/// or allocated for a row. While this object lives, its transaction is in use and does not end at
/// the deadline (a step past the deadline fails instead), so borrowed values stay valid. Keep it
/// short-lived, on the stack, on one thread. Use a Cursor for rows that wait between batches.
class Rows {
 public:
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&& other) noexcept;
  ~Rows();

  /// Steps to the next row. Returns false after the last one; the statement is returned then.
  /// Throws the errors of the statement: 503 data.timeout, 503 data.transaction_expired, …
  bool next();

  int columns() const noexcept;
  std::string_view name(int column) const noexcept;

  /// Values of the current row; `column` counts from 0. Conversions are SQLite's (NULL reads as 0
  /// or empty).
  CellKind kind(int column) const noexcept;
  bool is_null(int column) const noexcept { return kind(column) == CellKind::null; }
  std::int64_t integer(int column) const noexcept;
  bool boolean(int column) const noexcept { return integer(column) != 0; }
  double number(int column) const noexcept;
  /// Valid until next() or the end of this object.
  std::string_view text(int column) const noexcept;
  std::string_view blob(int column) const noexcept;
  Cell cell(int column) const noexcept;
  /// Copies; nullopt for NULL.
  std::optional<std::string> optional_text(int column) const;

  /// Appends the remaining rows as JSON text and returns the statement. Returns their number (at
  /// most one for JsonShape::row; without rows nothing is appended). Members are named after the
  /// columns. Integers have all their digits, numbers are as short as they can be, blobs are base64
  /// (RFC 4648, padded), NULL and non-finite numbers are null; bytes that are not UTF-8 become
  /// U+FFFD. A column named "x:boolean" becomes true or false; "x:json" is text that is already
  /// JSON. Throws as next(), 413 data.too_large beyond max_json_bytes, 500 data.sql for a
  /// ":json" that is not JSON; `text` is then incomplete.
  std::size_t append_json(JsonShape shape, JsonText& text);

  /// Appends at most `max_rows` rows as append_json(JsonShape::rows, …). Returns where the page
  /// ended. Columns named "x:key" become no members; they come after all others, and must not be
  /// the first. A column named "x:flag", the last one, becomes no member either.
  JsonPageEnd append_json_page(std::size_t max_rows, JsonText& text);

  /// For this room only: the maximum size of an engine's RowsSource, and the rows of a source that
  /// `make` constructs at the given address.
  static constexpr std::size_t source_bytes = 96;
  template <typename Make>
  static Rows in_place(Make&& make) {
    Rows rows;
    rows.source_ = make(static_cast<void*>(rows.storage_), rows.statement_);
    return rows;
  }

 private:
  Rows() noexcept = default;
  void end() noexcept;

  RowsSource* source_ = nullptr;       ///< in storage_; null once moved from
  sqlite3_stmt* statement_ = nullptr;  ///< if the engine is SQLite: values are read from it
                                       ///< without a virtual call
  alignas(std::max_align_t) std::byte storage_[source_bytes];
};

}  // namespace tenon::data
