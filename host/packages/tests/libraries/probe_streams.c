/* Streamed responses and bodies. */
#include <stdatomic.h>

#include "probe.h"

/* A streamed response of ?n= pieces of 1,000 bytes, or one that is never ended with ?open=1. */
typedef struct stream {
  probe* self;
  tenon_handle request;
  long left;
  int over;
  _Atomic unsigned signs; /* writable signals that were not handled yet */
  _Atomic int references; /* the host's callback and the handler */
} stream;

static void write_more(stream* own) {
  char piece[1000];
  tenon_span span = {piece, sizeof(piece)};
  memset(piece, 's', sizeof(piece));
  while (own->left > 0) {
    tenon_code code = own->self->http->write(own->self->host, own->request, span);
    --own->left;
    if (code == TENON_E_CLOSED) {
      note(own->self, "stream-closed", "");
      own->over = 1;
      own->self->http->end(own->self->host, own->request, TENON_E_CLOSED);
      return;
    }
    if (code == TENON_FULL) return;
  }
  own->over = 1;
  own->self->http->end(own->self->host, own->request, TENON_OK);
}

/* It comes while a piece is still being written where the reader leaves then. */
static void wake(void* ctx) {
  stream* own = ctx;
  unsigned signs = atomic_fetch_add(&own->signs, 1) + 1;
  if (signs != 1) return;
  do {
    if (!own->over) write_more(own);
  } while (!atomic_compare_exchange_strong(&own->signs, &signs, 0));
}

static void release(stream* own) {
  if (atomic_fetch_sub(&own->references, 1) == 1) free(own);
}

static void drop_stream(void* ctx) {
  stream* own = ctx;
  note(own->self, "drop", "stream");
  release(own);
}

tenon_code streams(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_http_response head;
  tenon_callback writable;
  stream* own = calloc(1, sizeof(*own));
  tenon_code code;
  own->self = self;
  own->request = request->handle;
  own->left = number_in(request->query, "n");
  atomic_init(&own->references, 2);
  memset(&head, 0, sizeof(head));
  head.size = sizeof(head);
  head.status = 200;
  head.content_type = TENON_LITERAL("text/plain");
  writable.fn = wake;
  writable.ctx = own;
  writable.drop = drop_stream;
  code = self->http->begin(self->host, request->handle, &head, TENON_HTTP_NO_LENGTH, &writable);
  if (code == TENON_OK) {
    if (!number_in(request->query, "open"))
      wake(own);
    else
      self->http->write(self->host, request->handle, text("begun"));
    note(self, "streaming", "");
  }
  release(own);
  return code == TENON_OK ? TENON_PENDING : code;
}

/* Counts a streamed body. ?refuse=N gives it up after N bytes, ?early=1 responds at once. */
typedef struct upload {
  probe* self;
  tenon_handle request;
  unsigned long long bytes;
  long refuse;
  int early;
} upload;

static tenon_code take(void* ctx, tenon_span bytes) {
  upload* own = ctx;
  own->bytes += bytes.size;
  if (own->refuse && own->bytes >= (unsigned long long)own->refuse) {
    respond_text(own->self, own->request, 413, "refused");
    return TENON_E_TOO_LARGE;
  }
  return TENON_OK;
}

static void taken(void* ctx, tenon_code how) {
  upload* own = ctx;
  char body[64];
  snprintf(body, sizeof(body), "%d", how);
  note(own->self, "body-end", body);
  if (how == TENON_OK && !own->early) {
    snprintf(body, sizeof(body), "%llu", own->bytes);
    respond_text(own->self, own->request, 200, body);
  }
}

static void drop_upload(void* ctx) {
  upload* own = ctx;
  note(own->self, "drop", "body");
  free(own);
}

tenon_code uploads(void* ctx, const tenon_http_request* request) {
  probe* self = ((route_data*)ctx)->self;
  tenon_http_body_sink sink;
  tenon_code code;
  upload* own = calloc(1, sizeof(*own));
  own->self = self;
  own->request = request->handle;
  own->refuse = number_in(request->query, "refuse");
  own->early = (int)number_in(request->query, "early");
  sink.data = take;
  sink.end = taken;
  sink.ctx = own;
  sink.drop = drop_upload;
  code = self->http->read_body(self->host, request->handle, &sink);
  if (code != TENON_OK) return code;
  note(self, "upload", "");
  if (number_in(request->query, "early")) return respond_text(self, request->handle, 200, "early");
  return TENON_PENDING;
}
