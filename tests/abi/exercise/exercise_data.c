/* The data platform: records and their callbacks, search, events, what a browser may upload. If
 * the host lacks any of it, the plugin has none of these routes. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "exercise.h"

static int has(tenon_span where, const char* part) {
  const uint64_t size = strlen(part);
  for (uint64_t at = 0; at + size <= where.size; ++at) {
    if (memcmp(where.data + at, part, size) == 0) return 1;
  }
  return 0;
}

static void take(void* ctx, tenon_span part) TENON_NOEXCEPT {
  text_add_span(ctx, part);
}

static tenon_tables_actor actor_of(const tenon_http_request* request) {
  const tenon_tables_actor who = {.size = sizeof who, .source = request->handle};
  return who;
}

/* Responds with the result of a call, or with its error. */
static tenon_code respond_taken(exercise* self, const tenon_http_request* request, uint32_t status,
                                const text* taken, tenon_code code, const tenon_error* error) {
  if (code < 0) return respond_error(self, request, error);
  return respond_text(self, request, status, taken->size == 0 ? "" : "application/json", taken);
}

static tenon_code handle_insert(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  text taken = {.size = 0};
  const tenon_text_sink sink = {take, &taken};
  const tenon_tables_actor who = actor_of(request);
  const tenon_code code = self->tables->insert(
      self->host, &who, TENON_DB_AUTOCOMMIT, TENON_LITERAL("cards"), request->body, &sink, &error);
  return respond_taken(self, request, 201, &taken, code, &error);
}

static tenon_code handle_get(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  text taken = {.size = 0};
  const tenon_text_sink sink = {take, &taken};
  const tenon_tables_actor who = {.size = sizeof who, .flags = TENON_TABLES_AS_SYSTEM};
  const tenon_code code =
      self->tables->get(self->host, &who, TENON_DB_AUTOCOMMIT, TENON_LITERAL("cards"),
                        request->params[0], &sink, &error);
  return respond_taken(self, request, 200, &taken, code, &error);
}

static tenon_code handle_update(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  text taken = {.size = 0};
  const tenon_text_sink sink = {take, &taken};
  const tenon_tables_actor who = actor_of(request);
  const tenon_span any = {NULL, 0};
  const tenon_code code =
      self->tables->update(self->host, &who, TENON_DB_AUTOCOMMIT, TENON_LITERAL("cards"),
                           request->params[0], request->body, any, &sink, &error);
  return respond_taken(self, request, 200, &taken, code, &error);
}

static tenon_code handle_remove(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  const text nothing = {.size = 0};
  const tenon_tables_actor who = actor_of(request);
  const tenon_span any = {NULL, 0};
  const tenon_code code =
      self->tables->remove(self->host, &who, TENON_DB_AUTOCOMMIT, TENON_LITERAL("cards"),
                           request->params[0], any, NULL, &error);
  return respond_taken(self, request, 204, &nothing, code, &error);
}

static tenon_code handle_list(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  text taken = {.size = 0};
  const tenon_text_sink sink = {take, &taken};
  const tenon_tables_actor who = actor_of(request);
  const tenon_cell state = text_cell(request->params[0]);
  tenon_tables_query query;
  memset(&query, 0, sizeof query);
  query.size = sizeof query;
  query.table = TENON_LITERAL("cards");
  query.filter = TENON_LITERAL("state = ?");
  query.values = &state;
  query.value_count = 1;
  query.sort = TENON_LITERAL("title");
  query.fields = TENON_LITERAL("title,stamp");
  const tenon_code code =
      self->tables->list(self->host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, &error);
  return respond_taken(self, request, 200, &taken, code, &error);
}

static tenon_code handle_find(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  text taken = {.size = 0};
  const tenon_text_sink sink = {take, &taken};
  const tenon_tables_actor who = actor_of(request);
  const tenon_span cards = TENON_LITERAL("cards");
  tenon_search_query query;
  memset(&query, 0, sizeof query);
  query.size = sizeof query;
  query.text = request->params[0];
  query.tables = &cards;
  query.table_count = 1;
  query.limit = 10;
  const tenon_code code =
      self->search->find(self->host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, &error);
  return respond_taken(self, request, 200, &taken, code, &error);
}

static tenon_code before_write(void* ctx, const tenon_tables_write* write,
                               tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = ctx;
  if (has(write->change, "refuse me")) {
    return self->tables->reject_field(self->host, write->handle, TENON_LITERAL("title"),
                                      TENON_LITERAL("refused"), TENON_LITERAL("So it wanted."));
  }
  return self->tables->set(self->host, write->handle, TENON_LITERAL("{\"stamp\":\"stamped\"}"),
                           error);
}

static tenon_code after_write(void* ctx, tenon_span table,
                              const tenon_tables_change* const* changes, uint32_t change_count,
                              tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = ctx;
  (void)table;
  (void)error;
  for (uint32_t i = 0; i < change_count; ++i)
    atomic_fetch_add(&self->change_count, changes[i]->operation == TENON_TABLES_DELETE ? 100 : 1);
  return TENON_OK;
}

static tenon_code extend(void* ctx, const tenon_tables_page* page,
                         tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = ctx;
  for (uint32_t i = 0; i < page->count; ++i) {
    char extra[40];
    snprintf(extra, sizeof extra, "{\"index\":%u}", i);
    const tenon_code code =
        self->tables->add_extra(self->host, page->handle, i, zero_terminated(extra), error);
    if (code < 0) return code;
  }
  return TENON_OK;
}

static tenon_code handle_change_count(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  text body = {.size = 0};
  text_add_number(&body, atomic_load(&self->change_count));
  return respond_text(self, request, 200, "text/plain; charset=utf-8", &body);
}

/* Publishes twice: in a transaction to all users, and at once to the caller. */
static tenon_code handle_publish(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_handle transaction = 0;
  tenon_event event;
  memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.flags = TENON_EVENTS_TO_ALL;
  event.topic = TENON_LITERAL("ticks");
  event.data = request->body;
  tenon_code code = self->db->begin(self->host, TENON_DB_WRITE, 0, &transaction, &error);
  if (code >= 0) {
    code = self->events->publish(self->host, transaction, &event, &error);
    if (code < 0)
      self->db->rollback(self->host, transaction);
    else
      code = self->db->commit(self->host, transaction, &error);
  }
  if (code >= 0) {
    event.flags = 0;
    event.users = &request->user_id;
    event.user_count = 1;
    code = self->events->publish(self->host, TENON_DB_AUTOCOMMIT, &event, &error);
  }
  return code < 0 ? respond_error(self, request, &error)
                  : respond_text(self, request, 204, "", NULL);
}

static tenon_code migrate(void* ctx, const tenon_db_migration_batch* batch,
                          tenon_db_migration_progress* progress,
                          tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = ctx;
  progress->done = batch->done + 1;
  progress->total = 1;
  const tenon_code code = self->db->exec(
      self->host, batch->transaction,
      TENON_LITERAL("INSERT INTO marks (id, name) VALUES ('00000000-0000-7000-8000-000000000000', "
                    "'migrated')"),
      NULL, 0, NULL, error);
  return code < 0 ? code : TENON_DONE;
}

static tenon_code handle_mark(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  text taken = {.size = 0};
  const tenon_text_sink sink = {take, &taken};
  uint32_t engine = 0;
  tenon_code code = self->db->engine(self->host, &engine);
  const tenon_cell cell = {.type = TENON_CELL_INTEGER, .as = {.integer = engine}};
  if (code >= 0)
    code = self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, TENON_DB_JSON_ROW,
                                TENON_LITERAL("SELECT name, ?1 AS engine FROM marks"), &cell, 1,
                                &sink, &error);
  return respond_taken(self, request, 200, &taken, code, &error);
}

static const listed_route routes[] = {
    {"/card", "", handle_insert, 0, TENON_HTTP_POST, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_JSON, 0},
    {"/card/{id}", "", handle_get, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_NONE,
     0},
    {"/card/{id}", "", handle_update, 0, TENON_HTTP_PATCH, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_JSON, 0},
    {"/card/{id}", "", handle_remove, 0, TENON_HTTP_DELETE, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/cards-of/{state}", "", handle_list, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/find/{words}", "", handle_find, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/told", "", handle_change_count, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/tell", "", handle_publish, 0, TENON_HTTP_POST, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_JSON,
     0},
    {"/mark", "", handle_mark, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_NONE, 0},
};

tenon_code add_data(exercise* self, tenon_error* error) {
  if (self->tables == NULL || self->search == NULL || self->events == NULL || self->blobs == NULL ||
      self->jobs == NULL)
    return TENON_OK;
  const tenon_span cards = TENON_LITERAL("cards");
  const tenon_tables_before before = {before_write, self, NULL};
  const tenon_tables_after after = {after_write, self, NULL};
  const tenon_tables_extender extender = {extend, self, NULL};
  const tenon_db_migration migration = {migrate, self, NULL};
  const tenon_events_topic topic = {.size = sizeof topic,
                                    .name = TENON_LITERAL("ticks"),
                                    .permission = TENON_LITERAL(TENON_PLUGIN_ID ".read")};
  tenon_code code = self->tables->before_write(
      self->host, cards, TENON_TABLES_CREATE | TENON_TABLES_UPDATE, &before, error);
  if (code >= 0) code = self->tables->after_write(self->host, cards, &after, error);
  if (code >= 0) code = self->tables->extend(self->host, cards, &extender, error);
  if (code >= 0) code = self->db->migrate(self->host, 1, TENON_LITERAL("mark"), &migration, error);
  if (code >= 0) code = self->events->declare(self->host, &topic, error);
  if (code >= 0) code = add_listed(self, routes, sizeof routes / sizeof routes[0], error);
  return code < 0 ? code : add_work(self, error);
}
