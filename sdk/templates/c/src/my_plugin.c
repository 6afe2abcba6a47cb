#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/entry.h>
#include <tenon/http.h>

/* One instance of the plugin. The host creates a new one for each activation. */
typedef struct counter {
  tenon_plugin base;
  const tenon_host* host;
  const tenon_http* http;
  atomic_uint calls;
} counter;

static tenon_span span_of(const char* text) {
  tenon_span span = {text, strlen(text)};
  return span;
}

/* Called on a worker thread of the host, by several threads at the same time. */
static tenon_code count(void* context, const tenon_http_request* request) {
  counter* self = context;
  char body[64];
  snprintf(body, sizeof body, "{\"calls\":%u}", atomic_fetch_add(&self->calls, 1) + 1);
  tenon_http_response response = {0};
  response.size = sizeof response;
  response.status = 200;
  response.content_type = span_of("application/json");
  response.body = span_of(body);
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
  const tenon_http* http =
      host->get_interface(host, TENON_LITERAL(TENON_HTTP_ID), TENON_NEED(tenon_http, respond));
  if (http == NULL) return TENON_E_UNSUPPORTED;
  counter* self = calloc(1, sizeof *self);
  if (self == NULL) return TENON_E_MEMORY;
  self->base.size = sizeof self->base;
  self->base.impl = self;
  self->base.start = start;
  self->base.destroy = destroy;
  self->host = host;
  self->http = http;

  tenon_http_route route = {0};
  route.size = sizeof route;
  route.method = TENON_HTTP_GET;
  route.pattern = TENON_LITERAL("/calls");
  route.access = TENON_HTTP_SIGNED_IN;
  route.handler.fn = count;
  route.handler.ctx = self;
  const tenon_code code = http->add_route(host, &route, error);
  if (code < 0) {
    free(self);
    return code;
  }
  *plugin = &self->base;
  return TENON_OK;
}

TENON_EXPORT extern const tenon_plugin_entry tenon_plugin_entry_v1;
const tenon_plugin_entry tenon_plugin_entry_v1 = {
    .magic = TENON_ENTRY_MAGIC,
    .size = sizeof(tenon_plugin_entry),
    .abi_major = TENON_ABI_MAJOR,
    .abi_minor = TENON_ABI_MINOR,
    .needs_host_minor = TENON_PLUGIN_NEEDS_HOST_MINOR,
    .id = {TENON_PLUGIN_ID, sizeof TENON_PLUGIN_ID - 1},
    .version = {TENON_PLUGIN_VERSION, sizeof TENON_PLUGIN_VERSION - 1},
    .create = create,
};
