#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

// Errors of the room itself, whichever engine stands behind it.
namespace tenon::data {

base::Error closed_error();
base::Error busy_error();
/// `holder` has had the turn to write for so many nanoseconds.
base::Error busy_error(std::string_view holder, std::int64_t nanoseconds);
base::Error expired_error();
base::Error over_error();
base::Error group_rolled_back_error();
base::Error storage_failed_error();

}  // namespace tenon::data
