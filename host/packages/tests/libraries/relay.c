/* Offers a service "echo" and calls those of others, for the tests of services between plugins. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tenon/http.h>
#include <tenon/services.h>

static const tenon_host* host;
static const tenon_http* http;
static const tenon_services* services;
static atomic_int inside;

static tenon_span text(const char* zero_terminated) {
  const tenon_span span = {zero_terminated, strlen(zero_terminated)};
  return span;
}

static int is(tenon_span span, const char* word) {
  return span.size == strlen(word) && memcmp(span.data, word, span.size) == 0;
}

/* "say": the version and what was asked; "wait": the same once the file that the environment names
   is there. */
static tenon_code echo(void* ctx, const tenon_services_request* request,
                       tenon_error* error) TENON_NOEXCEPT {
  char reply[128];
  (void)ctx;
  if (is(request->method, "wait")) {
    const struct timespec pause = {0, 5000000};
    const char* const file = getenv("RELAY_GO");
    int tries;
    atomic_fetch_add(&inside, 1);
    for (tries = 0; file && access(file, F_OK) != 0 && tries < 12000; ++tries)
      nanosleep(&pause, NULL);
    atomic_fetch_sub(&inside, 1);
  } else if (!is(request->method, "say")) {
    error->status = 404;
    snprintf(error->name, sizeof error->name, "relay.unknown_method");
    snprintf(error->message, sizeof error->message, "There is no such method.");
    return TENON_E_NOT_FOUND;
  }
  snprintf(reply, sizeof reply, "%s %.*s", PLUGIN_VERSION, (int)request->request.size,
           request->request.data);
  return services->respond(host, request->handle, text(reply));
}

typedef struct taken {
  char text[512];
} taken;

static void take(void* ctx, tenon_span bytes) TENON_NOEXCEPT {
  taken* const to = ctx;
  snprintf(to->text, sizeof to->text, "%.*s", (int)bytes.size, bytes.data);
}

static tenon_code respond(tenon_handle request, const char* body) {
  tenon_http_response response;
  memset(&response, 0, sizeof response);
  response.size = sizeof response;
  response.status = 200;
  response.content_type = text("text/plain");
  response.body = text(body);
  return http->respond(host, request, &response);
}

/* GET /ask/{service}/{method}/{request}: the code, and the response or the error's name. */
static tenon_code ask(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  taken reply = {""};
  char body[768];
  const tenon_text_sink sink = {take, &reply};
  tenon_error error;
  tenon_services_call call;
  (void)ctx;
  memset(&error, 0, sizeof error);
  error.size = sizeof error;
  memset(&call, 0, sizeof call);
  call.size = sizeof call;
  call.revision = 1;
  call.service = request->params[0];
  call.method = request->params[1];
  call.request = request->params[2];
  const tenon_code code = services->call(host, &call, &sink, &error);
  snprintf(body, sizeof body, "%d %s%s", code, reply.text, error.name);
  return respond(request->handle, body);
}

/* GET /inside: how many calls wait. */
static tenon_code count(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  char body[16];
  (void)ctx;
  snprintf(body, sizeof body, "%d", atomic_load(&inside));
  return respond(request->handle, body);
}

static tenon_code start(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT {
  (void)plugin;
  (void)error;
  return TENON_OK;
}

static void destroy(tenon_plugin* plugin) TENON_NOEXCEPT {
  free(plugin);
}

static tenon_code create(const tenon_host* given, tenon_plugin** plugin,
                         tenon_error* error) TENON_NOEXCEPT {
  const tenon_services_handler handler = {echo, NULL, NULL};
  tenon_http_route route;
  host = given;
  http = host->get_interface(host, text(TENON_HTTP_ID), TENON_NEED(tenon_http, respond));
  services =
      host->get_interface(host, text(TENON_SERVICES_ID), TENON_NEED(tenon_services, respond));
  if (http == NULL || services == NULL) return TENON_E_UNSUPPORTED;
  memset(&route, 0, sizeof route);
  route.size = sizeof route;
  route.method = TENON_HTTP_GET;
  route.pattern = text("/ask/{service}/{method}/{request}");
  route.access = TENON_HTTP_PUBLIC;
  route.handler.fn = ask;
  tenon_code code = http->add_route(host, &route, error);
  route.pattern = text("/inside");
  route.handler.fn = count;
  if (code >= 0) code = http->add_route(host, &route, error);
  if (code >= 0) code = services->offer(host, text("echo"), 1, &handler, error);
  if (code < 0) return code;
  tenon_plugin* const made = calloc(1, sizeof *made);
  if (made == NULL) return TENON_E_MEMORY;
  made->size = sizeof *made;
  made->start = start;
  made->destroy = destroy;
  *plugin = made;
  return TENON_OK;
}

TENON_PLUGIN_FACTS(PLUGIN_ID, PLUGIN_VERSION, 12);

TENON_EXPORT extern const tenon_plugin_entry tenon_plugin_entry_v1;
const tenon_plugin_entry tenon_plugin_entry_v1 = {
    TENON_ENTRY_MAGIC,
    sizeof(tenon_plugin_entry),
    TENON_ABI_MAJOR,
    TENON_ABI_MINOR,
    12,
    0,
    0,
    {PLUGIN_ID, sizeof PLUGIN_ID - 1},
    {PLUGIN_VERSION, sizeof PLUGIN_VERSION - 1},
    create,
};
