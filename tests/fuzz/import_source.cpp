// A file to import: its format and the pace in the first line, the file after it.

#include "records/transfer/import_source.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "property.hpp"

namespace {

using tenon::records::ImportSource;
using tenon::records::SourceRow;
using tenon::records::TransferFormat;

// The records of the file; false where it was refused.
bool read(std::string_view bytes, TransferFormat format, std::vector<SourceRow>& rows) {
  ImportSource source(format, [&](std::uint64_t offset, char* buffer, std::size_t capacity) {
    TENON_HOLDS(offset <= bytes.size());
    return bytes.substr(offset).copy(buffer, capacity);
  });
  try {
    while (auto row = source.next())
      rows.push_back(*std::move(row));
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 422 && error.code() == "records.bad_file");
    return false;
  }
  TENON_HOLDS(source.offset() == bytes.size());
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view first = tenon::fuzz::take_line(text);
  const auto format = first == "json"    ? TransferFormat::json
                      : first == "jsonl" ? TransferFormat::jsonl
                                         : TransferFormat::csv;
  std::vector<SourceRow> rows;
  const bool is_read = read(text, format, rows);
  std::string lines;
  for (const SourceRow& row : rows) {
    TENON_HOLDS(row.line > 0);
    TENON_HOLDS((format == TransferFormat::csv) == !row.cells.empty());
    if (format == TransferFormat::csv) continue;
    TENON_HOLDS(row.json.starts_with('{') && (row.json.ends_with('}') || row.json.ends_with(']')));
    lines += row.json + "\n";
  }
  if (format == TransferFormat::csv || !is_read) return 0;
  std::vector<SourceRow> again;
  TENON_HOLDS(read(lines, TransferFormat::jsonl, again));
  TENON_HOLDS(std::equal(
      rows.begin(), rows.end(), again.begin(), again.end(),
      [](const SourceRow& one, const SourceRow& other) { return one.json == other.json; }));
  return 0;
}
