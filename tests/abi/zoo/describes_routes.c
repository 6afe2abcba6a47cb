/* Describes the responses of a route. */
#include "zoo.h"

static const char operation[] =
    "{\"description\":\"Says which thing it is.\","
    "\"parameters\":[{\"name\":\"id\",\"in\":\"path\",\"required\":true,"
    "\"description\":\"Any name.\",\"schema\":{\"type\":\"string\",\"maxLength\":50}}],"
    "\"responses\":{\"200\":{\"description\":\"The thing.\",\"content\":{\"application/json\":"
    "{\"schema\":{\"$ref\":\"#/components/schemas/describes-routes.thing\"},"
    "\"example\":{\"name\":\"a thing\"}}}}},"
    "\"x-components\":{\"schemas\":{\"describes-routes.thing\":{\"type\":\"object\","
    "\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"],"
    "\"additionalProperties\":false}}}}";

static tenon_code handle(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_http_response response;
  memset(&response, 0, sizeof response);
  response.size = sizeof response;
  response.status = 200;
  response.content_type = zoo_span("application/json");
  response.body = zoo_span("{\"name\":\"a thing\"}");
  return zoo_http->respond(zoo_host, request->handle, &response);
}

static tenon_code register_routes(tenon_error* error) {
  tenon_http_route route;
  memset(&route, 0, sizeof route);
  route.size = sizeof route;
  route.method = TENON_HTTP_GET;
  route.pattern = zoo_span("/things/{id}");
  route.access = TENON_HTTP_PUBLIC;
  route.handler.fn = handle;
  route.summary = zoo_span("A thing");
  route.operation = zoo_span(operation);
  return zoo_http->add_route(zoo_host, &route, error);
}

ZOO_PLUGIN(register_routes);
