/* Offers and calls services in every wrong way, and says which code came back. */
#include <pthread.h>
#include <stdio.h>

#include <tenon/services.h>

#include "zoo.h"

static const tenon_services* services;
static const tenon_db* db;
static char when_made[1024];
static tenon_handle kept;

static void add(char* list, size_t capacity, const char* name, tenon_code code) {
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

static void count_drop(void* ctx) TENON_NOEXCEPT {
  ++*(int*)ctx;
}

/* "forgets" returns without a response, "twice" says what the second one was refused with, "nests"
 * calls itself, "nonsense" returns a code that means nothing, "unended" an error without an end. */
static tenon_code serve(void* ctx, const tenon_services_request* request,
                        tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  const char method = request->method.data[0];
  kept = request->handle;
  if (method == 'f') return TENON_OK;
  if (method == 'n' && request->method.size > 5) return 77;
  if (method == 'u') {
    memset(error->name, 'x', sizeof error->name);
    memset(error->message, '\xff', sizeof error->message);
    error->status = 9000;
    return TENON_E_BUSY;
  }
  if (method == 't') {
    char codes[64] = "";
    const tenon_span broken = {NULL, 5};
    add(codes, sizeof codes, "broken", services->respond(zoo_host, request->handle, broken));
    add(codes, sizeof codes, "made_up", services->respond(zoo_host, 77, zoo_span("x")));
    services->respond(zoo_host, request->handle, zoo_span(codes));
    if (services->respond(zoo_host, request->handle, zoo_span("second")) != TENON_E_STATE)
      return TENON_E_INTERNAL;
    return TENON_OK;
  }
  return services->respond(zoo_host, request->handle, request->request);
}

static void take(void* ctx, tenon_span bytes) TENON_NOEXCEPT {
  char* const list = ctx;
  const size_t length = strlen(list);
  snprintf(list + length, 1024 - length, "%.*s", (int)bytes.size, bytes.data);
}

static tenon_services_call call_of(const char* service, const char* method) {
  tenon_services_call call;
  memset(&call, 0, sizeof call);
  call.size = sizeof call;
  call.revision = 1;
  call.service = zoo_span(service);
  call.method = zoo_span(method);
  return call;
}

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[1024] = "";
  char taken[1024] = "";
  const tenon_span broken = {NULL, 5};
  const tenon_text_sink sink = {take, taken};
  const tenon_text_sink no_sink = {NULL, NULL};
  tenon_services_call call = call_of("misuses-services.own", "say");
#define TRY(name, call) add(list, sizeof list, name, call)
#define CALL(name) TRY(name, services->call(zoo_host, &call, &sink, NULL))
  TRY("null_host", services->call(NULL, &call, &sink, NULL));
  TRY("null_call", services->call(zoo_host, NULL, &sink, NULL));
  TRY("null_sink", services->call(zoo_host, &call, NULL, NULL));
  TRY("no_sink", services->call(zoo_host, &call, &no_sink, NULL));
  call.size = 16;
  CALL("small");
  call.size = sizeof call;
  call.flags = 1;
  CALL("flags");
  call.flags = 0;
  call.service = broken;
  CALL("broken");
  call = call_of("own", "say");
  CALL("no_plugin");
  call = call_of("misuses-services.own", "");
  CALL("no_method");
  call = call_of("misuses-services.own", "say");
  call.revision = 0;
  CALL("no_revision");
  call.revision = 8;
  CALL("revision");
  call.revision = 1;
  call.deadline_ms = 60001;
  CALL("deadline");
  call.deadline_ms = 0;
  call.request = broken;
  CALL("broken_request");
  call.request = zoo_span("x");
  call.request.size = 16777217;
  CALL("too_large");
  call = call_of("misuses-services.other", "say");
  CALL("no_service");
  call = call_of("plain-c.echo", "say");
  CALL("not_named");
  call = call_of("absent.echo", "say");
  CALL("away");
  call = call_of("misuses-services.own", "forgets");
  CALL("forgets");
  call = call_of("misuses-services.own", "nonsense");
  CALL("nonsense");
  call = call_of("misuses-services.own", "unended");
  CALL("unended");
  call = call_of("misuses-services.own", "say");
  call.request = zoo_span("said");
  CALL("say");
  TRY("over", services->respond(zoo_host, kept, zoo_span("x")));
  TRY("as_call", services->respond(zoo_host, request->handle, zoo_span("x")));
  TRY("late", services->offer(zoo_host, zoo_span("late"), 1, NULL, NULL));
#undef CALL
#undef TRY
  const size_t length = strlen(list);
  snprintf(list + length, sizeof list - length, "%s", taken);
  return zoo_respond(request->handle, list);
}

static tenon_code handle_twice(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char taken[1024] = "";
  const tenon_text_sink sink = {take, taken};
  tenon_services_call call = call_of("misuses-services.own", "twice");
  /* A shorter struct: without deadline and flags. */
  call.size = TENON_NEED(tenon_services_call, request);
  call.flags = 77;
  const tenon_code code = services->call(zoo_host, &call, &sink, NULL);
  return code < 0 ? code : zoo_respond(request->handle, taken);
}

static tenon_code handle_inline(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[1024] = "";
  const tenon_text_sink sink = {take, list};
  const tenon_services_call call = call_of("misuses-services.own", "say");
  add(list, sizeof list, "call", services->call(zoo_host, &call, &sink, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code work(void* ctx, tenon_handle transaction) TENON_NOEXCEPT {
  char taken[1024] = "";
  const tenon_text_sink sink = {take, taken};
  const tenon_services_call call = call_of("misuses-services.own", "say");
  (void)transaction;
  *(tenon_handle*)ctx = services->call(zoo_host, &call, &sink, NULL) == TENON_E_STATE ? 1 : 2;
  return TENON_OK;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_done;

static void done(void* ctx, tenon_code code, const tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  (void)code;
  (void)error;
  pthread_mutex_lock(&mutex);
  is_done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

/* A queued write must not wait for another plugin. */
static tenon_code handle_queued(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_handle seen = 0;
  const tenon_db_work queued = {work, done, &seen, NULL};
  is_done = 0;
  const tenon_code code = db->queue_write(zoo_host, 0, &queued, NULL);
  if (code < 0) return code;
  pthread_mutex_lock(&mutex);
  while (!is_done)
    pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return zoo_respond(request->handle, seen == 1 ? "refused" : "called");
}

static tenon_code handle_made(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, when_made);
}

static void offer_wrongly(void) {
  static int drops;
  tenon_services_handler handler = {serve, &drops, count_drop};
  const tenon_services_handler no_fn = {NULL, &drops, count_drop};
  const tenon_span broken = {NULL, 5};
  const tenon_services_call call = call_of("misuses-services.own", "say");
  const tenon_text_sink sink = {take, when_made};
  char name[24];
  drops = 0;
#define TRY(name, call) add(when_made, sizeof when_made, name, call)
#define OFFER(name, revision) services->offer(zoo_host, zoo_span(name), revision, &handler, NULL)
  TRY("early", services->call(zoo_host, &call, &sink, NULL));
  TRY("null_host", services->offer(NULL, zoo_span("own"), 1, &handler, NULL));
  TRY("null", services->offer(zoo_host, zoo_span("own"), 1, NULL, NULL));
  TRY("no_fn", services->offer(zoo_host, zoo_span("own"), 1, &no_fn, NULL));
  TRY("broken", services->offer(zoo_host, broken, 1, &handler, NULL));
  TRY("empty", OFFER("", 1));
  TRY("dot", OFFER("a.b", 1));
  TRY("no_revision", OFFER("own", 0));
  TRY("far", OFFER("own", 10000));
  TRY("own", OFFER("own", 7));
  TRY("twice", OFFER("own", 8));
  TRY("drops", drops);
  handler.drop = NULL;
  int offered = 1;
  tenon_code code = TENON_OK;
  while (offered < 100 && code >= 0) {
    snprintf(name, sizeof name, "s%d", offered);
    code = OFFER(name, 1);
    offered += code >= 0;
  }
  TRY("offered", offered);
  TRY("more", code);
#undef OFFER
#undef TRY
}

static tenon_code register_routes(tenon_error* error) {
  services = zoo_host->get_interface(zoo_host, zoo_span(TENON_SERVICES_ID),
                                     TENON_NEED(tenon_services, respond));
  db = zoo_host->get_interface(zoo_host, zoo_span(TENON_DB_ID), TENON_NEED(tenon_db, queue_write));
  if (services == NULL || db == NULL) return TENON_E_UNSUPPORTED;
  when_made[0] = 0;
  offer_wrongly();
  tenon_code code = zoo_route("/try", handle_try, error);
  if (code >= 0) code = zoo_route("/twice", handle_twice, error);
  if (code >= 0) code = zoo_route("/queued", handle_queued, error);
  if (code >= 0) {
    tenon_http_route route;
    memset(&route, 0, sizeof route);
    route.size = sizeof route;
    route.method = TENON_HTTP_GET;
    route.pattern = zoo_span("/inline");
    route.access = TENON_HTTP_PUBLIC;
    route.flags = TENON_HTTP_INLINE;
    route.handler.fn = handle_inline;
    code = zoo_http->add_route(zoo_host, &route, error);
  }
  return code < 0 ? code : zoo_route("/made", handle_made, error);
}

/* Too late: it fails where it is refused as it should be, which the host logs. */
static tenon_code stop(tenon_plugin* plugin) TENON_NOEXCEPT {
  const tenon_services_call call = call_of("misuses-services.own", "say");
  const tenon_text_sink sink = {take, when_made};
  (void)plugin;
  return services->call(zoo_host, &call, &sink, NULL) == TENON_E_STATE ? TENON_E_INTERNAL
                                                                       : TENON_OK;
}

ZOO_PLUGIN_THAT_STOPS(register_routes, stop);
