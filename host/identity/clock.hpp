#pragma once

#include <cstdint>
#include <functional>

namespace tenon::identity {

/// Milliseconds since 1970; base::unix_milliseconds outside of tests. Must be thread-safe.
using Clock = std::function<std::int64_t()>;

}  // namespace tenon::identity
