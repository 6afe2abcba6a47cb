#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/transfer/csv.hpp"
#include "records/transfer/export_text.hpp"

namespace tenon::records {

/// A record of a file, not converted.
struct SourceRow {
  std::uint64_t line = 0;      ///< from 1; of json its number
  std::vector<CsvCell> cells;  ///< of csv
  std::string json;            ///< else: one JSON text, unchecked
};

/// Reads the records of a file in pieces: encoding by the mark at its beginning (UTF-8, UTF-16;
/// UTF-8 where there is none), delimiter of CSV by its first line. One thread at a time.
class ImportSource {
 public:
  /// Reads at most `capacity` bytes at `offset`; fewer only at the end.
  using Read = std::function<std::size_t(std::uint64_t offset, char* buffer, std::size_t capacity)>;

  ImportSource(TransferFormat format, Read read) : format_(format), read_(std::move(read)) {}

  /// Returns the next record, or nothing after the last one. Throws 422 records.bad_file.
  std::optional<SourceRow> next();
  /// Bytes of the file that were read.
  std::uint64_t offset() const noexcept { return offset_; }

 private:
  enum class Encoding : std::uint8_t { unknown, utf8, utf16_little, utf16_big };

  void fill();
  std::string decode(std::string_view bytes, bool is_last);
  void append_utf16(std::string& text, std::uint16_t unit);
  void take(std::string_view text);
  void take_json(std::string_view text);
  void end();

  const TransferFormat format_;
  const Read read_;
  std::uint64_t offset_ = 0;
  bool is_at_end_ = false;
  Encoding encoding_ = Encoding::unknown;
  std::string rest_;        // a half unit of UTF-16
  std::uint16_t high_ = 0;  // the first of two surrogates
  std::unique_ptr<CsvReader> csv_;
  std::string value_;  // a JSON value that is not whole yet
  int depth_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool has_begun_ = false;  // of json: after its [
  bool has_ended_ = false;  // and after its ]
  std::uint64_t json_rows_ = 0;
  std::vector<SourceRow> rows_;
  std::size_t at_ = 0;
};

}  // namespace tenon::records
