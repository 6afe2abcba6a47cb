#pragma once

#include <cstdint>
#include <string_view>

#include "base/error_fwd.hpp"

// Errors that both engines share.
namespace tenon::data {

base::Error closed_error();
base::Error busy_error();
/// Makes data.busy that names the `holder` of the write lock and how long it has held it.
base::Error busy_error(std::string_view holder, std::int64_t nanoseconds);
base::Error expired_error();
base::Error ended_error();
base::Error group_rolled_back_error();
base::Error storage_failed_error();

}  // namespace tenon::data
