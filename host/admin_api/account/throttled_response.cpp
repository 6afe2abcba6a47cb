#include "admin_api/account/throttled_response.hpp"

#include <string>

#include "identity/identity.hpp"

namespace tenon::console {

http::Response throttled_response(const identity::Throttled& throttled,
                                  std::string_view request_id) {
  http::Response response = http::problem_response(throttled, request_id);
  std::erase_if(response.fields, [](const auto& field) { return field.first == "Retry-After"; });
  response.with("Retry-After", std::to_string(throttled.retry_after()));
  return response;
}

}  // namespace tenon::console
