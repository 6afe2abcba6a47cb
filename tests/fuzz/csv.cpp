// A file of CSV: the delimiter and the pace in the first line, the file after it.

#include "records/transfer/csv.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "property.hpp"

namespace {

using tenon::records::CsvReader;
using tenon::records::CsvRow;

constexpr tenon::records::CsvLimits limits{200, 500, 20};

// The rows of the text, given in pieces; false where it was refused.
bool read(std::string_view text, char delimiter, std::size_t pace, std::vector<CsvRow>& rows) {
  CsvReader reader(delimiter, limits);
  try {
    for (std::size_t i = 0; i < text.size(); i += pace) {
      const tenon::fuzz::Piece piece(text.substr(i, pace));
      reader.take(piece.get(), rows);
    }
    reader.end(rows);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 422 && error.code() == "records.bad_file");
    return false;
  }
  return true;
}

bool is_same(const std::vector<CsvRow>& a, const std::vector<CsvRow>& b) {
  const auto is_same_cell = [](const auto& one, const auto& other) {
    return one.text == other.text && one.is_empty() == other.is_empty();
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const auto& one, const auto& other) {
                      return std::equal(one.cells.begin(), one.cells.end(), other.cells.begin(),
                                        other.cells.end(), is_same_cell);
                    });
}

// Whether a formula begins where a program begins a cell, whatever it takes as separator.
bool has_formula(std::string_view guarded) {
  constexpr std::string_view separators = ";\t\r\n";
  constexpr std::string_view beginnings = "=+-@";
  bool begins_cell = true;
  for (const char c : guarded) {
    if (begins_cell && beginnings.find(c) != std::string_view::npos) return true;
    begins_cell = separators.find(c) != std::string_view::npos;
  }
  return false;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view first = tenon::fuzz::take_line(text);
  const char delimiter = first.starts_with(';') ? ';' : first.starts_with('t') ? '\t' : ',';
  std::vector<CsvRow> rows;
  std::vector<CsvRow> slow;
  const bool is_read = read(text, delimiter, text.size() + 1, rows);
  TENON_HOLDS(read(text, delimiter, 1 + first.size() % 7, slow) == is_read);
  TENON_HOLDS(is_same(rows, slow));
  std::string written;
  std::uint64_t line = 0;
  for (const CsvRow& row : rows) {
    TENON_HOLDS(row.line > line);
    line = row.line;
    TENON_HOLDS(!row.cells.empty() && row.cells.size() <= limits.cells);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto& cell = row.cells[i];
      TENON_HOLDS(cell.text.size() <= limits.cell_bytes);
      const std::string guarded = tenon::records::guarded(cell.text);
      TENON_HOLDS(tenon::records::unguarded(guarded) == cell.text);
      TENON_HOLDS(!has_formula(guarded));
      if (i > 0) written += delimiter;
      if (!cell.is_empty() || row.cells.size() == 1)
        tenon::records::append_csv_text(written, cell.text);
    }
    written += "\r\n";
  }
  std::vector<CsvRow> again;
  TENON_HOLDS(read(written, delimiter, 3, again) && is_same(rows, again));
  return 0;
}
