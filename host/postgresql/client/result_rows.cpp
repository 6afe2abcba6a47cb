#include "postgresql/client/result_rows.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "data/json_values.hpp"

namespace tenon::data::postgresql {

namespace {

bool parse(std::string_view text, std::int64_t& integer) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  return error == std::errc() && end == text.data() + text.size();
}

double number_of(std::string_view text) noexcept {
  // Infinity and NaN are read as PostgreSQL writes them.
  double number = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ec != std::errc::result_out_of_range) return number;
  // A numeric that no double holds: infinite, or nearly nothing. A value ends with a NUL.
  return std::strtod(text.data(), nullptr);
}

int digit(char c) noexcept {
  return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

}  // namespace

ResultTable::ResultTable(Result result, std::shared_ptr<const Prepared> statement)
    : result_(std::move(result)), statement_(std::move(statement)) {
  if (statement_ && statement_->members.list.empty()) statement_.reset();
  const int columns = libpq().nfields(result_.get());
  kinds_.reserve(static_cast<std::size_t>(columns));
  for (int i = 0; i < columns; ++i) {
    switch (libpq().ftype(result_.get(), i)) {
      case 16:
        kinds_.push_back(Kind::boolean);
        break;
      case 20:
      case 21:
      case 23:
      case 26:
        kinds_.push_back(Kind::integer);
        break;
      case 700:
      case 701:
        kinds_.push_back(Kind::number);
        break;
      case 1700:
        kinds_.push_back(Kind::numeric);
        break;
      case 17:
        kinds_.push_back(Kind::bytes);
        byte_sizes_.resize(static_cast<std::size_t>(columns));
        break;
      default:
        kinds_.push_back(Kind::text);
    }
  }
}

void ResultTable::find_members() {
  if (statement_ || !own_members_.list.empty()) return;
  for (int i = 0; i < columns(); ++i)
    own_members_.add(name(i));
}

void ResultTable::enter(int row) noexcept {
  row_ = row;
  for (std::size_t i = 0; i < byte_sizes_.size(); ++i) {
    const int column = static_cast<int>(i);
    if (kinds_[i] != Kind::bytes || is_null(column)) continue;
    // "\x00ff", by bytea_output
    char* hex = libpq().getvalue(result_.get(), row, column);
    const int length = libpq().getlength(result_.get(), row, column);
    std::size_t size = 0;
    for (int at = 2; at + 1 < length; at += 2)
      hex[size++] = static_cast<char>(digit(hex[at]) << 4 | digit(hex[at + 1]));
    byte_sizes_[i] = size;
  }
}

std::string_view ResultTable::text(int column) const noexcept {
  const auto index = static_cast<std::size_t>(column);
  return {libpq().getvalue(result_.get(), row_, column),
          kinds_[index] == Kind::bytes && !is_null(column)
              ? byte_sizes_[index]
              : static_cast<std::size_t>(libpq().getlength(result_.get(), row_, column))};
}

CellKind ResultTable::kind(int column) const noexcept {
  if (is_null(column)) return CellKind::null;
  switch (kinds_[static_cast<std::size_t>(column)]) {
    case Kind::integer:
    case Kind::boolean:
      return CellKind::integer;
    case Kind::number:
      return CellKind::number;
    case Kind::numeric: {
      std::int64_t whole = 0;
      return parse(text(column), whole) ? CellKind::integer : CellKind::number;
    }
    case Kind::bytes:
      return CellKind::blob;
    case Kind::text:
      break;
  }
  return CellKind::text;
}

std::int64_t ResultTable::integer(int column) const noexcept {
  const std::string_view value = text(column);
  if (is_null(column) || value.empty()) return 0;
  if (is_boolean(column)) return value == "t" ? 1 : 0;
  std::int64_t whole = 0;
  if (parse(value, whole)) return whole;
  constexpr double bound = 9.2e18;
  const double real = number_of(value);
  return std::abs(real) < bound ? static_cast<std::int64_t>(real) : 0;
}

double ResultTable::number(int column) const noexcept {
  if (is_null(column)) return 0;
  if (is_boolean(column)) return static_cast<double>(integer(column));
  return number_of(text(column));
}

Cell ResultTable::cell(int column) const noexcept {
  switch (kind(column)) {
    case CellKind::integer:
      return integer(column);
    case CellKind::number:
      return number(column);
    case CellKind::text:
      return text(column);
    case CellKind::blob:
      return Cell::blob(text(column));
    case CellKind::null:
      break;
  }
  return {};
}

ResultRows::ResultRows(Outcome outcome)
    : table_(
          std::make_unique<ResultTable>(std::move(outcome.result), std::move(outcome.statement))) {}

Rows ResultRows::to_rows(Outcome outcome) {
  ResultRows rows(std::move(outcome));
  return Rows::in_place([&](void* storage, sqlite3_stmt*&) { return rows.move_to(storage); });
}

RowsSource* ResultRows::move_to(void* storage) noexcept {
  return ::new (storage) ResultRows(std::move(*this));
}

bool ResultRows::next() {
  if (!table_) return false;
  if (next_ < table_->rows()) {
    table_->enter(next_++);
    return true;
  }
  table_.reset();
  return false;
}

Cell ResultRows::cell(int column) const noexcept {
  return table_ ? table_->cell(column) : Cell();
}
std::int64_t ResultRows::integer(int column) const noexcept {
  return table_ ? table_->integer(column) : 0;
}
double ResultRows::number(int column) const noexcept {
  return table_ ? table_->number(column) : 0;
}
std::string_view ResultRows::text(int column) const noexcept {
  return table_ ? table_->text(column) : std::string_view();
}

// Each of libpq's functions looks whether row and column are there: a value is asked for once.
void ResultTable::put_member(JsonText& text, const JsonMembers::Member& member, int column) const {
  const int length = libpq().getlength(result_.get(), row_, column);
  const Kind kind = kinds_[static_cast<std::size_t>(column)];
  if (length == 0 && is_null(column)) {
    text.put(member.key);
    text.put("null");
    return;
  }
  const std::string_view value(libpq().getvalue(result_.get(), row_, column),
                               static_cast<std::size_t>(length));
  if (kind == Kind::text && member.kind != JsonKind::json) {
    put_string(text, member.key, value);
    return;
  }
  text.put(member.key);
  std::int64_t whole = 0;
  if (kind == Kind::integer || (kind == Kind::numeric && parse(value, whole))) {
    if (member.kind == JsonKind::boolean) {
      text.put(integer(column) != 0 ? std::string_view("true") : std::string_view("false"));
    } else {
      text.put(value);
    }
  } else if (kind == Kind::boolean) {
    const bool is_true = value == "t";
    if (member.kind == JsonKind::boolean) {
      text.put(is_true ? std::string_view("true") : std::string_view("false"));
    } else {
      text.put(is_true ? '1' : '0');
    }
  } else if (kind == Kind::bytes) {
    put_base64(text, this->text(column));
  } else if (kind == Kind::text) {
    put_json(text, value, member.key);
  } else if (const double number = number_of(value); std::isfinite(number)) {
    put_number(text, number);
  } else {
    text.put("null");
  }
}

void ResultTable::put_row(JsonText& text) const {
  int column = 0;
  for (const JsonMembers::Member& member : members().list) {
    if (member.kind >= JsonKind::key) break;
    put_member(text, member, column++);
  }
  text.put('}');
  check_json_size(text);
}

std::string ResultTable::keys() const {
  JsonText keys;
  int column = 0;
  for (const JsonMembers::Member& member : members().list) {
    if (member.kind == JsonKind::key) put_member(keys, member, column);
    ++column;
  }
  if (keys.size() == 0) return "[]";
  keys.put(']');
  return std::string(keys.view());
}

bool ResultTable::flag() const {
  const auto& list = members().list;
  return !list.empty() && list.back().kind == JsonKind::flag &&
         integer(static_cast<int>(list.size()) - 1) != 0;
}

std::size_t ResultRows::append_json(JsonShape shape, JsonText& text) {
  std::size_t rows = 0;
  if (shape == JsonShape::rows) text.put('[');
  if (table_) {
    table_->find_members();
    while (next()) {
      if (rows != 0) text.put(',');
      table_->put_row(text);
      ++rows;
      if (shape == JsonShape::row) break;
    }
  }
  if (shape == JsonShape::rows) text.put(']');
  table_.reset();
  return rows;
}

JsonPageEnd ResultRows::append_json_page(std::size_t limit, JsonText& text) {
  JsonPageEnd end;
  text.put('[');
  if (table_) {
    table_->find_members();
    while (next()) {
      if (end.rows == limit) {
        end.has_more = true;
        break;
      }
      if (end.rows == 0) {
        end.flag = table_->flag();
      } else {
        text.put(',');
      }
      table_->put_row(text);
      if (++end.rows == limit) end.keys = table_->keys();
    }
  }
  text.put(']');
  if (!end.has_more) end.keys.clear();
  table_.reset();
  return end;
}

}  // namespace tenon::data::postgresql
