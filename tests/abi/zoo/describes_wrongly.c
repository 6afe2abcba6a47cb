/* Says of a route what would change the description of others. */
#include "zoo.h"

static tenon_code handle(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  zoo_respond(request->handle, "ok");
  return TENON_OK;
}

static tenon_code register_routes(tenon_error* error) {
  tenon_http_route route;
  memset(&route, 0, sizeof route);
  route.size = sizeof route;
  route.method = TENON_HTTP_GET;
  route.pattern = zoo_span("/ok");
  route.access = TENON_HTTP_PUBLIC;
  route.handler.fn = handle;
  route.operation = zoo_span("{\"x-components\":{\"schemas\":{\"core.user\":{}}}}");
  return zoo_http->add_route(zoo_host, &route, error);
}

ZOO_PLUGIN(register_routes);
