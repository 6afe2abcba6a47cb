#pragma once

#include "base/error.hpp"

// Errors of the room itself, whichever engine stands behind it.
namespace tenon::data {

base::Error closed_error();
base::Error busy_error();
base::Error expired_error();
base::Error over_error();
base::Error group_rolled_back_error();
base::Error storage_failed_error();

}  // namespace tenon::data
