/* Promises responses and never sends them. */
#include <stdatomic.h>
#include <stdio.h>

#include "zoo.h"

static atomic_int promised;

static tenon_code handle_never(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  (void)request;
  atomic_fetch_add(&promised, 1);
  return TENON_PENDING;
}

static tenon_code handle_promised(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char text[16];
  snprintf(text, sizeof text, "%d", atomic_load(&promised));
  zoo_respond(request->handle, text);
  return TENON_OK;
}

static tenon_code register_routes(tenon_error* error) {
  const tenon_code code = zoo_route("/never", handle_never, error);
  return code < 0 ? code : zoo_route("/promised", handle_promised, error);
}

ZOO_PLUGIN(register_routes);
