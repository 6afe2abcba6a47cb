/* Does what the path says: the plugin for the tests of bridge and lifecycle. Writes what happens
   to it, one word a line, to the file that the setting "journal" names. */
#include "probe.h"

#include <fcntl.h>
#include <unistd.h>

void note(probe* self, const char* what, const char* about) {
  char line[128];
  int length = snprintf(line, sizeof(line), "%s%s%s\n", what, about[0] ? " " : "", about);
  int file = open(self->journal, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (write(file, line, (size_t)length) != length) abort();
  close(file);
}

tenon_span text(const char* zero_terminated) {
  tenon_span span = {zero_terminated, strlen(zero_terminated)};
  return span;
}

void add(char* list, size_t capacity, const char* name, tenon_code code) {
  size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

tenon_code respond_with(probe* self, tenon_handle request, uint32_t status, const char* body,
                        uint64_t size) {
  tenon_http_response response;
  memset(&response, 0, sizeof(response));
  response.size = sizeof(response);
  response.status = status;
  response.content_type = TENON_LITERAL("text/plain");
  response.body.data = body;
  response.body.size = size;
  return self->http->respond(self->host, request, &response);
}

tenon_code respond_text(probe* self, tenon_handle request, uint32_t status, const char* body) {
  return respond_with(self, request, status, body, strlen(body));
}

long number_in(tenon_span query, const char* name) {
  char copy[128];
  const char* found;
  uint64_t size = query.size < sizeof(copy) - 1 ? query.size : sizeof(copy) - 1;
  if (size) memcpy(copy, query.data, size);
  copy[size] = 0;
  found = strstr(copy, name);
  return found ? strtol(found + strlen(name) + 1, NULL, 10) : 0;
}

static tenon_code hello(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  return respond_text(self, request->handle, 200, "hello from " PLUGIN_VERSION);
}

static tenon_code echo(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  char head[2048];
  uint32_t i;
  int length = snprintf(
      head, sizeof(head),
      "method=%u path=%.*s query=%.*s fields=%u user=%.*s length=%lld body=%.*s", request->method,
      (int)request->path.size, request->path.data, (int)request->query.size, request->query.data,
      request->field_count, (int)request->user_id.size, request->user_id.data,
      (long long)request->content_length, (int)request->body.size, request->body.data);
  for (i = 0; i < request->param_count; ++i) {
    length += snprintf(head + length, sizeof(head) - (size_t)length, " param=%.*s",
                       (int)request->params[i].size, request->params[i].data);
  }
  return respond_with(self, request->handle, 200, head, (uint64_t)length);
}

/* Responds once there is a file with the journal's name and ".go". */
static tenon_code slow(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  char file[sizeof(self->journal) + 3];
  int tries;
  note(self, "slow", "");
  snprintf(file, sizeof(file), "%s.go", self->journal);
  for (tries = 0; access(file, F_OK) != 0 && tries < 6000; ++tries)
    usleep(10000);
  return hello(ctx, request);
}

static tenon_code silent(void* ctx, const tenon_http_request* request) {
  (void)ctx;
  (void)request;
  return TENON_OK;
}

static tenon_code fails(void* ctx, const tenon_http_request* request) {
  (void)ctx;
  (void)request;
  return TENON_E_INTERNAL;
}

static tenon_code pends(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  pthread_mutex_lock(&self->mutex);
  self->pending[self->pending_count++ % MAX_PENDING] = request->handle;
  pthread_mutex_unlock(&self->mutex);
  note(self, "pending", "");
  return TENON_PENDING;
}

static unsigned release_all(probe* self) {
  unsigned i;
  unsigned count;
  pthread_mutex_lock(&self->mutex);
  count = self->pending_count;
  for (i = 0; i < count; ++i)
    respond_text(self, self->pending[i], 200, "released");
  self->pending_count = 0;
  pthread_mutex_unlock(&self->mutex);
  return count;
}

static tenon_code releases(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  char body[32];
  snprintf(body, sizeof(body), "%u", release_all(self));
  return respond_text(self, request->handle, 200, body);
}

static tenon_code adds_row(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_error error;
  tenon_db_result result;
  tenon_cell cells[2];
  tenon_handle transaction;
  tenon_code code;
  char id[64];
  static unsigned rows;
  memset(&error, 0, sizeof(error));
  error.size = sizeof(error);
  memset(&result, 0, sizeof(result));
  result.size = sizeof(result);
  memset(cells, 0, sizeof(cells));
  snprintf(id, sizeof(id), "%08x-0000-7000-8000-%012lx",
           __atomic_add_fetch(&rows, 1, __ATOMIC_SEQ_CST),
           (unsigned long)self->host->instance + (unsigned long)self->host->generation);
  cells[0].type = TENON_CELL_TEXT;
  cells[0].as.bytes = id;
  cells[0].size = 36;
  cells[1].type = TENON_CELL_TEXT;
  cells[1].as.bytes = request->body.data;
  cells[1].size = request->body.size;
  code = self->db->begin(self->host, TENON_DB_WRITE, 0, &transaction, &error);
  if (code == TENON_OK) {
    code =
        self->db->exec(self->host, transaction, text("INSERT INTO rows(id, body) VALUES(?1, ?2)"),
                       cells, 2, &result, &error);
    if (code == TENON_OK)
      code = self->db->commit(self->host, transaction, &error);
    else
      self->db->rollback(self->host, transaction);
  }
  if (code != TENON_OK) return respond_text(self, request->handle, 500, error.message);
  return respond_text(self, request->handle, 201, result.changes == 1 ? "1" : "?");
}

static tenon_code counts_rows(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_error error;
  tenon_db_batch batch;
  tenon_handle cursor;
  tenon_code code;
  char body[64];
  memset(&error, 0, sizeof(error));
  error.size = sizeof(error);
  memset(&batch, 0, sizeof(batch));
  batch.size = sizeof(batch);
  code =
      self->db->query(self->host, TENON_DB_AUTOCOMMIT, text("SELECT count(*) AS number FROM rows"),
                      NULL, 0, &cursor, &batch, &error);
  if (code != TENON_OK) return respond_text(self, request->handle, 500, error.message);
  snprintf(body, sizeof(body), "%lld %.*s", (long long)batch.cells[0].as.integer,
           (int)batch.names[0].size, batch.names[0].data);
  self->db->close(self->host, cursor);
  return respond_text(self, request->handle, 200, body);
}

static tenon_code shows_user(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_user user;
  tenon_code code;
  char body[1024] = "";
  char last[40] = "";
  unsigned count = 0;
  memset(&user, 0, sizeof(user));
  user.size = sizeof(user);
  code = self->identity->requester(self->host, request->handle, &user);
  snprintf(body, sizeof(body), "code=%d login=%s flags=%u can=%d cannot=%d undeclared=%d", code,
           user.login, user.flags,
           self->identity->can(self->host, request->handle, text(PLUGIN_ID ".use")),
           self->identity->can(self->host, request->handle, text(PLUGIN_ID ".admin")),
           self->identity->can(self->host, request->handle, text("other.use")));
  while (self->identity->next(self->host, text(last), &user) == TENON_OK) {
    if (strcmp(user.id, last) <= 0) abort();
    strcpy(last, user.id);
    ++count;
  }
  code = self->identity->find(self->host, text(last), &user);
  snprintf(body + strlen(body), sizeof(body) - strlen(body), " users=%u find=%d no_user=%d", count,
           code, self->identity->find(self->host, text("no-user"), &user));
  return respond_text(self, request->handle, 200, body);
}

static tenon_code sets(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  char body[512] = "";
  char value[64] = "";
  uint64_t length = 0;
  tenon_error error;
  error.size = sizeof(error);
  add(body, sizeof(body), "set",
      self->settings->set(self->host, text("color"), request->body, &error));
  add(body, sizeof(body), "get",
      self->settings->get(self->host, text("color"), value, sizeof(value), &length));
  add(body, sizeof(body), "short",
      self->settings->get(self->host, text("color"), value, 1, &length));
  add(body, sizeof(body), "default",
      self->settings->get(self->host, text("size"), value, sizeof(value), &length));
  add(body, sizeof(body), "none",
      self->settings->get(self->host, text("nothing"), value, sizeof(value), &length));
  add(body, sizeof(body), "key",
      self->settings->set(self->host, text("BAD"), request->body, &error));
  add(body, sizeof(body), "json",
      self->settings->set(self->host, text("color"), text("1,2"), &error));
  return respond_text(self, request->handle, 200, body);
}

static tenon_code writes_inline(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_handle transaction;
  tenon_user user;
  char body[128] = "";
  user.size = sizeof(user);
  add(body, sizeof(body), "begin",
      self->db->begin(self->host, TENON_DB_READ, 0, &transaction, NULL));
  add(body, sizeof(body), "set", self->settings->set(self->host, text("a"), text("1"), NULL));
  add(body, sizeof(body), "find", self->identity->find(self->host, text("x"), &user));
  return respond_text(self, request->handle, 200, body);
}

static tenon_code problem(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_http_field_error error = {TENON_LITERAL("title"), TENON_LITERAL("too_long"),
                                  TENON_LITERAL("It is too long.")};
  tenon_http_problem given;
  memset(&given, 0, sizeof(given));
  given.size = sizeof(given);
  given.status = 412;
  given.code = TENON_LITERAL("probe.conflict");
  given.message = TENON_LITERAL("It has changed.");
  given.errors = &error;
  given.error_count = 1;
  given.extra = TENON_LITERAL(" {\"current\":{\"version\":3}} ");
  return self->http->respond_problem(self->host, request->handle, &given);
}

static tenon_code page(void* ctx, const tenon_http_request* request) {
  const tenon_http_field fields[] = {
      {TENON_LITERAL("Content-Security-Policy"), TENON_LITERAL("script-src *")},
      {TENON_LITERAL("Access-Control-Allow-Origin"), TENON_LITERAL("*")},
      {TENON_LITERAL("access-control-allow-credentials"), TENON_LITERAL("true")},
      {TENON_LITERAL("Service-Worker-Allowed"), TENON_LITERAL("/")},
      {TENON_LITERAL("Clear-Site-Data"), TENON_LITERAL("\"*\"")},
      {TENON_LITERAL("Cross-Origin-Resource-Policy"), TENON_LITERAL("cross-origin")},
      {TENON_LITERAL("X-Page"), TENON_LITERAL("kept")}};
  probe* self = ((route_data*)ctx)->self;
  tenon_http_response response;
  memset(&response, 0, sizeof(response));
  response.size = sizeof(response);
  response.status = 200;
  response.content_type = TENON_LITERAL("Text/HTML");
  response.body = TENON_LITERAL("<script>1</script>");
  response.fields = fields;
  response.field_count = sizeof(fields) / sizeof(fields[0]);
  return self->http->respond(self->host, request->handle, &response);
}

static tenon_code logs(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_log_field field = {TENON_LITERAL("color"), TENON_LITERAL("red")};
  long i;
  char body[128] = "";
  add(body, sizeof(body), "good",
      self->log->write(self->host, TENON_LOG_INFO, text("a line of the probe"), &field, 1,
                       request->handle));
  add(body, sizeof(body), "level", self->log->write(self->host, 9, text("x"), NULL, 0, 0));
  add(body, sizeof(body), "stale",
      self->log->write(self->host, TENON_LOG_INFO, text("tied to nothing"), NULL, 0, 77));
  add(body, sizeof(body), "null",
      self->log->write(self->host, TENON_LOG_INFO, text("x"), NULL, 3, 0));
  for (i = 0; i < number_in(request->query, "flood"); ++i) {
    self->log->write(self->host, TENON_LOG_INFO, text("flood"), NULL, 0, 0);
  }
  return respond_text(self, request->handle, 200, body);
}

static void drop_route(void* ctx) {
  route_data* data = ctx;
  note(data->self, "drop", data->name);
  free(data);
}

static tenon_code add_route(probe* self, uint32_t method, const char* pattern, uint32_t body,
                            uint32_t flags, tenon_code (*fn)(void*, const tenon_http_request*),
                            tenon_error* error) {
  tenon_http_route route;
  route_data* data = calloc(1, sizeof(*data));
  tenon_code code;
  data->self = self;
  snprintf(data->name, sizeof(data->name), "%s", pattern);
  memset(&route, 0, sizeof(route));
  route.size = sizeof(route);
  route.method = method;
  route.pattern = text(pattern);
  route.access = TENON_HTTP_PUBLIC;
  route.body = body;
  if (body == TENON_HTTP_BODY_STREAMED) route.body_limit = 64 << 20;
  route.flags = flags;
  route.handler.fn = fn;
  route.handler.ctx = data;
  route.handler.drop = drop_route;
  code = self->http->add_route(self->host, &route, error);
  if (code != TENON_OK) {
    note(self, "refused", error->message);
    free(data);
  }
  return code;
}

static void watched(void* ctx, tenon_span key, tenon_span json) {
  probe* self = ctx;
  char line[96];
  snprintf(line, sizeof(line), "%.*s=%.*s", (int)key.size, key.data, (int)json.size, json.data);
  note(self, "watched", line);
}

static void drop_watcher(void* ctx) {
  note(ctx, "drop", "watcher");
}

static tenon_code start(tenon_plugin* plugin, tenon_error* error) {
  probe* self = plugin->impl;
  tenon_settings_watcher watcher = {watched, self, drop_watcher};
  tenon_code code;
  (void)error;
  note(self, "start", PLUGIN_VERSION);
  code = self->settings->watch(self->host, &watcher);
  if (code != TENON_OK) return code;
  return add_route(self, TENON_HTTP_GET, "/added-in-start", TENON_HTTP_BODY_NONE, 0, hello, error);
}

static tenon_code quiesce(tenon_plugin* plugin, uint32_t deadline_ms) {
  probe* self = plugin->impl;
  (void)deadline_ms;
  note(self, "quiesce", "");
  if (self->gives_up) release_all(self);
  return TENON_OK;
}

static tenon_code stop(tenon_plugin* plugin) {
  probe* self = plugin->impl;
  char line[96] = "";
  tenon_handle transaction;
  add(line, sizeof(line), "begin",
      self->db->begin(self->host, TENON_DB_READ, 0, &transaction, NULL));
  add(line, sizeof(line), "respond", respond_text(self, 1, 200, ""));
  note(self, "stop", line);
  return TENON_OK;
}

static void destroy(tenon_plugin* plugin) {
  probe* self = plugin->impl;
  note(self, "destroy", "");
  pthread_mutex_destroy(&self->mutex);
  free(self);
}

static tenon_code create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error) {
  probe* self = calloc(1, sizeof(*self));
  tenon_handle transaction;
  uint64_t length = 0;
  char line[64] = "";
  static const struct {
    uint32_t method;
    const char* pattern;
    uint32_t body;
    uint32_t flags;
    tenon_code (*fn)(void*, const tenon_http_request*);
  } routes[] = {
      {TENON_HTTP_GET, "/hello", TENON_HTTP_BODY_NONE, 0, hello},
      {TENON_HTTP_GET, "/inline", TENON_HTTP_BODY_NONE, TENON_HTTP_INLINE, hello},
      {TENON_HTTP_GET, "/inline-db", TENON_HTTP_BODY_NONE, TENON_HTTP_INLINE, writes_inline},
      {TENON_HTTP_POST, "/echo/{first}/{rest...}", TENON_HTTP_BODY_WHOLE, 0, echo},
      {TENON_HTTP_POST, "/json", TENON_HTTP_BODY_JSON, 0, echo},
      {TENON_HTTP_GET, "/slow", TENON_HTTP_BODY_NONE, 0, slow},
      {TENON_HTTP_GET, "/silent", TENON_HTTP_BODY_NONE, 0, silent},
      {TENON_HTTP_GET, "/fails", TENON_HTTP_BODY_NONE, 0, fails},
      {TENON_HTTP_GET, "/pending", TENON_HTTP_BODY_NONE, 0, pends},
      {TENON_HTTP_GET, "/competes", TENON_HTTP_BODY_NONE, 0, competes},
      {TENON_HTTP_GET, "/pending-inline", TENON_HTTP_BODY_NONE, TENON_HTTP_INLINE, pends},
      {TENON_HTTP_POST, "/release", TENON_HTTP_BODY_NONE, 0, releases},
      {TENON_HTTP_GET, "/stream", TENON_HTTP_BODY_NONE, 0, streams},
      {TENON_HTTP_POST, "/upload", TENON_HTTP_BODY_STREAMED, 0, uploads},
      {TENON_HTTP_POST, "/rows", TENON_HTTP_BODY_WHOLE, 0, adds_row},
      {TENON_HTTP_GET, "/rows", TENON_HTTP_BODY_NONE, 0, counts_rows},
      {TENON_HTTP_GET, "/json-rows", TENON_HTTP_BODY_NONE, 0, shows_json},
      {TENON_HTTP_POST, "/queued", TENON_HTTP_BODY_NONE, TENON_HTTP_INLINE, queues},
      {TENON_HTTP_GET, "/misuse-http", TENON_HTTP_BODY_NONE, 0, misuses_http},
      {TENON_HTTP_GET, "/misuse-db", TENON_HTTP_BODY_NONE, 0, misuses_db},
      {TENON_HTTP_GET, "/hoard", TENON_HTTP_BODY_NONE, 0, hoards},
      {TENON_HTTP_GET, "/grow", TENON_HTTP_BODY_NONE, 0, sends_other_sizes},
      {TENON_HTTP_GET, "/user", TENON_HTTP_BODY_NONE, 0, shows_user},
      {TENON_HTTP_POST, "/settings", TENON_HTTP_BODY_WHOLE, 0, sets},
      {TENON_HTTP_GET, "/problem", TENON_HTTP_BODY_NONE, 0, problem},
      {TENON_HTTP_GET, "/page", TENON_HTTP_BODY_NONE, 0, page},
      {TENON_HTTP_GET, "/log", TENON_HTTP_BODY_NONE, 0, logs},
  };
  size_t i;
  self->host = host;
  self->http = host->get_interface(host, text(TENON_HTTP_ID), sizeof(tenon_http));
  self->db = host->get_interface(host, text(TENON_DB_ID), sizeof(tenon_db));
  self->settings = host->get_interface(host, text(TENON_SETTINGS_ID), sizeof(tenon_settings));
  self->identity = host->get_interface(host, text(TENON_IDENTITY_ID), sizeof(tenon_identity));
  self->log = host->get_interface(host, text(TENON_LOG_ID), sizeof(tenon_log));
  if (!self->http || !self->db || !self->settings || !self->identity || !self->log)
    return TENON_E_UNSUPPORTED;
  /* A JSON text: the name of the file in quotation marks. */
  if (self->settings->get(host, text("journal"), self->journal, sizeof(self->journal) - 1,
                          &length) == TENON_OK &&
      length > 2) {
    memmove(self->journal, self->journal + 1, length - 2);
    self->journal[length - 2] = 0;
  }
  if (self->settings->get(host, text("gives_up"), line, sizeof(line), &length) == TENON_OK)
    self->gives_up = line[0] == 't';
  pthread_mutex_init(&self->mutex, NULL);
  line[0] = 0;
  add(line, sizeof(line), PLUGIN_VERSION " begin",
      self->db->begin(host, TENON_DB_READ, 0, &transaction, NULL));
  note(self, "create", line);
  for (i = 0; i < sizeof(routes) / sizeof(routes[0]); ++i) {
    tenon_code code = add_route(self, routes[i].method, routes[i].pattern, routes[i].body,
                                routes[i].flags, routes[i].fn, error);
    if (code != TENON_OK) return code;
  }
  self->plugin.size = sizeof(self->plugin);
  self->plugin.impl = self;
  self->plugin.start = start;
  self->plugin.quiesce = quiesce;
  self->plugin.stop = stop;
  self->plugin.destroy = destroy;
  *plugin = &self->plugin;
  return TENON_OK;
}

TENON_PLUGIN_FACTS(PLUGIN_ID, PLUGIN_VERSION, 9);

extern const tenon_plugin_entry tenon_plugin_entry_v1;
TENON_EXPORT const tenon_plugin_entry tenon_plugin_entry_v1 = {
    TENON_ENTRY_MAGIC,
    sizeof(tenon_plugin_entry),
    TENON_ABI_MAJOR,
    TENON_ABI_MINOR,
    9,
    0,
    0,
    {PLUGIN_ID, sizeof(PLUGIN_ID) - 1},
    {PLUGIN_VERSION, sizeof(PLUGIN_VERSION) - 1},
    create,
};
