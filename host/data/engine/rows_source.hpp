#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/cell.hpp"
#include "data/json_rows.hpp"

namespace tenon::data {

/// Implements Rows for an engine; constructed inside of Rows (see Rows::in_place). Its calls are
/// those of Rows. The destructor returns the statement.
class RowsSource {
 public:
  RowsSource() = default;
  virtual ~RowsSource() = default;
  RowsSource& operator=(const RowsSource&) = delete;

  /// Moves this into a new object at `storage`, which has Rows::source_bytes bytes.
  virtual RowsSource* move_to(void* storage) noexcept = 0;

  virtual bool next() = 0;
  virtual int columns() const noexcept = 0;
  virtual std::string_view name(int column) const noexcept = 0;
  virtual std::size_t append_json(JsonShape shape, JsonText& text) = 0;
  virtual JsonPageEnd append_json_page(std::size_t max_rows, JsonText& text) = 0;

  /// Returns values if Rows has no statement of SQLite to read them from; NULL after the last row.
  virtual Cell cell(int) const noexcept { return {}; }
  virtual std::int64_t integer(int) const noexcept { return 0; }
  virtual double number(int) const noexcept { return 0; }
  virtual std::string_view text(int) const noexcept { return {}; }

 protected:
  RowsSource(const RowsSource&) = default;
};

}  // namespace tenon::data
