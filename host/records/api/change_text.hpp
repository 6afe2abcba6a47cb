#pragma once

#include <string>

#include "records/api/body.hpp"

namespace tenon::records {

/// What a body sets, as a JSON object with values as answers have them. Files that are there
/// already have their id alone.
std::string change_text(const Body& body);

}  // namespace tenon::records
