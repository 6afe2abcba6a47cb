/* Uses of the host that are wrong, too many, or of another age. */
#include "probe.h"

/* Uses http in every wrong way and reports the codes. */
static tenon_code takes_nothing(void* ctx, tenon_span bytes) {
  (void)ctx;
  (void)bytes;
  return TENON_E_INTERNAL;
}

static void ends(void* ctx, tenon_code how) {
  (void)ctx;
  (void)how;
}

tenon_code misuses_http(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  const tenon_http* http = self->http;
  tenon_http_response response;
  tenon_http_field field = {TENON_LITERAL("X-Good"), TENON_LITERAL("a\r\nSet-Cookie: x")};
  tenon_http_problem problem;
  char list[1024] = "";
  memset(&response, 0, sizeof(response));
  add(list, sizeof(list), "null_response", http->respond(self->host, request->handle, NULL));
  add(list, sizeof(list), "small_response", http->respond(self->host, request->handle, &response));
  response.size = sizeof(response);
  response.status = 99;
  add(list, sizeof(list), "status", http->respond(self->host, request->handle, &response));
  response.status = 200;
  response.fields = &field;
  response.field_count = 1;
  add(list, sizeof(list), "line_break", http->respond(self->host, request->handle, &response));
  field.value = TENON_LITERAL("x");
  field.name = TENON_LITERAL("Set-Cookie");
  add(list, sizeof(list), "forbidden", http->respond(self->host, request->handle, &response));
  field.name = TENON_LITERAL("no token");
  add(list, sizeof(list), "name", http->respond(self->host, request->handle, &response));
  response.fields = NULL;
  add(list, sizeof(list), "null_fields", http->respond(self->host, request->handle, &response));
  response.field_count = 0;
  response.body.size = 5;
  add(list, sizeof(list), "null_body", http->respond(self->host, request->handle, &response));
  response.body.size = 0;
  add(list, sizeof(list), "no_handle", http->respond(self->host, 0, &response));
  add(list, sizeof(list), "made_up",
      http->respond(self->host, request->handle ^ (UINT64_C(1) << 30), &response));
  add(list, sizeof(list), "other_slot", http->respond(self->host, request->handle + 1, &response));
  add(list, sizeof(list), "other_kind",
      http->respond(self->host, request->handle ^ (UINT64_C(3) << 20), &response));
  add(list, sizeof(list), "kept", http->respond(self->host, self->kept, &response));
  add(list, sizeof(list), "write_early", http->write(self->host, request->handle, text("x")));
  add(list, sizeof(list), "end_early", http->end(self->host, request->handle, TENON_OK));
  add(list, sizeof(list), "null_host", http->respond(NULL, request->handle, &response));
  add(list, sizeof(list), "null_sink", http->read_body(self->host, request->handle, NULL));
  add(list, sizeof(list), "late_route", http->add_route(self->host, NULL, NULL));
  memset(&problem, 0, sizeof(problem));
  problem.size = sizeof(problem);
  problem.status = 200;
  problem.code = TENON_LITERAL("probe.x");
  add(list, sizeof(list), "problem_status",
      http->respond_problem(self->host, request->handle, &problem));
  problem.status = 409;
  problem.extra = TENON_LITERAL("[1]");
  add(list, sizeof(list), "problem_extra",
      http->respond_problem(self->host, request->handle, &problem));
  problem.extra = TENON_LITERAL("{\"status\":1}");
  add(list, sizeof(list), "problem_member",
      http->respond_problem(self->host, request->handle, &problem));
  add(list, sizeof(list), "check", http->check(self->host, request->handle));
  self->kept = request->handle;
  {
    char copy[1024];
    tenon_code code = respond_text(self, request->handle, 200, list);
    tenon_http_body_sink sink;
    tenon_user user;
    memset(&sink, 0, sizeof(sink));
    memset(&user, 0, sizeof(user));
    sink.data = takes_nothing;
    sink.end = ends;
    user.size = sizeof(user);
    snprintf(copy, sizeof(copy),
             "first=%d twice=%d check=%d write=%d body=%d who=%d can=%d problem=%d log=%d", code,
             respond_text(self, request->handle, 200, "again"),
             http->check(self->host, request->handle),
             http->write(self->host, request->handle, text("more")),
             http->read_body(self->host, request->handle, &sink),
             self->identity->requester(self->host, request->handle, &user),
             self->identity->can(self->host, request->handle, text(PLUGIN_ID ".use")),
             http->respond_problem(self->host, request->handle, &problem),
             self->log->write(self->host, TENON_LOG_INFO, text("late"), NULL, 0, request->handle));
    note(self, "responded", copy);
  }
  return TENON_OK;
}

typedef struct rival {
  probe* self;
  tenon_handle request;
  tenon_code code;
} rival;

static void* responds_too(void* ctx) {
  rival* other = ctx;
  other->code = respond_text(other->self, other->request, 200, "other");
  return NULL;
}

/* Another thread responds while the handler runs; with "both=1" the handler, too. */
tenon_code competes(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  rival other = {self, request->handle, TENON_E_INTERNAL};
  tenon_code own = TENON_PENDING;
  char line[64];
  pthread_t thread;
  if (pthread_create(&thread, NULL, responds_too, &other) != 0) return TENON_E_INTERNAL;
  if (number_in(request->query, "both")) own = respond_text(self, request->handle, 200, "own");
  pthread_join(thread, NULL);
  snprintf(line, sizeof(line), "own=%d other=%d", own, other.code);
  note(self, "competed", line);
  return own == TENON_PENDING ? TENON_PENDING : TENON_OK;
}

tenon_code misuses_db(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  const tenon_db* db = self->db;
  tenon_error error;
  tenon_handle transaction = 0;
  tenon_handle cursor = 0;
  tenon_db_batch batch;
  tenon_cell cell;
  char list[2048] = "";
  memset(&error, 0, sizeof(error));
  error.size = sizeof(error);
  memset(&batch, 0, sizeof(batch));
  batch.size = sizeof(batch);
  memset(&cell, 0, sizeof(cell));
  add(list, sizeof(list), "mode", db->begin(self->host, 7, 0, &transaction, &error));
  add(list, sizeof(list), "deadline",
      db->begin(self->host, TENON_DB_READ, 70000, &transaction, &error));
  add(list, sizeof(list), "null", db->begin(self->host, TENON_DB_READ, 0, NULL, &error));
  add(list, sizeof(list), "stale",
      db->exec(self->host, 12345, text("SELECT 1"), NULL, 0, NULL, &error));
  add(list, sizeof(list), "request_as_transaction",
      db->exec(self->host, request->handle, text("SELECT 1"), NULL, 0, NULL, &error));
  cell.type = 9;
  add(list, sizeof(list), "cell_type",
      db->exec(self->host, TENON_DB_AUTOCOMMIT, text("SELECT ?1"), &cell, 1, NULL, &error));
  cell.type = TENON_CELL_TEXT;
  cell.size = 4;
  add(list, sizeof(list), "cell_bytes",
      db->exec(self->host, TENON_DB_AUTOCOMMIT, text("SELECT ?1"), &cell, 1, NULL, &error));
  add(list, sizeof(list), "cells_null",
      db->exec(self->host, TENON_DB_AUTOCOMMIT, text("SELECT ?1"), NULL, 1, NULL, &error));
  add(list, sizeof(list), "sql",
      db->exec(self->host, TENON_DB_AUTOCOMMIT, text("SELEC 1"), NULL, 0, NULL, &error));
  note(self, "sql", error.message);
  add(list, sizeof(list), "denied",
      db->exec(self->host, TENON_DB_AUTOCOMMIT, text("PRAGMA journal_mode=OFF"), NULL, 0, NULL,
               &error));
  add(list, sizeof(list), "attach",
      db->exec(self->host, TENON_DB_AUTOCOMMIT, text("ATTACH 'x.db' AS x"), NULL, 0, NULL, &error));
  add(list, sizeof(list), "begin", db->begin(self->host, TENON_DB_WRITE, 0, &transaction, &error));
  add(list, sizeof(list), "query",
      db->query(self->host, transaction, text("SELECT 1 UNION SELECT 2"), NULL, 0, &cursor, &batch,
                &error));
  add(list, sizeof(list), "rows", (tenon_code)(batch.rows * 10 + batch.columns));
  add(list, sizeof(list), "done", db->next(self->host, cursor, &batch, &error));
  add(list, sizeof(list), "rollback", db->rollback(self->host, transaction));
  add(list, sizeof(list), "rollback_twice", db->rollback(self->host, transaction));
  add(list, sizeof(list), "commit_over", db->commit(self->host, transaction, &error));
  add(list, sizeof(list), "cursor_over", db->next(self->host, cursor, &batch, &error));
  add(list, sizeof(list), "close_over", db->close(self->host, cursor));
  return respond_text(self, request->handle, 200, list);
}

/* Opens cursors until no more are given, and leaves them to the end of their transaction; the
 * response is how many there were. */
tenon_code hoards(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_handle transaction;
  tenon_handle cursor;
  unsigned count = 0;
  char body[64];
  tenon_code code = self->db->begin(self->host, TENON_DB_READ, 30000, &transaction, NULL);
  while (code == TENON_OK && count < 2000) {
    tenon_db_batch batch;
    memset(&batch, 0, sizeof(batch));
    batch.size = sizeof(batch);
    code =
        self->db->query(self->host, transaction, text("SELECT 1"), NULL, 0, &cursor, &batch, NULL);
    if (code == TENON_OK) ++count;
  }
  self->db->rollback(self->host, transaction);
  snprintf(body, sizeof(body), "count=%u code=%d", count, code);
  return respond_text(self, request->handle, 200, body);
}

/* Structs of other sizes than the host's: what a plugin of another age would hand over. */
tenon_code sends_other_sizes(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  char list[1024] = "";
  struct {
    tenon_user user;
    char canary[8];
  } longer;
  struct {
    uint32_t size;
    uint32_t flags;
    char id[40];
    char canary[72 + 264];
  } shorter;
  struct {
    tenon_http_response response;
    char more[32];
  } response_of_tomorrow;
  size_t i;
  int is_untouched = 1;
  memset(&longer, 0x55, sizeof(longer));
  longer.user.size = sizeof(longer);
  add(list, sizeof(list), "longer",
      self->identity->requester(self->host, request->handle, &longer.user));
  for (i = 0; i < sizeof(longer.canary); ++i)
    is_untouched = is_untouched && longer.canary[i] == 0x55;
  add(list, sizeof(list), "size_kept", longer.user.size == sizeof(longer));
  memset(&shorter, 0x55, sizeof(shorter));
  shorter.size = 48;
  add(list, sizeof(list), "shorter",
      self->identity->requester(self->host, request->handle, (tenon_user*)(void*)&shorter));
  for (i = 0; i < sizeof(shorter.canary); ++i)
    is_untouched = is_untouched && shorter.canary[i] == 0x55;
  add(list, sizeof(list), "same_id", memcmp(shorter.id, longer.user.id, 40) == 0);
  shorter.size = 8;
  add(list, sizeof(list), "too_short",
      self->identity->requester(self->host, request->handle, (tenon_user*)(void*)&shorter));
  add(list, sizeof(list), "untouched", is_untouched);
  add(list, sizeof(list), "unknown_interface",
      self->host->get_interface(self->host, text("tenon.future/1"), 8) == NULL);
  add(list, sizeof(list), "larger_need",
      self->host->get_interface(self->host, text(TENON_HTTP_ID), sizeof(tenon_http) + 8) == NULL);
  add(list, sizeof(list), "smaller_need",
      self->host->get_interface(self->host, text(TENON_HTTP_ID), TENON_NEED(tenon_http, respond)) ==
          self->http);
  memset(&response_of_tomorrow, 0xff, sizeof(response_of_tomorrow));
  memset(&response_of_tomorrow.response, 0, sizeof(response_of_tomorrow.response));
  response_of_tomorrow.response.size = sizeof(response_of_tomorrow);
  response_of_tomorrow.response.status = 200;
  response_of_tomorrow.response.body = text(list);
  return self->http->respond(self->host, request->handle, &response_of_tomorrow.response);
}
