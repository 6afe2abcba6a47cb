#pragma once

#include <string>

#include <tenon/error.hpp>

namespace notes {

/// 404 notes.not_found.
tenon::Error not_found();

/// 422 notes.validation for one field.
tenon::Error invalid(std::string field, std::string code, std::string message);

/// 400 notes.bad_query, about a parameter or header.
tenon::Error bad_query(const std::string& name);

}  // namespace notes
