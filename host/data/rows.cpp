#include "data/rows.hpp"

#include <utility>

#include <sqlite3.h>

#include "data/engine/rows_source.hpp"

namespace tenon::data {

Rows::Rows(Rows&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {
  if (!other.source_) return;
  source_ = other.source_->move_to(storage_);
  other.end();
}

Rows& Rows::operator=(Rows&& other) noexcept {
  if (this != &other) {
    end();
    if (other.source_) source_ = other.source_->move_to(storage_);
    statement_ = other.statement_;
    other.end();
  }
  return *this;
}

Rows::~Rows() {
  if (source_) source_->~RowsSource();
}

void Rows::end() noexcept {
  statement_ = nullptr;
  if (RowsSource* source = std::exchange(source_, nullptr)) source->~RowsSource();
}

bool Rows::next() {
  if (!source_) return false;
  if (source_->next()) return true;
  statement_ = nullptr;
  return false;
}

int Rows::columns() const noexcept {
  return source_ ? source_->columns() : 0;
}

std::string_view Rows::name(int column) const noexcept {
  return source_->name(column);
}

std::size_t Rows::append_json(JsonShape shape, JsonText& text) {
  const std::size_t rows = source_->append_json(shape, text);
  statement_ = nullptr;
  return rows;
}

JsonPageEnd Rows::append_json_page(std::size_t max_rows, JsonText& text) {
  JsonPageEnd end = source_->append_json_page(max_rows, text);
  statement_ = nullptr;
  return end;
}

CellKind Rows::kind(int column) const noexcept {
  if (!statement_) return source_->cell(column).kind();
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return CellKind::integer;
    case SQLITE_FLOAT:
      return CellKind::number;
    case SQLITE_TEXT:
      return CellKind::text;
    case SQLITE_BLOB:
      return CellKind::blob;
    default:
      return CellKind::null;
  }
}

std::int64_t Rows::integer(int column) const noexcept {
  if (!statement_) return source_->integer(column);
  return sqlite3_column_int64(statement_, column);
}

double Rows::number(int column) const noexcept {
  if (!statement_) return source_->number(column);
  return sqlite3_column_double(statement_, column);
}

std::string_view Rows::text(int column) const noexcept {
  if (!statement_) return source_->text(column);
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (!text) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Rows::blob(int column) const noexcept {
  if (!statement_) return source_->text(column);
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (!bytes) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Cell Rows::cell(int column) const noexcept {
  if (!statement_) return source_->cell(column);
  switch (kind(column)) {
    case CellKind::integer:
      return integer(column);
    case CellKind::number:
      return number(column);
    case CellKind::text:
      return text(column);
    case CellKind::blob:
      return Cell::blob(blob(column));
    case CellKind::null:
      break;
  }
  return {};
}

std::optional<std::string> Rows::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return std::string(text(column));
}

}  // namespace tenon::data
