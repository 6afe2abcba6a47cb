/* The skeleton of a plugin in C: a source file says its routes and ends with ZOO_PLUGIN. */
#ifndef ZOO_H
#define ZOO_H

#include <string.h>

#include <tenon/db.h>
#include <tenon/entry.h>
#include <tenon/http.h>

static const tenon_host* zoo_host;
static const tenon_http* zoo_http;

__attribute__((unused)) static tenon_span zoo_span(const char* zero_terminated) {
  const tenon_span span = {zero_terminated, strlen(zero_terminated)};
  return span;
}

__attribute__((unused)) static tenon_code zoo_respond(tenon_handle request, const char* body) {
  tenon_http_response response;
  memset(&response, 0, sizeof response);
  response.size = sizeof response;
  response.status = 200;
  response.content_type = zoo_span("text/plain");
  response.body = zoo_span(body);
  return zoo_http->respond(zoo_host, request, &response);
}

/* A public GET route. */
__attribute__((unused)) static tenon_code zoo_route(
    const char* pattern, tenon_code (*fn)(void*, const tenon_http_request*) TENON_NOEXCEPT,
    tenon_error* error) {
  tenon_http_route route;
  memset(&route, 0, sizeof route);
  route.size = sizeof route;
  route.method = TENON_HTTP_GET;
  route.pattern = zoo_span(pattern);
  route.access = TENON_HTTP_PUBLIC;
  route.handler.fn = fn;
  return zoo_http->add_route(zoo_host, &route, error);
}

static tenon_code zoo_start(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT {
  (void)plugin;
  (void)error;
  return TENON_OK;
}

static void zoo_destroy(tenon_plugin* plugin) TENON_NOEXCEPT {
  (void)plugin;
}

/* `register_routes` is tenon_code (*)(tenon_error*). */
#define ZOO_PLUGIN(register_routes) ZOO_PLUGIN_THAT_STOPS(register_routes, NULL)

/* The same with a function for tenon_plugin.stop. */
#define ZOO_PLUGIN_THAT_STOPS(register_routes, stop_plugin)                                       \
  static tenon_code zoo_create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error) \
      TENON_NOEXCEPT {                                                                            \
    static tenon_plugin made = {.size = sizeof(tenon_plugin),                                     \
                                .start = zoo_start,                                               \
                                .stop = stop_plugin,                                              \
                                .destroy = zoo_destroy};                                          \
    zoo_host = host;                                                                              \
    zoo_http = host->get_interface(host, zoo_span(TENON_HTTP_ID), TENON_NEED(tenon_http, check)); \
    if (zoo_http == NULL) return TENON_E_UNSUPPORTED;                                             \
    const tenon_code code = register_routes(error);                                               \
    if (code >= 0) *plugin = &made;                                                               \
    return code;                                                                                  \
  }                                                                                               \
  TENON_EXPORT extern const tenon_plugin_entry tenon_plugin_entry_v1;                             \
  const tenon_plugin_entry tenon_plugin_entry_v1 = {                                              \
      .magic = TENON_ENTRY_MAGIC,                                                                 \
      .size = sizeof(tenon_plugin_entry),                                                         \
      .abi_major = TENON_ABI_MAJOR,                                                               \
      .abi_minor = TENON_ABI_MINOR,                                                               \
      .needs_host_minor = TENON_PLUGIN_NEEDS_HOST_MINOR,                                          \
      .id = {TENON_PLUGIN_ID, sizeof TENON_PLUGIN_ID - 1},                                        \
      .version = {TENON_PLUGIN_VERSION, sizeof TENON_PLUGIN_VERSION - 1},                         \
      .create = zoo_create,                                                                       \
  }

#endif
