#pragma once

namespace tenon::http {

/// Why the front does not take a request. Static text only, so that refusing costs nothing.
struct Refusal {
  int status = 400;
  const char* code = "http.bad_request";
  const char* message = "";
};

}  // namespace tenon::http
