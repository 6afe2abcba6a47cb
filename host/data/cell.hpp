#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {

enum class CellKind : std::uint8_t { null, integer, number, text, blob };

/// One value on its way into or out of a statement. Text and blobs are borrowed: the bytes stay the
/// giver's. Booleans travel as the integers 0 and 1, dates, times, ids and JSON as text.
class Cell {
 public:
  // Lists of values read as SQL does.
  // NOLINTBEGIN(google-explicit-constructor)
  constexpr Cell() noexcept : integer_(0) {}
  constexpr Cell(std::nullptr_t) noexcept : Cell() {}
  template <std::integral Integer>
  constexpr Cell(Integer value) noexcept
      : kind_(CellKind::integer), integer_(static_cast<std::int64_t>(value)) {
    if constexpr (sizeof(Integer) == 8 && std::unsigned_integral<Integer>) {
      assert(value <= static_cast<Integer>(std::numeric_limits<std::int64_t>::max()));
    }
  }
  constexpr Cell(double value) noexcept : kind_(CellKind::number), number_(value) {}
  constexpr Cell(std::string_view text) noexcept
      : kind_(CellKind::text), size_(text.size()), bytes_(text.data()) {}
  Cell(const std::string& text) noexcept : Cell(std::string_view(text)) {}
  constexpr Cell(const char* text) noexcept : Cell(std::string_view(text)) {}
  template <typename Value>
  constexpr Cell(const std::optional<Value>& value) noexcept
      : Cell(value ? Cell(*value) : Cell()) {}
  // NOLINTEND(google-explicit-constructor)

  static constexpr Cell blob(std::string_view bytes) noexcept {
    Cell cell(bytes);
    cell.kind_ = CellKind::blob;
    return cell;
  }

  constexpr CellKind kind() const noexcept { return kind_; }
  constexpr bool is_null() const noexcept { return kind_ == CellKind::null; }
  /// The integer; only for CellKind::integer.
  constexpr std::int64_t integer() const noexcept {
    assert(kind_ == CellKind::integer);
    return integer_;
  }
  /// The number; for CellKind::number, or an integer converted.
  constexpr double number() const noexcept {
    assert(kind_ == CellKind::number || kind_ == CellKind::integer);
    return kind_ == CellKind::number ? number_ : static_cast<double>(integer_);
  }
  /// The bytes of a text or a blob.
  constexpr std::string_view text() const noexcept {
    assert(kind_ == CellKind::text || kind_ == CellKind::blob);
    return {bytes_, size_};
  }

 private:
  CellKind kind_ = CellKind::null;
  std::size_t size_ = 0;
  union {
    std::int64_t integer_;
    double number_;
    const char* bytes_;
  };
};

/// A borrowed list of cells, to be bound to the parameters ?1, ?2 … of a statement in their order.
class Cells {
 public:
  constexpr Cells() noexcept = default;
  constexpr Cells(std::initializer_list<Cell> list) noexcept : cells_(list.begin(), list.size()) {}
  // NOLINTBEGIN(google-explicit-constructor)
  constexpr Cells(std::span<const Cell> cells) noexcept : cells_(cells) {}
  Cells(const std::vector<Cell>& cells) noexcept : cells_(cells) {}
  // NOLINTEND(google-explicit-constructor)

  constexpr std::size_t size() const noexcept { return cells_.size(); }
  constexpr const Cell& operator[](std::size_t index) const noexcept { return cells_[index]; }
  constexpr auto begin() const noexcept { return cells_.begin(); }
  constexpr auto end() const noexcept { return cells_.end(); }

 private:
  std::span<const Cell> cells_;
};

}  // namespace tenon::data
