#include "sqlite/schema/conversion.hpp"

#include <array>
#include <charconv>

#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::schema {

namespace {

constexpr const char* number_text = "tenon_number_text";

// The shortest text that reads back as the same number, as records show it.
void write_number(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), sqlite3_value_double(values[0])).ptr;
  sqlite3_result_text(context, digits.data(), static_cast<int>(end - digits.begin()),
                      SQLITE_TRANSIENT);
}

}  // namespace

std::string converted_sql(const Field& old, const Field& now, const std::string& column) {
  if (now.is_link()) return column;
  if (now.many) {
    const std::string value = now.type == FieldType::blob ? "json(" + column + ")" : column;
    return "CASE WHEN " + column + " IS NOT NULL THEN json_array(" + value + ") END";
  }
  switch (old.type) {
    case FieldType::date:
      return column + " || 'T00:00:00.000Z'";
    case FieldType::boolean:
      return "CASE " + column + " WHEN 0 THEN 'false' WHEN 1 THEN 'true' END";
    case FieldType::number:
      return std::string(number_text) + "(" + column + ")";
    default:
      return "CAST(" + column + (now.type == FieldType::number ? " AS REAL)" : " AS TEXT)");
  }
}

std::string loss_sql(const Field& old, const Field& now, const std::string& column) {
  if (old.type != FieldType::integer || now.type != FieldType::number) return {};
  // Beyond the greatest double that is an integer of 64 bits the cast back would be cut to fit.
  return "(CAST(CAST(" + column + " AS REAL) AS INTEGER) <> " + column + " OR " + column +
         " > 9223372036854774784)";
}

ConversionFunctions::ConversionFunctions(sqlite::Connection& connection) : connection_(connection) {
  const int code = sqlite3_create_function_v2(connection.handle(), number_text, 1,
                                              SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                              write_number, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw sqlite::sqlite_error(connection.handle(), code);
}

ConversionFunctions::~ConversionFunctions() {
  sqlite3_create_function_v2(connection_.handle(), number_text, 1, SQLITE_UTF8, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
}

}  // namespace tenon::data::schema
