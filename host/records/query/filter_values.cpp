#include "records/query/filter_values.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/json_writer.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

std::string literal(const data::Cell& value) {
  std::string text;
  switch (value.kind()) {
    case data::CellKind::null:
      return "null";
    case data::CellKind::integer:
      text = std::to_string(value.integer());
      break;
    case data::CellKind::number:
      if (!std::isfinite(value.number())) refuse_query("filter", "a value is no finite number");
      base::JsonWriter(text).value(value.number());
      // A number stays one, whole or not.
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      break;
    case data::CellKind::text:
      text = "'";
      for (const char byte : value.text())
        text.append(byte == '\'' ? 2 : 1, byte);
      return text += "'";
    case data::CellKind::blob:
      refuse_query("filter", "a value is null, a number or a text");
  }
  return text.front() == '-' ? "(" + text + ")" : text;
}

}  // namespace

std::string with_values(std::string_view filter, data::Cells values) {
  std::string bound;
  std::size_t next = 0;
  bool is_text = false;
  for (const char byte : filter) {
    if (byte == '\'') is_text = !is_text;
    if (byte != '?' || is_text) {
      bound += byte;
      continue;
    }
    if (next == values.size()) refuse_query("filter", "there are fewer values than ?");
    bound += literal(values[next++]);
  }
  if (next != values.size()) refuse_query("filter", "there are more values than ?");
  return bound;
}

}  // namespace tenon::records
