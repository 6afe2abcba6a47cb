/* Registers one route twice, under two names of its parameter. */
#include "zoo.h"

static tenon_code handle(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  zoo_respond(request->handle, "ok");
  return TENON_OK;
}

static tenon_code register_routes(tenon_error* error) {
  const tenon_code code = zoo_route("/things/{id}", handle, error);
  return code < 0 ? code : zoo_route("/things/{name}", handle, error);
}

ZOO_PLUGIN(register_routes);
