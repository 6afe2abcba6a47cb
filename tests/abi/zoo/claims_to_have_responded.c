/* Claims to have responded but has not, or fails without a response. */
#include "zoo.h"

static tenon_code handle_claim(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  (void)request;
  return TENON_OK;
}

static tenon_code handle_failure(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  (void)request;
  return TENON_E_INTERNAL;
}

static tenon_code handle_nonsense(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  (void)request;
  return 4711;
}

static tenon_code register_routes(tenon_error* error) {
  tenon_code code = zoo_route("/claim", handle_claim, error);
  if (code >= 0) code = zoo_route("/failure", handle_failure, error);
  return code < 0 ? code : zoo_route("/nonsense", handle_nonsense, error);
}

ZOO_PLUGIN(register_routes);
