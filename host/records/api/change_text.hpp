#pragma once

#include <string>

#include "records/api/body.hpp"

namespace tenon::records {

/// Returns the fields that a body sets as a JSON object, with values as in responses. Of files that
/// the record has already only the id is included.
std::string change_text(const Body& body);

}  // namespace tenon::records
