/* Rows as JSON, and queued writes. */
#include "probe.h"

typedef struct json_response {
  probe* self;
  tenon_handle request;
} json_response;

static void take_json(void* ctx, tenon_span json) {
  json_response* to = ctx;
  respond_with(to->self, to->request, 200, json.data, json.size);
}

/* ?shape=: 1 all rows, 2 the first, 3 the first of none, 4 what is refused. */
tenon_code shows_json(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  json_response to = {self, request->handle};
  const tenon_text_sink sink = {take_json, &to};
  const tenon_text_sink none = {NULL, NULL};
  const long shape = number_in(request->query, "shape");
  char body[512] = "";
  tenon_error error;
  tenon_code code;
  memset(&error, 0, sizeof(error));
  error.size = sizeof(error);
  if (shape == 4) {
    add(body, sizeof(body), "shape",
        self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, 3, text("SELECT 1"), NULL, 0, &sink,
                             NULL));
    add(body, sizeof(body), "sink",
        self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, 1, text("SELECT 1"), NULL, 0, NULL,
                             NULL));
    add(body, sizeof(body), "fn",
        self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, 1, text("SELECT 1"), NULL, 0, &none,
                             NULL));
    add(body, sizeof(body), "sql",
        self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, 1, text("SELEC 1"), NULL, 0, &sink,
                             NULL));
    add(body, sizeof(body), "writes",
        self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, 1, text("DELETE FROM rows"), NULL, 0,
                             &sink, NULL));
    add(body, sizeof(body), "json",
        self->db->query_json(self->host, TENON_DB_AUTOCOMMIT, 1, text("SELECT 'x' AS \"a:json\""),
                             NULL, 0, &sink, NULL));
    add(body, sizeof(body), "stale",
        self->db->query_json(self->host, 12345, 1, text("SELECT 1"), NULL, 0, &sink, NULL));
    return respond_text(self, request->handle, 200, body);
  }
  code = self->db->query_json(
      self->host, TENON_DB_AUTOCOMMIT, shape == 1 ? TENON_DB_JSON_ROWS : TENON_DB_JSON_ROW,
      shape == 3 ? text("SELECT body FROM rows WHERE 0")
                 : text("SELECT body, 1 AS \"is_row:boolean\" FROM rows ORDER BY rowid"),
      NULL, 0, &sink, &error);
  if (code == TENON_OK) return TENON_OK;
  snprintf(body, sizeof(body), "code=%d %s", code, error.message);
  return respond_text(self, request->handle, 200, body);
}

typedef struct queued {
  probe* self;
  tenon_handle request;
  long mode;
  char said[256];
} queued;

/* ?mode=: 0 keeps, 1 fails, 2 undoes, 3 breaks a constraint and continues to fail, 4 tries calls
   that would wait. */
static tenon_code work(void* ctx, tenon_handle transaction) {
  queued* write = ctx;
  const probe* self = write->self;
  tenon_error error;
  tenon_handle other = 0;
  tenon_handle cursor = 0;
  tenon_db_batch batch;
  tenon_cell cell;
  tenon_code code;
  memset(&error, 0, sizeof(error));
  error.size = sizeof(error);
  memset(&cell, 0, sizeof(cell));
  memset(&batch, 0, sizeof(batch));
  batch.size = sizeof(batch);
  cell.type = TENON_CELL_TEXT;
  cell.as.bytes = "queued";
  cell.size = 6;
  code = self->db->exec(
      self->host, transaction,
      write->mode == 3 ? text("INSERT INTO rows(id, body) SELECT id, ?1 FROM rows")
                       : text("INSERT INTO rows(id, body) VALUES('11111111-0000-7000-8000-' || "
                              "printf('%012d', (SELECT count(*) FROM rows)), ?1)"),
      &cell, 1, NULL, &error);
  add(write->said, sizeof(write->said), "exec", code);
  if (code != TENON_OK) return code;
  if (write->mode == 1) return TENON_E_NOT_FOUND;
  if (write->mode == 2)
    add(write->said, sizeof(write->said), "rollback", self->db->rollback(self->host, transaction));
  if (write->mode == 4) {
    add(write->said, sizeof(write->said), "begin",
        self->db->begin(self->host, TENON_DB_WRITE, 0, &other, NULL));
    add(write->said, sizeof(write->said), "own",
        self->db->exec(self->host, TENON_DB_AUTOCOMMIT, text("DELETE FROM rows"), NULL, 0, NULL,
                       NULL));
    add(write->said, sizeof(write->said), "commit",
        self->db->commit(self->host, transaction, NULL));
    add(write->said, sizeof(write->said), "query",
        self->db->query(self->host, transaction, text("SELECT count(*) FROM rows"), NULL, 0,
                        &cursor, &batch, NULL));
    add(write->said, sizeof(write->said), "close", self->db->close(self->host, cursor));
  }
  return TENON_OK;
}

static void done(void* ctx, tenon_code code, const tenon_error* error) {
  queued* write = ctx;
  tenon_handle other = 0;
  char body[512];
  snprintf(body, sizeof(body), "%sdone=%d error=%s wait=%d", write->said, code,
           error ? error->name : "",
           write->self->db->begin(write->self->host, TENON_DB_READ, 0, &other, NULL));
  respond_text(write->self, write->request, 200, body);
}

static void drop(void* ctx) {
  queued* write = ctx;
  note(write->self, "dropped", "");
  free(write);
}

tenon_code queues(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  queued* write = calloc(1, sizeof(*write));
  tenon_db_work given = {work, done, write, drop};
  tenon_code code;
  char body[64] = "";
  write->self = self;
  write->request = request->handle;
  write->mode = number_in(request->query, "mode");
  if (write->mode == 5) {
    given.done = NULL;
    add(body, sizeof(body), "done", self->db->queue_write(self->host, 0, &given, NULL));
    add(body, sizeof(body), "none", self->db->queue_write(self->host, 0, NULL, NULL));
    given.ctx = calloc(1, sizeof(*write));
    ((queued*)given.ctx)->self = self;
    given.done = done;
    add(body, sizeof(body), "deadline", self->db->queue_write(self->host, 60001, &given, NULL));
    return respond_text(self, request->handle, 200, body);
  }
  code = self->db->queue_write(self->host, 0, &given, NULL);
  if (code == TENON_OK) return TENON_PENDING;
  add(body, sizeof(body), "write", code);
  return respond_text(self, request->handle, 200, body);
}
