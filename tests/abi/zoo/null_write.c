/* Writes through a null pointer. */
#include "zoo.h"

static tenon_code handle_crash(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)request;
  volatile int* const nowhere = ctx; /* NULL: the route has no context */
  *nowhere = 1;
  return TENON_OK;
}

static tenon_code register_routes(tenon_error* error) {
  return zoo_route("/crash", handle_crash, error);
}

ZOO_PLUGIN(register_routes);
