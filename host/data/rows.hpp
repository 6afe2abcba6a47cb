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

/// The rows of one query. Of SQLite they are stepped straight from its statement: nothing is copied
/// or allocated for a row. While it lives its transaction is in use and is not taken away at the
/// deadline (a step past the deadline fails instead), so that what a row lends stays valid: keep it
/// short-lived, on the stack, on one thread. For rows that wait for somebody between batches take a
/// Cursor.
class Rows {
 public:
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&& other) noexcept;
  ~Rows();

  /// Steps to the next row; false after the last, when the statement is given back already.
  /// Throws what the statement fails with: 503 data.timeout, 503 data.transaction_expired, …
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

  /// Appends what is left of the rows as JSON text and gives the statement back; how many there
  /// were (at most one for JsonShape::row, and nothing is appended when there is none). Members are
  /// named after the columns. Integers have all their digits, numbers are as short as they can be,
  /// blobs are base64 (RFC 4648, padded), NULL and what is not finite are null; bytes that are not
  /// UTF-8 become U+FFFD. A column named "x:boolean" becomes true or false; "x:json" is text that
  /// is JSON already. Throws as next(), 413 data.too_large beyond max_json_bytes, 500 data.sql for
  /// a ":json" that is none; `text` then ends anywhere.
  std::size_t append_json(JsonShape shape, JsonText& text);

  /// As append_json(JsonShape::rows, …) for at most `most` rows, and tells where it ended. Columns
  /// named "x:key" become no members; they stand behind all others, and must not be the first. A
  /// column named "x:flag", the last one, becomes no member either.
  JsonPageEnd append_json_page(std::size_t most, JsonText& text);

  /// The room's own: how large an engine's RowsSource may be, and the rows of one that `make`
  /// makes at the place given.
  static constexpr std::size_t source_bytes = 96;
  template <typename Make>
  static Rows in_place(Make&& make) {
    Rows rows;
    rows.source_ = make(static_cast<void*>(rows.place_), rows.statement_);
    return rows;
  }

 private:
  Rows() noexcept = default;
  void end() noexcept;

  RowsSource* source_ = nullptr;       ///< in place_; null once moved from
  sqlite3_stmt* statement_ = nullptr;  ///< where the engine is SQLite: values are read from it
                                       ///< without a virtual call
  alignas(std::max_align_t) std::byte place_[source_bytes];
};

}  // namespace tenon::data
