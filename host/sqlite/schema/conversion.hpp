#pragma once

#include <string>

#include "schema/conversion.hpp"
#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

/// For Conversion::rebuild: SQL that turns the value of `column` (SQL itself) into the new one; for
/// links into the one target. Empty stays empty. Needs ConversionFunctions.
std::string converted_sql(const Field& old, const Field& now, const std::string& column);

/// A condition that holds for values that converted_sql would not keep; empty: all are kept.
std::string loss_sql(const Field& old, const Field& now, const std::string& column);

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
