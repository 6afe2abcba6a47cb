/* Responds to a request a second time. */
#include <stdio.h>

#include "zoo.h"

static tenon_code second_code;

static tenon_code handle_twice(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  zoo_respond(request->handle, "first");
  second_code = zoo_respond(request->handle, "second");
  return TENON_OK;
}

static tenon_code handle_code(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char text[16];
  snprintf(text, sizeof text, "%d", (int)second_code);
  zoo_respond(request->handle, text);
  return TENON_OK;
}

static tenon_code register_routes(tenon_error* error) {
  const tenon_code code = zoo_route("/twice", handle_twice, error);
  return code < 0 ? code : zoo_route("/code", handle_code, error);
}

ZOO_PLUGIN(register_routes);
