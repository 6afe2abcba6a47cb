#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/schema/tables.hpp"
#include "data/sqlite/connection.hpp"

namespace tenon::data::schema {

/// What a change of a field's type, target or `many` does to its values.
enum class Conversion : std::uint8_t {
  none,      ///< nothing changes
  in_place,  ///< the values are right as they stand
  rebuild,   ///< the table is made anew with the values converted; nothing is lost
  lossy,     ///< a numbered migration has to see to the values
};

Conversion conversion_of(const Field& old, const Field& now) noexcept;

/// For Conversion::rebuild: SQL that turns the value of `column` (SQL itself) into the new one; for
/// links into the one target. Empty stays empty. Needs ConversionFunctions.
std::string converted_sql(const Field& old, const Field& now, const std::string& column);

/// A condition that holds for values that converted_sql would not keep; empty: all are kept.
std::string loss_sql(const Field& old, const Field& now, const std::string& column);

/// A field's type as refusals say it: "integer", "reference to core:users, many".
std::string kind_text(const Field& field);

/// Makes the functions that converted_sql uses known to a connection while it lives.
class ConversionFunctions {
 public:
  explicit ConversionFunctions(sqlite::Connection& connection);
  ~ConversionFunctions();
  ConversionFunctions(const ConversionFunctions&) = delete;
  ConversionFunctions& operator=(const ConversionFunctions&) = delete;

 private:
  sqlite::Connection& connection_;
};

}  // namespace tenon::data::schema
