/* The exercise in plain C: entry, life and the plain routes. */
#include "exercise.h"

#include <stdlib.h>
#include <string.h>

tenon_code respond_text(exercise* self, const tenon_http_request* request, uint32_t status,
                        const char* type, const text* body) {
  tenon_http_response response;
  memset(&response, 0, sizeof response);
  response.size = sizeof response;
  response.status = status;
  response.content_type = zero_terminated(type);
  if (body != NULL) response.body = text_span(body);
  const tenon_code code = self->http->respond(self->host, request->handle, &response);
  return code == TENON_E_INVALID ? TENON_E_INTERNAL : TENON_OK;
}

tenon_code respond_problem(exercise* self, tenon_handle request, uint32_t status, const char* code,
                           const char* message) {
  tenon_http_problem problem;
  memset(&problem, 0, sizeof problem);
  problem.size = sizeof problem;
  problem.status = status;
  problem.code = zero_terminated(code);
  problem.message = zero_terminated(message);
  return self->http->respond_problem(self->host, request, &problem) == TENON_E_INVALID
             ? TENON_E_INTERNAL
             : TENON_OK;
}

static tenon_code handle_hello(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  text body = {.size = 0};
  text_add(&body, "{\"hello\":");
  text_add_json(&body, request->params[0]);
  text_add(&body, "}");
  return respond_text(ctx, request, 200, "application/json", &body);
}

static tenon_code handle_echo(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  const tenon_http_field field = {TENON_LITERAL("x-exercise"), TENON_LITERAL("echo")};
  tenon_http_response response;
  memset(&response, 0, sizeof response);
  response.size = sizeof response;
  response.status = 201;
  response.content_type = TENON_LITERAL("application/json");
  response.fields = &field;
  response.field_count = 1;
  response.body = request->body;
  return self->http->respond(self->host, request->handle, &response) == TENON_E_INVALID
             ? TENON_E_INTERNAL
             : TENON_OK;
}

static tenon_code handle_fail(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  const tenon_http_field_error field = {TENON_LITERAL("field"), TENON_LITERAL("wrong"),
                                        TENON_LITERAL("This field is wrong.")};
  tenon_http_problem problem;
  memset(&problem, 0, sizeof problem);
  problem.size = sizeof problem;
  problem.status = 422;
  problem.code = TENON_LITERAL("exercise.failed");
  problem.message = TENON_LITERAL("This always fails.");
  problem.errors = &field;
  problem.error_count = 1;
  problem.extra = TENON_LITERAL("{\"extra\":{\"depth\":1}}");
  const tenon_http_field header = {TENON_LITERAL("x-exercise"), TENON_LITERAL("fail")};
  problem.fields = &header;
  problem.field_count = 1;
  return self->http->respond_problem(self->host, request->handle, &problem) == TENON_E_INVALID
             ? TENON_E_INTERNAL
             : TENON_OK;
}

static tenon_code handle_rest(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  text body = {.size = 0};
  text_add_span(&body, request->params[0]);
  return respond_text(ctx, request, 200, "text/plain; charset=utf-8", &body);
}

static tenon_code handle_later(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_code code = TENON_E_BUSY;
  pthread_mutex_lock(&self->mutex);
  if (self->waiting_count < EXERCISE_MOST_WAITING) {
    self->waiting[self->waiting_count++] = request->handle;
    code = TENON_PENDING;
  }
  pthread_mutex_unlock(&self->mutex);
  return code;
}

int wake_waiting(exercise* self, uint32_t status) {
  tenon_handle waiting[EXERCISE_MOST_WAITING];
  pthread_mutex_lock(&self->mutex);
  const uint32_t count = self->waiting_count;
  memcpy(waiting, self->waiting, sizeof waiting);
  self->waiting_count = 0;
  pthread_mutex_unlock(&self->mutex);
  int woken = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (self->http->check(self->host, waiting[i]) == TENON_OK) ++woken;
    if (status == 200) {
      text body = {.size = 0};
      text_add(&body, "late");
      const tenon_http_request request = {.size = sizeof request, .handle = waiting[i]};
      respond_text(self, &request, 200, "text/plain; charset=utf-8", &body);
    } else {
      respond_problem(self, waiting[i], status, "exercise.leaving", "The plugin is leaving.");
    }
  }
  return woken;
}

static tenon_code handle_wake(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  text body = {.size = 0};
  text_add(&body, "{\"woken\":");
  text_add_number(&body, wake_waiting(ctx, 200));
  text_add(&body, "}");
  return respond_text(ctx, request, 200, "application/json", &body);
}

#define READ TENON_PLUGIN_ID ".read"
#define WRITE TENON_PLUGIN_ID ".write"

static const listed_route routes[] = {
    {"/hello/{name}", "", handle_hello, 0, TENON_HTTP_GET, TENON_HTTP_PUBLIC, TENON_HTTP_BODY_NONE,
     TENON_HTTP_INLINE},
    {"/echo", "", handle_echo, 0, TENON_HTTP_POST, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_JSON, 0},
    {"/fail", "", handle_fail, 0, TENON_HTTP_GET, TENON_HTTP_PUBLIC, TENON_HTTP_BODY_NONE, 0},
    {"/upload", WRITE, handle_upload, 8u << 20, TENON_HTTP_PUT, TENON_HTTP_PERMISSION,
     TENON_HTTP_BODY_STREAMED, 0},
    {"/rest/{rest...}", "", handle_rest, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/later", "", handle_later, 0, TENON_HTTP_GET, TENON_HTTP_PUBLIC, TENON_HTTP_BODY_NONE, 0},
    {"/wake", "", handle_wake, 0, TENON_HTTP_GET, TENON_HTTP_PUBLIC, TENON_HTTP_BODY_NONE, 0},
    {"/stream", "", handle_stream, 0, TENON_HTTP_GET, TENON_HTTP_PUBLIC, TENON_HTTP_BODY_NONE, 0},
    {"/who", "", handle_who, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_NONE, 0},
    {"/users", READ, handle_users, 0, TENON_HTTP_GET, TENON_HTTP_PERMISSION, TENON_HTTP_BODY_NONE,
     0},
    {"/items", READ, handle_list_items, 0, TENON_HTTP_GET, TENON_HTTP_PERMISSION,
     TENON_HTTP_BODY_NONE, 0},
    {"/items", WRITE, handle_add_item, 0, TENON_HTTP_POST, TENON_HTTP_PERMISSION,
     TENON_HTTP_BODY_WHOLE, 0},
    {"/setting", READ, handle_get_setting, 0, TENON_HTTP_GET, TENON_HTTP_PERMISSION,
     TENON_HTTP_BODY_NONE, 0},
    {"/setting", WRITE, handle_set_setting, 0, TENON_HTTP_PUT, TENON_HTTP_PERMISSION,
     TENON_HTTP_BODY_JSON, 0},
};

tenon_code add_listed(exercise* self, const listed_route* listed, uint64_t count,
                      tenon_error* error) {
  for (uint64_t i = 0; i < count; ++i) {
    tenon_http_route route;
    memset(&route, 0, sizeof route);
    route.size = sizeof route;
    route.method = listed[i].method;
    route.pattern = zero_terminated(listed[i].pattern);
    route.permission = zero_terminated(listed[i].permission);
    route.body_limit = listed[i].body_limit;
    route.access = listed[i].access;
    route.body = listed[i].body;
    route.flags = listed[i].flags;
    route.handler.fn = listed[i].fn;
    route.handler.ctx = self;
    const tenon_code code = self->http->add_route(self->host, &route, error);
    if (code < 0) return code;
  }
  return TENON_OK;
}

tenon_code add_routes(exercise* self, tenon_error* error) {
  tenon_code code = add_listed(self, routes, sizeof routes / sizeof routes[0], error);
  if (code >= 0) code = add_data(self, error);
  if (code < 0) return code;
  const tenon_settings_watcher watcher = {handle_setting_change, self, NULL};
  return self->settings->watch(self->host, &watcher);
}

static tenon_code start(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT {
  (void)error;
  exercise* const self = plugin->impl;
  const tenon_log_field field = {TENON_LITERAL("language"), TENON_LITERAL("C")};
  if (self->log->enabled(self->host, TENON_LOG_INFO) == 0) return TENON_OK;
  self->log->write(self->host, TENON_LOG_INFO, TENON_LITERAL("exercise starts"), &field, 1, 0);
  return TENON_OK;
}

static tenon_code health(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = plugin->impl;
  pthread_mutex_lock(&self->mutex);
  const int is_ill = strcmp(self->change, "color=\"pale\"") == 0;
  pthread_mutex_unlock(&self->mutex);
  if (!is_ill) return TENON_OK;
  error->code = TENON_E_INTERNAL;
  error->status = 500;
  strcpy(error->name, "exercise.pale");
  strcpy(error->message, "It is pale.");
  return TENON_E_INTERNAL;
}

static tenon_code quiesce(tenon_plugin* plugin, uint32_t deadline_ms) TENON_NOEXCEPT {
  (void)deadline_ms;
  wake_waiting(plugin->impl, 503);
  return TENON_OK;
}

static void destroy(tenon_plugin* plugin) TENON_NOEXCEPT {
  exercise* const self = plugin->impl;
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

static const void* ask(const tenon_host* host, const char* id, uint32_t need) {
  return host->get_interface(host, zero_terminated(id), need);
}

static tenon_code create(const tenon_host* host, tenon_plugin** plugin,
                         tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = calloc(1, sizeof *self);
  if (self == NULL) return TENON_E_MEMORY;
  self->host = host;
  self->log = ask(host, TENON_LOG_ID, TENON_NEED(tenon_log, write));
  self->http = ask(host, TENON_HTTP_ID, TENON_NEED(tenon_http, check));
  self->db = ask(host, TENON_DB_ID, TENON_NEED(tenon_db, migrate));
  self->settings = ask(host, TENON_SETTINGS_ID, TENON_NEED(tenon_settings, watch));
  self->identity = ask(host, TENON_IDENTITY_ID, TENON_NEED(tenon_identity, groups));
  self->blobs = ask(host, TENON_BLOBS_ID, TENON_NEED(tenon_blobs, check_uploader));
  self->jobs = ask(host, TENON_JOBS_ID, TENON_NEED(tenon_jobs, is_cancelled));
  self->tables = ask(host, TENON_TABLES_ID, TENON_NEED(tenon_tables, remove));
  self->events = ask(host, TENON_EVENTS_ID, TENON_NEED(tenon_events, publish));
  self->search = ask(host, TENON_SEARCH_ID, TENON_NEED(tenon_search, find));
  self->services = ask(host, TENON_SERVICES_ID, TENON_NEED(tenon_services, respond));
  self->http_client = ask(host, TENON_HTTP_CLIENT_ID, TENON_NEED(tenon_http_client, send));
  tenon_code code = TENON_E_UNSUPPORTED;
  if (self->log != NULL && self->http != NULL && self->db != NULL && self->settings != NULL &&
      self->identity != NULL) {
    pthread_mutex_init(&self->mutex, NULL);
    code = add_routes(self, error);
    if (code < 0) pthread_mutex_destroy(&self->mutex);
  }
  if (code < 0) {
    free(self);
    return code;
  }
  self->plugin.size = sizeof self->plugin;
  self->plugin.impl = self;
  self->plugin.start = start;
  self->plugin.quiesce = quiesce;
  self->plugin.destroy = destroy;
  self->plugin.health = health;
  *plugin = &self->plugin;
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
