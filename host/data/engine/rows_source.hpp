#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/cell.hpp"
#include "data/json_rows.hpp"

namespace tenon::data {

/// What an engine puts behind Rows, made inside of them (see Rows::in_place). Its calls are those
/// of Rows; the destructor gives the statement back.
class RowsSource {
 public:
  RowsSource() = default;
  virtual ~RowsSource() = default;
  RowsSource& operator=(const RowsSource&) = delete;

  /// Moves what this holds into a new object at `place`, which has room for Rows::source_bytes.
  virtual RowsSource* move_to(void* place) noexcept = 0;

  virtual bool next() = 0;
  virtual int columns() const noexcept = 0;
  virtual std::string_view name(int column) const noexcept = 0;
  virtual std::size_t append_json(JsonShape shape, JsonText& text) = 0;
  virtual JsonPageEnd append_json_page(std::size_t most, JsonText& text) = 0;

  /// Values where Rows has no statement of SQLite to read them from; after the last row NULL.
  virtual Cell cell(int) const noexcept { return {}; }
  virtual std::int64_t integer(int) const noexcept { return 0; }
  virtual double number(int) const noexcept { return 0; }
  virtual std::string_view text(int) const noexcept { return {}; }

 protected:
  RowsSource(const RowsSource&) = default;
};

}  // namespace tenon::data
