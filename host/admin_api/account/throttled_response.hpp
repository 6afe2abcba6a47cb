#pragma once

#include <string_view>

#include "http/response/response.hpp"

namespace tenon::identity {
class Throttled;
}

namespace tenon::console {

/// The 429 with the Retry-After that the throttle asks for.
http::Response throttled_response(const identity::Throttled& throttled,
                                  std::string_view request_id);

}  // namespace tenon::console
