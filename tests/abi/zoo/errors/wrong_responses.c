/* Fills in responses wrongly, and asks for an interface that no host has. */
#include "../zoo.h"

static tenon_http_response make_response(void) {
  tenon_http_response response;
  memset(&response, 0, sizeof response);
  response.size = sizeof response;
  response.status = 200;
  response.content_type = zoo_span("text/plain");
  response.body = zoo_span("body");
  return response;
}

static tenon_code handle_status(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_http_response response = make_response();
  response.status = 999;
  return zoo_http->respond(zoo_host, request->handle, &response);
}

static tenon_code handle_type(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_http_response response = make_response();
  response.content_type = zoo_span("text/plain\r\nx: y");
  return zoo_http->respond(zoo_host, request->handle, &response);
}

static tenon_code handle_field(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  const tenon_http_field fields[] = {{TENON_LITERAL("x-good"), TENON_LITERAL("1")},
                                     {TENON_LITERAL("set-cookie"), TENON_LITERAL("a=b")}};
  tenon_http_response response = make_response();
  response.fields = fields;
  response.field_count = 2;
  return zoo_http->respond(zoo_host, request->handle, &response);
}

static tenon_code handle_body(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_http_response response = make_response();
  response.body.data = NULL;
  return zoo_http->respond(zoo_host, request->handle, &response);
}

static tenon_code handle_problem(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_http_problem problem;
  memset(&problem, 0, sizeof problem);
  problem.size = sizeof problem;
  problem.status = 200;
  problem.code = zoo_span("zoo.problem");
  return zoo_http->respond_problem(zoo_host, request->handle, &problem);
}

static tenon_code register_routes(tenon_error* error) {
  static const struct {
    const char* pattern;
    tenon_code (*fn)(void*, const tenon_http_request*) TENON_NOEXCEPT;
  } routes[] = {{"/status", handle_status},
                {"/type", handle_type},
                {"/field", handle_field},
                {"/body", handle_body},
                {"/problem", handle_problem}};
  zoo_host->get_interface(zoo_host, zoo_span("tenon.telepathy/1"), 16);
  tenon_code code = TENON_OK;
  for (unsigned i = 0; i < sizeof routes / sizeof routes[0] && code >= 0; ++i)
    code = zoo_route(routes[i].pattern, routes[i].fn, error);
  return code;
}

ZOO_PLUGIN(register_routes);
