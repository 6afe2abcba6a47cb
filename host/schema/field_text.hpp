#pragma once

#include <string>

#include "schema/tables.hpp"

namespace tenon::data::schema {

/// A field in a few words for people: "text, required, 1 to 200 characters".
std::string describe(const Field& field);

}  // namespace tenon::data::schema
