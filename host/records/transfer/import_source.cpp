#include "records/transfer/import_source.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "records/model/limits.hpp"

namespace tenon::records {

namespace {

constexpr std::size_t piece_bytes = 64 * 1024;

[[noreturn]] void refuse(const std::string& what) {
  throw base::Error(422, "records.bad_file", what);
}

// Returns the one of , ; and tab that is most frequent in the first line, outside of quotes.
char delimiter_of(std::string_view text) {
  std::size_t commas = 0;
  std::size_t semicolons = 0;
  std::size_t tabs = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '\n' || c == '\r') break;
    commas += c == ',' ? 1U : 0U;
    semicolons += c == ';' ? 1U : 0U;
    tabs += c == '\t' ? 1U : 0U;
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

void append_utf8(std::string& text, std::uint32_t point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | point >> 18);
    text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  }
}

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::optional<SourceRow> ImportSource::next() {
  while (at_ == rows_.size()) {
    if (is_at_end_) return std::nullopt;
    rows_.clear();
    at_ = 0;
    fill();
  }
  return std::move(rows_[at_++]);
}

void ImportSource::fill() {
  std::string bytes(piece_bytes, '\0');
  bytes.resize(read_(offset_, bytes.data(), bytes.size()));
  offset_ += bytes.size();
  is_at_end_ = bytes.size() < piece_bytes;
  take(decode(bytes, is_at_end_));
  if (is_at_end_) end();
}

std::string ImportSource::decode(std::string_view bytes, bool is_last) {
  if (encoding_ == Encoding::unknown) {
    encoding_ = Encoding::utf8;
    if (bytes.starts_with("\xEF\xBB\xBF")) {
      bytes.remove_prefix(3);
    } else if (bytes.starts_with("\xFF\xFE")) {
      encoding_ = Encoding::utf16_little;
      bytes.remove_prefix(2);
    } else if (bytes.starts_with("\xFE\xFF")) {
      encoding_ = Encoding::utf16_big;
      bytes.remove_prefix(2);
    }
  }
  if (encoding_ == Encoding::utf8) return std::string(bytes);
  rest_ += bytes;
  std::string text;
  std::size_t at = 0;
  for (; at + 1 < rest_.size(); at += 2) {
    const auto first = static_cast<unsigned char>(rest_[at]);
    const auto second = static_cast<unsigned char>(rest_[at + 1]);
    append_utf16(
        text, static_cast<std::uint16_t>(encoding_ == Encoding::utf16_big ? first << 8 | second
                                                                          : second << 8 | first));
  }
  rest_.erase(0, at);
  if (is_last && (!rest_.empty() || high_ != 0)) refuse("The file ends within a character.");
  return text;
}

void ImportSource::append_utf16(std::string& text, std::uint16_t unit) {
  const bool is_low = unit >= 0xDC00 && unit < 0xE000;
  if (is_low != (high_ != 0)) refuse("The file is no UTF-16, as its first bytes say.");
  if (unit >= 0xD800 && unit < 0xDC00) {
    high_ = unit;
  } else if (is_low) {
    append_utf8(text, 0x10000 + ((std::exchange(high_, std::uint16_t{0}) - 0xD800U) << 10) +
                          (unit - 0xDC00U));
  } else {
    append_utf8(text, unit);
  }
}

void ImportSource::take(std::string_view text) {
  if (format_ != TransferFormat::csv) return take_json(text);
  if (!csv_)
    csv_ = std::make_unique<CsvReader>(
        delimiter_of(text), CsvLimits{max_import_cell_bytes, max_body_bytes, max_import_columns});
  std::vector<CsvRow> rows;
  csv_->take(text, rows);
  for (CsvRow& row : rows)
    rows_.push_back({row.line, std::move(row.cells), {}});
}

// Finds where values end, and leaves what they are to their checker.
void ImportSource::take_json(std::string_view text) {
  for (const char c : text) {
    if (depth_ == 0) {
      if (is_space(c)) continue;
      if (has_ended_) refuse("The end of the array is followed by more text.");
      if (format_ == TransferFormat::json) {
        if (!has_begun_ && c != '[') refuse("The file is no array of JSON.");
        has_ended_ = c == ']';
        if (!has_begun_ || has_ended_ || (c == ',' && json_rows_ > 0)) {
          has_begun_ = true;
          continue;
        }
      }
      if (c != '{')
        refuse("What follows record " + std::to_string(json_rows_) + " is no JSON object.");
    }
    value_ += c;
    if (value_.size() > max_body_bytes)
      refuse("Record " + std::to_string(json_rows_ + 1) + " has more than " +
             std::to_string(max_body_bytes) + " bytes.");
    if (is_in_string_) {
      if (is_escaped_)
        is_escaped_ = false;
      else if (c == '\\')
        is_escaped_ = true;
      else if (c == '"')
        is_in_string_ = false;
    } else if (c == '"') {
      is_in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      rows_.push_back({++json_rows_, {}, std::exchange(value_, {})});
    }
  }
}

void ImportSource::end() {
  if (csv_) {
    std::vector<CsvRow> rows;
    csv_->end(rows);
    for (CsvRow& row : rows)
      rows_.push_back({row.line, std::move(row.cells), {}});
  } else if (depth_ != 0 || (format_ == TransferFormat::json && !has_ended_)) {
    refuse("The file ends within record " + std::to_string(json_rows_ + 1) + " or its array.");
  }
}

}  // namespace tenon::records
