#include "records/transfer/export_text.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "records/transfer/csv.hpp"

namespace tenon::records {

namespace {

constexpr std::string_view bom = "\xEF\xBB\xBF";

void append_number(std::string& out, const data::Cell& cell) {
  if (cell.kind() == data::CellKind::integer)
    out += std::to_string(cell.integer());
  else
    base::JsonWriter(out).value(cell.number());
}

// JSON as it is kept, on one line: between its values an end of a line is as good as a space.
void append_json(std::string& out, std::string_view json) {
  base::check_json(json);
  for (const char c : json)
    out += c == '\n' || c == '\r' ? ' ' : c;
}

}  // namespace

std::optional<TransferFormat> format_named(std::string_view name) noexcept {
  if (name == "csv") return TransferFormat::csv;
  if (name == "json") return TransferFormat::json;
  if (name == "jsonl") return TransferFormat::jsonl;
  return std::nullopt;
}

std::string_view name_of(TransferFormat format) noexcept {
  switch (format) {
    case TransferFormat::csv:
      return "csv";
    case TransferFormat::json:
      return "json";
    case TransferFormat::jsonl:
      break;
  }
  return "jsonl";
}

ExportText::ExportText(TransferFormat format, const std::vector<const FieldModel*>& fields,
                       bool has_bom)
    : format_(format), has_bom_(has_bom) {
  columns_.push_back({"id", Kind::value});
  for (const FieldModel* field : fields) {
    Kind kind = Kind::value;
    if (field->member.ends_with(":boolean")) kind = Kind::boolean;
    if (field->member.ends_with(":json")) kind = Kind::json;
    columns_.push_back({field->field.name, kind});
  }
}

void ExportText::begin(std::string& out) {
  if (format_ == TransferFormat::json) out += '[';
  if (format_ != TransferFormat::csv) return;
  if (has_bom_) out += bom;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    out.append(i == 0 ? "" : ",").append(columns_[i].name);
  out += "\r\n";
}

void ExportText::row(std::string& out, std::span<const data::Cell> cells) {
  if (format_ == TransferFormat::csv)
    csv_row(out, cells);
  else
    json_row(out, cells);
}

void ExportText::end(std::string& out) {
  if (format_ == TransferFormat::json) out += "\n]\n";
}

void ExportText::csv_row(std::string& out, std::span<const data::Cell> cells) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const data::Cell& cell = cells[i];
    if (i > 0) out += ',';
    if (cell.is_null()) continue;
    if (columns_[i].kind == Kind::boolean) {
      out += cell.number() != 0 ? "true" : "false";
    } else if (cell.kind() == data::CellKind::integer || cell.kind() == data::CellKind::number) {
      append_number(out, cell);
    } else {
      append_csv_text(out, guarded(cell.text()));
    }
  }
  out += "\r\n";
}

void ExportText::json_row(std::string& out, std::span<const data::Cell> cells) {
  if (format_ == TransferFormat::json) out += is_first_ ? "\n" : ",\n";
  is_first_ = false;
  out += '{';
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const data::Cell& cell = cells[i];
    if (i > 0) out += ',';
    out.append("\"").append(columns_[i].name).append("\":");
    if (cell.is_null()) {
      out += "null";
    } else if (columns_[i].kind == Kind::boolean) {
      out += cell.number() != 0 ? "true" : "false";
    } else if (cell.kind() == data::CellKind::integer || cell.kind() == data::CellKind::number) {
      append_number(out, cell);
    } else if (columns_[i].kind == Kind::json) {
      append_json(out, cell.text());
    } else {
      base::append_json_string(out, cell.text());
    }
  }
  out += '}';
  if (format_ == TransferFormat::jsonl) out += '\n';
}

}  // namespace tenon::records
