/* Services: one that the plugin offers, and calls itself. If the host has no services, the plugin
 * lacks this route. */
#include "exercise.h"

static tenon_code serve(void* ctx, const tenon_services_request* request,
                        tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = ctx;
  const tenon_span say = TENON_LITERAL("say");
  if (request->method.size != say.size) {
    const tenon_error unknown = {.size = sizeof unknown,
                                 .code = TENON_E_NOT_FOUND,
                                 .status = 404,
                                 .name = "exercise.unknown_method",
                                 .message = "There is no such method."};
    *error = unknown;
    return unknown.code;
  }
  return self->services->respond(self->host, request->handle, request->request);
}

static void take(void* ctx, tenon_span bytes) TENON_NOEXCEPT {
  text_add_span(ctx, bytes);
}

static tenon_code handle_relay(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  text body = {.size = 0};
  const tenon_text_sink sink = {take, &body};
  const tenon_services_call call = {.size = sizeof call,
                                    .revision = 1,
                                    .service = TENON_LITERAL(TENON_PLUGIN_ID ".echo"),
                                    .method = request->params[0],
                                    .request = request->params[1]};
  tenon_error error = no_error();
  if (self->services->call(self->host, &call, &sink, &error) < 0)
    return respond_error(self, request, &error);
  return respond_text(self, request, 200, "text/plain; charset=utf-8", &body);
}

static const listed_route routes[] = {
    {"/relay/{method}/{words}", "", handle_relay, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
};

tenon_code add_services(exercise* self, tenon_error* error) {
  if (self->services == NULL) return TENON_OK;
  const tenon_services_handler handler = {serve, self, NULL};
  tenon_code code = self->services->offer(self->host, TENON_LITERAL("echo"), 1, &handler, error);
  if (code == TENON_OK) code = add_listed(self, routes, sizeof routes / sizeof routes[0], error);
  return code < 0 ? code : add_client(self, error);
}
