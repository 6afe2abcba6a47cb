#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/schema/tables.hpp"

namespace tenon::data {
class SqlError;
}

/// What the room says in SQLite's own SQL, and how it knows SQLite's errors; all else is the SQL of
/// any database. `?1` for parameters and `rowid` (the order of records' making) stand in page.cpp
/// too.
namespace tenon::records::dialect {

/// The parameter of this number.
std::string parameter(std::size_t number);

/// The targets of a link field of the record `t`, in order, as a JSON array.
std::string link_value(const std::string& table, const data::schema::Field& field);

/// The condition that `column` is a member of the JSON array which is bound to the parameter.
std::string is_member(std::string_view column, std::size_t number);

/// Whether a statement failed because a sum of integers is beyond 64 bits.
bool is_sum_overflow(const data::SqlError& error) noexcept;

}  // namespace tenon::records::dialect
