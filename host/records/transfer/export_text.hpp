#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/cell.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// The format of exported and imported records.
enum class TransferFormat : std::uint8_t {
  csv,    ///< RFC 4180, the names of the fields in its first line
  json,   ///< one array of records
  jsonl,  ///< a record a line
};
std::optional<TransferFormat> format_named(std::string_view name) noexcept;
std::string_view name_of(TransferFormat format) noexcept;

/// The text of an export, piece by piece: begin(), any number of rows, end(). Each appends.
class ExportText {
 public:
  /// `fields` without the id, which is always the first.
  ExportText(TransferFormat format, const std::vector<const FieldModel*>& fields, bool has_bom);

  void begin(std::string& out);
  /// The cells of a record, id first. Throws as base::check_json() for a json value that is none.
  void row(std::string& out, std::span<const data::Cell> cells);
  void end(std::string& out);

 private:
  enum class Kind : std::uint8_t { value, boolean, json };
  struct Column {
    std::string name;
    Kind kind;
  };

  void csv_row(std::string& out, std::span<const data::Cell> cells);
  void json_row(std::string& out, std::span<const data::Cell> cells);

  const TransferFormat format_;
  const bool has_bom_;
  std::vector<Column> columns_;
  bool is_first_ = true;
};

}  // namespace tenon::records
