#include "records/dialect.hpp"

#include "data/schema/ddl.hpp"
#include "data/sql_error.hpp"

namespace tenon::records::dialect {

using data::schema::quoted;

std::string parameter(std::size_t number) {
  return "?" + std::to_string(number);
}

std::string link_value(const std::string& table, const data::schema::Field& field) {
  return "(SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM " +
         quoted(data::schema::link_table(table, field.name)) +
         " WHERE \"record\" = \"t\".\"id\" ORDER BY \"position\"))";
}

std::string is_member(std::string_view column, std::size_t number) {
  return std::string(column) + " IN (SELECT \"value\" FROM json_each(" + parameter(number) + "))";
}

bool is_sum_overflow(const data::SqlError& error) noexcept {
  return error.detail().find("integer overflow") != std::string::npos;
}

}  // namespace tenon::records::dialect
