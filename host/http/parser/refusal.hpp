#pragma once

namespace tenon::http {

/// The reason why the HTTP server refuses a request. Static text only, so that refusing costs
/// nothing.
struct Refusal {
  int status = 400;
  const char* code = "http.bad_request";
  const char* message = "";
};

}  // namespace tenon::http
