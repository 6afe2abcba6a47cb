#include "records/transfer/csv.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"

namespace tenon::records {

namespace {

// Characters that begin a formula in spreadsheets, with the wide forms of East Asian keyboards.
constexpr std::array<std::string_view, 8> formula_beginnings = {
    "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
// A program that reads the file with one of these as separator begins a cell after it: it does not
// see the quotes, which begin in the middle of one of its own cells.
constexpr std::string_view other_separators = ";\t\r\n";

bool begins_formula(std::string_view text) noexcept {
  return std::any_of(formula_beginnings.begin(), formula_beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

std::string_view without_first(std::string_view text, std::string_view characters) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  return text;
}

// Whether a spreadsheet runs what begins a cell as a formula, or would once an apostrophe in front
// of it is taken away.
bool is_formula(std::string_view cell) noexcept {
  const std::string_view text = without_first(cell, "'");
  return begins_formula(text) || text.starts_with('\t') || text.starts_with('\r') ||
         text.starts_with('\n');
}

// Whether a program that reads the file with one of other_separators runs what follows the
// separator as a formula.
bool is_inner_formula(std::string_view cell) noexcept {
  return begins_formula(without_first(cell, "'\""));
}

}  // namespace

std::string guarded(std::string_view text) {
  std::string out;
  if (is_formula(text)) out += '\'';
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (other_separators.find(text[i]) != std::string_view::npos &&
        is_inner_formula(text.substr(i + 1)))
      out += '\'';
  }
  return out;
}

std::string unguarded(std::string_view text) {
  std::string out;
  if (text.starts_with('\'') && is_formula(text)) text.remove_prefix(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (other_separators.find(text[i]) != std::string_view::npos &&
        text.substr(i + 1).starts_with('\'') && is_inner_formula(text.substr(i + 1)))
      ++i;
  }
  return out;
}

void append_csv_text(std::string& out, std::string_view text) {
  if (!text.empty() && text.find_first_of(",;\t\"\r\n ") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void CsvReader::refuse(const std::string& what) const {
  throw base::Error(422, "records.bad_file",
                    "Line " + std::to_string(line_) + " is no CSV: " + what + ".");
}

void CsvReader::take(std::string_view bytes, std::vector<CsvRow>& rows) {
  for (const char byte : bytes)
    take(byte, rows);
}

void CsvReader::put(char byte) {
  cell_.text += byte;
  if (cell_.text.size() > limits_.cell_bytes)
    refuse("a cell has more than " + std::to_string(limits_.cell_bytes) + " bytes");
  if (++row_bytes_ > limits_.row_bytes)
    refuse("a row has more than " + std::to_string(limits_.row_bytes) + " bytes");
}

void CsvReader::end_cell() {
  if (row_.cells.size() >= limits_.cells)
    refuse("a row has more than " + std::to_string(limits_.cells) + " cells");
  row_.cells.push_back(std::exchange(cell_, {}));
  at_ = At::cell_begin;
}

void CsvReader::end_row(std::vector<CsvRow>& rows) {
  const bool is_blank = row_.cells.empty() && at_ == At::cell_begin;
  if (!is_blank) {
    end_cell();
    rows.push_back(std::exchange(row_, {}));
  }
  row_.line = line_;
  row_bytes_ = 0;
}

void CsvReader::take(char byte, std::vector<CsvRow>& rows) {
  const bool is_second = std::exchange(is_after_cr_, byte == '\r') && byte == '\n';
  if (at_ == At::quoted) {
    if (byte == '"') {
      at_ = At::quote;
      return;
    }
    if (byte == '\r' || (byte == '\n' && !is_second)) ++line_;
    put(byte);
    return;
  }
  if (byte == '"') {
    if (at_ == At::plain) refuse("a cell that does not begin with a quote contains one");
    if (at_ == At::quote) put(byte);
    cell_.is_quoted = true;
    at_ = At::quoted;
    return;
  }
  if (byte == delimiter_) {
    end_cell();
  } else if (byte == '\r' || byte == '\n') {
    if (is_second) return;
    ++line_;
    end_row(rows);
  } else {
    if (at_ == At::quote) refuse("a closing quote is not followed by the end of the cell");
    at_ = At::plain;
    put(byte);
  }
}

void CsvReader::end(std::vector<CsvRow>& rows) {
  if (at_ == At::quoted) refuse("a quote is not closed");
  end_row(rows);
}

}  // namespace tenon::records
