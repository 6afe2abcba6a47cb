/* Requests to other servers. If the host has no HTTP client, the plugin lacks this route. */
#include "exercise.h"

typedef struct received {
  uint32_t status;
  text body;
} received;

static void take(void* ctx, const tenon_http_client_response* response) TENON_NOEXCEPT {
  received* const to = ctx;
  to->status = response->status;
  text_add_span(&to->body, response->body);
}

static tenon_code handle_fetch(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  text url = {.size = 0};
  text_add(&url, "http://127.0.0.1:");
  text_add_span(&url, request->params[0]);
  text_add(&url, "/api/");
  text_add_span(&url, request->params[1]);
  const tenon_http_field field = {TENON_LITERAL("X-Exercise"), TENON_LITERAL("fetch")};
  const tenon_http_client_request call = {.size = sizeof call,
                                          .flags = TENON_HTTP_CLIENT_NO_REDIRECTS,
                                          .method = TENON_LITERAL("GET"),
                                          .url = text_span(&url),
                                          .fields = &field,
                                          .field_count = 1,
                                          .timeout_ms = 5000,
                                          .max_response_bytes = 4096};
  received got = {.status = 0};
  const tenon_http_client_sink sink = {take, &got};
  tenon_error error = no_error();
  if (self->http_client->send(self->host, &call, &sink, &error) < 0)
    return respond_error(self, request, &error);
  return respond_text(self, request, got.status, "text/plain; charset=utf-8", &got.body);
}

static const listed_route routes[] = {
    {"/fetch/{port}/{rest...}", "", handle_fetch, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
};

tenon_code add_client(exercise* self, tenon_error* error) {
  if (self->http_client == NULL) return TENON_OK;
  return add_listed(self, routes, sizeof routes / sizeof routes[0], error);
}
