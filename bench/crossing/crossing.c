/* Returns 1 KiB, and nothing else. */
#include <stdlib.h>
#include <string.h>

#include <tenon/http.h>

typedef struct crossing {
  tenon_plugin plugin;
  const tenon_host* host;
  const tenon_http* http;
  char body[1024];
} crossing;

static tenon_code handler(void* ctx, const tenon_http_request* request) {
  crossing* self = ctx;
  tenon_http_response response;
  memset(&response, 0, sizeof(response));
  response.size = sizeof(response);
  response.status = 200;
  response.content_type = TENON_LITERAL("text/plain");
  response.body.data = self->body;
  response.body.size = sizeof(self->body);
  return self->http->respond(self->host, request->handle, &response);
}

static tenon_code start(tenon_plugin* plugin, tenon_error* error) {
  (void)plugin;
  (void)error;
  return TENON_OK;
}

static void destroy(tenon_plugin* plugin) {
  free(plugin->impl);
}

static tenon_code create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error) {
  crossing* self = calloc(1, sizeof(*self));
  tenon_http_route route;
  self->host = host;
  self->http =
      host->get_interface(host, TENON_LITERAL(TENON_HTTP_ID), TENON_NEED(tenon_http, respond));
  memset(self->body, 'x', sizeof(self->body));
  memset(&route, 0, sizeof(route));
  route.size = sizeof(route);
  route.method = TENON_HTTP_GET;
  route.pattern = TENON_LITERAL("/response");
  route.access = TENON_HTTP_PUBLIC;
  route.handler.fn = handler;
  route.handler.ctx = self;
  self->plugin.size = sizeof(self->plugin);
  self->plugin.impl = self;
  self->plugin.start = start;
  self->plugin.destroy = destroy;
  *plugin = &self->plugin;
  return self->http->add_route(host, &route, error);
}

extern const tenon_plugin_entry tenon_plugin_entry_v1;
TENON_EXPORT const tenon_plugin_entry tenon_plugin_entry_v1 = {TENON_ENTRY_MAGIC,
                                                               sizeof(tenon_plugin_entry),
                                                               TENON_ABI_MAJOR,
                                                               TENON_ABI_MINOR,
                                                               TENON_ABI_MINOR,
                                                               0,
                                                               0,
                                                               {"crossing", 8},
                                                               {"1.0.0", 5},
                                                               create};
