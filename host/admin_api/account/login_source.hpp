#pragma once

#include <string>

#include "http/parser/request.hpp"
#include "identity/sessions/login_throttle.hpp"

namespace tenon::console {

/// The source of a request's sign-in, for the throttle. The request must outlive it.
class LoginSource {
 public:
  explicit LoginSource(const http::Request& request);

  identity::LoginThrottle::Source source() const noexcept {
    return {request_.peer, is_shared_, claimed_};
  }

 private:
  const http::Request& request_;
  const bool is_shared_;
  const std::string claimed_;
};

}  // namespace tenon::console
