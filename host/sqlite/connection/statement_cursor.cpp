#include "sqlite/connection/statement_cursor.hpp"

#include <utility>

#include <sqlite3.h>

#include "sqlite/engine/transaction_state.hpp"

namespace tenon::data::sqlite {

namespace {

// A batch that held one huge value does not keep its memory.
constexpr std::size_t max_retained_bytes = 1024 * 1024;

}  // namespace

StatementCursor::StatementCursor(std::shared_ptr<TransactionState> owner, StatementLease statement,
                                 const BatchLimits& batch_limits)
    : state(std::move(owner)), lease(std::move(statement)), limits(batch_limits) {
  const int columns = sqlite3_column_count(lease.get());
  name_texts.reserve(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    const char* name = sqlite3_column_name(lease.get(), i);
    name_texts.emplace_back(name ? name : "");
  }
  names.assign(name_texts.begin(), name_texts.end());
  batch.columns = names.size();
}

void StatementCursor::append_row(sqlite3_stmt* statement) {
  const int columns = static_cast<int>(names.size());
  for (int i = 0; i < columns; ++i) {
    Slot slot{CellKind::null, 0, {0}};
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        slot.kind = CellKind::integer;
        slot.integer = sqlite3_column_int64(statement, i);
        break;
      case SQLITE_FLOAT:
        slot.kind = CellKind::number;
        slot.number = sqlite3_column_double(statement, i);
        break;
      case SQLITE_TEXT:
      case SQLITE_BLOB: {
        slot.kind =
            sqlite3_column_type(statement, i) == SQLITE_TEXT ? CellKind::text : CellKind::blob;
        const void* data = slot.kind == CellKind::text
                               ? static_cast<const void*>(sqlite3_column_text(statement, i))
                               : sqlite3_column_blob(statement, i);
        slot.size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
        slot.offset = bytes_.size();
        if (slot.size != 0) bytes_.append(static_cast<const char*>(data), slot.size);
        break;
      }
      default:
        break;
    }
    slots_.push_back(slot);
  }
}

int StatementCursor::fill() {
  sqlite3_stmt* statement = lease.get();
  if (bytes_.capacity() > max_retained_bytes) bytes_ = std::string();
  bytes_.clear();
  slots_.clear();
  cells_.clear();
  batch.rows = 0;
  batch.more = false;
  batch.cells = {};
  int code = SQLITE_ROW;
  for (;;) {
    if (!has_row_) {
      code = sqlite3_step(statement);
      if (code != SQLITE_ROW) break;
    }
    has_row_ = true;
    const bool is_full =
        batch.rows >= limits.rows || bytes_.size() + slots_.size() * sizeof(Cell) >= limits.bytes;
    if (batch.rows != 0 && is_full) {
      batch.more = true;
      break;
    }
    append_row(statement);
    has_row_ = false;
    ++batch.rows;
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) return code;
  cells_.reserve(slots_.size());
  for (const Slot& slot : slots_) {
    switch (slot.kind) {
      case CellKind::null:
        cells_.emplace_back();
        break;
      case CellKind::integer:
        cells_.emplace_back(slot.integer);
        break;
      case CellKind::number:
        cells_.emplace_back(slot.number);
        break;
      case CellKind::text:
        cells_.emplace_back(std::string_view(bytes_.data() + slot.offset, slot.size));
        break;
      case CellKind::blob:
        cells_.push_back(Cell::blob({bytes_.data() + slot.offset, slot.size}));
        break;
    }
  }
  batch.cells = cells_;
  is_done = !batch.more;
  return code;
}

const Batch& StatementCursor::next() {
  if (is_done) {
    batch.rows = 0;
    batch.more = false;
    batch.cells = {};
  } else {
    state->fill(*this);
  }
  return batch;
}

void StatementCursor::close() noexcept {
  state->close_cursor(*this);
}

}  // namespace tenon::data::sqlite
