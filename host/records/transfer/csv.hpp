#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::records {

/// Appends a text as a cell of CSV (RFC 4180): in quotes if it needs them, and if it is
/// empty, to distinguish it from a cell without a value.
void append_csv_text(std::string& out, std::string_view text);

/// Returns the text with an apostrophe in front of each place where a spreadsheet would begin to
/// run a formula (OWASP, "CSV Injection"): at the beginning, and after a semicolon, a tab or an end
/// of a line, where a cell begins for a program that reads the file with these as separators.
/// unguarded() returns every text as it was.
std::string guarded(std::string_view text);
std::string unguarded(std::string_view text);

/// A cell as it was read.
struct CsvCell {
  std::string text;
  bool is_quoted = false;

  /// Nothing at all; in quotes it is an empty text.
  bool is_empty() const noexcept { return text.empty() && !is_quoted; }
};

struct CsvRow {
  std::uint64_t line = 0;  ///< of the file, from 1, where it begins
  std::vector<CsvCell> cells;
};

struct CsvLimits {
  std::size_t cell_bytes;
  std::size_t row_bytes;  ///< of all cells of a row
  std::size_t cells;      ///< of a row
};

/// Reads CSV in pieces, strictly by RFC 4180 but for the ends of lines, which may be LF or CR too.
/// Empty lines are left out. One thread at a time.
class CsvReader {
 public:
  CsvReader(char delimiter, const CsvLimits& limits) : delimiter_(delimiter), limits_(limits) {}

  /// Appends the rows that are whole. Throws 422 records.bad_file that names the line; the reader
  /// is of no use then.
  void take(std::string_view bytes, std::vector<CsvRow>& rows);
  /// The last row, which may have no end of its line.
  void end(std::vector<CsvRow>& rows);

 private:
  enum class At : std::uint8_t { cell_begin, plain, quoted, quote };

  [[noreturn]] void refuse(const std::string& what) const;
  void take(char byte, std::vector<CsvRow>& rows);
  void put(char byte);
  void end_cell();
  void end_row(std::vector<CsvRow>& rows);

  char delimiter_;
  CsvLimits limits_;
  At at_ = At::cell_begin;
  bool is_after_cr_ = false;
  std::uint64_t line_ = 1;
  std::size_t row_bytes_ = 0;
  CsvRow row_{1, {}};
  CsvCell cell_;
};

}  // namespace tenon::records
