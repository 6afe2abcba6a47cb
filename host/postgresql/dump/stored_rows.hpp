#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data::postgresql {

/// The values of a row as PostgreSQL sends them; none for NULL.
using StoredRow = std::vector<std::optional<std::string_view>>;

/// The value of a bigint column.
std::int64_t number_in(std::string_view value) noexcept;

/// Takes the bytes of a COPY … (FORMAT binary) in pieces of any size, and gives its rows. Throws
/// 409 data.snapshot_refused for what is none.
class StoredRowParser {
 public:
  void add(std::string_view bytes);
  /// False where the next row is not whole yet, or there is none.
  bool next();
  /// The row that next() found; good until the next call.
  const StoredRow& row() const noexcept { return row_; }

 private:
  bool take_head();

  std::string bytes_;
  std::size_t at_ = 0;
  bool has_head_ = false;
  StoredRow row_;
};

}  // namespace tenon::data::postgresql
