#include "postgresql/client/result_cursor.hpp"

#include <algorithm>
#include <utility>

#include "postgresql/engine/transaction_state.hpp"

namespace tenon::data::postgresql {

ResultCursor::ResultCursor(std::shared_ptr<TransactionState> state, std::string name, Result first,
                           const BatchLimits& limits, bool owns_transaction)
    : state_(std::move(state)),
      name_(std::move(name)),
      limits_(limits),
      owns_transaction_(owns_transaction),
      table_(std::make_unique<ResultTable>(std::move(first))) {
  for (int i = 0; i < table_->columns(); ++i)
    name_texts_.emplace_back(table_->name(i));
  names.assign(name_texts_.begin(), name_texts_.end());
  batch.columns = names.size();
}

bool ResultCursor::enter_row() {
  if (row_ + 1 >= table_->rows()) {
    if (static_cast<std::size_t>(table_->rows()) < asked_) return false;
    const std::size_t wanted = limits_.bytes / std::max<std::size_t>(row_bytes_, 1);
    asked_ = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(limits_.rows, 1));
    table_ = std::make_unique<ResultTable>(state_->fetch(name_, asked_));
    row_ = -1;
    if (table_->rows() == 0) return false;
  }
  table_->enter(++row_);
  return true;
}

void ResultCursor::append_row() {
  for (int i = 0; i < table_->columns(); ++i) {
    const Cell cell = table_->cell(i);
    offsets_.push_back(bytes_.size());
    if (cell.kind() == CellKind::text || cell.kind() == CellKind::blob) bytes_ += cell.text();
    cells_.push_back(cell);
  }
}

const Batch& ResultCursor::next() {
  constexpr std::size_t retained_bytes = 1024 * 1024;
  batch.rows = 0;
  batch.more = false;
  batch.cells = {};
  if (is_done_) return batch;
  state_->require_open();
  if (bytes_.capacity() > retained_bytes) bytes_ = std::string();
  bytes_.clear();
  offsets_.clear();
  cells_.clear();
  while (has_row_ || enter_row()) {
    has_row_ = true;
    const bool is_full =
        batch.rows >= limits_.rows || bytes_.size() + cells_.size() * sizeof(Cell) >= limits_.bytes;
    if (batch.rows != 0 && is_full) {
      batch.more = true;
      break;
    }
    append_row();
    has_row_ = false;
    ++batch.rows;
    row_bytes_ = (bytes_.size() + cells_.size() * sizeof(Cell)) / batch.rows;
  }
  // The bytes do not move any more.
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const CellKind kind = cells_[i].kind();
    if (kind != CellKind::text && kind != CellKind::blob) continue;
    const std::string_view text(bytes_.data() + offsets_[i], cells_[i].text().size());
    cells_[i] = kind == CellKind::text ? Cell(text) : Cell::blob(text);
  }
  batch.cells = cells_;
  if (!batch.more) close();
  return batch;
}

void ResultCursor::close() noexcept {
  if (std::exchange(is_done_, true)) return;
  state_->close_cursor(name_, owns_transaction_);
}

}  // namespace tenon::data::postgresql
