#pragma once

#include <cstdint>
#include <string>

#include "schema/tables.hpp"

namespace tenon::data::schema {

/// The effect of a change of a field's type, target or `many` on its values.
enum class Conversion : std::uint8_t {
  none,      ///< nothing changes
  in_place,  ///< the values are right as they are
  rebuild,   ///< the table is recreated with the values converted; nothing is lost
  lossy,     ///< a numbered migration has to see to the values
};

Conversion conversion_of(const Field& old, const Field& now) noexcept;

/// A field's type as refusals say it: "integer", "reference to core:users, many".
std::string kind_text(const Field& field);

}  // namespace tenon::data::schema
