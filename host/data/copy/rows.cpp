#include <array>
#include <cmath>

#include "base/error.hpp"
#include "data/copy/copy_source.hpp"

namespace tenon::data::copying {

namespace {

std::string shown(const Cell& cell) {
  constexpr std::size_t max_bytes = 80;
  switch (cell.kind()) {
    case CellKind::null:
      return "NULL";
    case CellKind::integer:
      return std::to_string(cell.integer());
    case CellKind::number:
      return std::to_string(cell.number());
    case CellKind::blob:
      return "a blob of " + std::to_string(cell.text().size()) + " bytes";
    case CellKind::text:
      break;
  }
  std::string text = "'";
  for (const char c : cell.text().substr(0, max_bytes))
    text += static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~' ? '?' : c;
  return text + (cell.text().size() > max_bytes ? "…'" : "'");
}

std::string name_of(const Table& table, std::span<const Cell> row) {
  constexpr std::array<std::string_view, 2> keys = {"id", "rowid"};
  for (const std::string_view key : keys) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].name == key) return std::string(key) + " = " + shown(row[i]);
    }
  }
  std::string all;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    all += (all.empty() ? "" : ", ") + table.columns[i].name + " = " + shown(row[i]);
  return all;
}

bool fits(Storage storage, CellKind kind) noexcept {
  switch (storage) {
    case Storage::integer:
    case Storage::boolean:
      return kind == CellKind::integer;
    case Storage::number:
      return kind == CellKind::number || kind == CellKind::integer;
    case Storage::text:
      return kind == CellKind::text;
    case Storage::blob:
      return kind == CellKind::blob;
    case Storage::any:
      return true;
    case Storage::other:
      break;
  }
  return false;
}

}  // namespace

void refuse_row(const Table& table, std::span<const Cell> row, const std::string& column,
                const std::string& reason) {
  throw base::Error(422, "data.copy_refused",
                    "The row of " + table.name + " with " + name_of(table, row) +
                        " cannot be copied: " + (column.empty() ? "" : column + ": ") + reason);
}

void check_row(const Table& table, std::span<const Cell> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].is_null()) continue;
    const Column& column = table.columns[i];
    if (row[i].kind() == CellKind::number && std::isnan(row[i].number()))
      refuse_row(table, row, column.name, "NaN is kept by one engine only.");
    if (!fits(column.storage, row[i].kind())) {
      refuse_row(table, row, column.name,
                 shown(row[i]) + " is not of its type there, " + column.type + ".");
    }
  }
}

}  // namespace tenon::data::copying
