/* Streamed responses and request bodies. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"

typedef struct stream {
  exercise* owner;
  tenon_handle request;
  int64_t line;
  int64_t last;
  int over;
  atomic_int references;
  atomic_uint signs; /* how often more was requested since a pump began */
} stream;

static void stream_drop(void* ctx) TENON_NOEXCEPT {
  stream* const self = ctx;
  if (atomic_fetch_sub(&self->references, 1) == 1) free(self);
}

static void stream_pump(stream* self) {
  const tenon_http* const http = self->owner->http;
  while (!self->over) {
    if (self->line == self->last) {
      self->over = 1;
      http->end(self->owner->host, self->request, TENON_OK);
      return;
    }
    char bytes[32];
    const int size = snprintf(bytes, sizeof bytes, "line %lld\n", (long long)++self->line);
    const tenon_span piece = {bytes, (uint64_t)size};
    const tenon_code code = http->write(self->owner->host, self->request, piece);
    if (code < 0) {
      self->over = 1;
      http->end(self->owner->host, self->request, TENON_E_CLOSED);
    }
    if (code == TENON_FULL) return;
  }
}

/* "Writable" may come while a piece is made: then the thread that makes it continues. */
static void stream_wake(void* ctx) TENON_NOEXCEPT {
  stream* const self = ctx;
  unsigned signs = atomic_fetch_add(&self->signs, 1) + 1;
  if (signs != 1) return;
  do {
    stream_pump(self);
  } while (!atomic_compare_exchange_strong(&self->signs, &signs, 0));
}

tenon_code handle_stream(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  stream* const made = calloc(1, sizeof *made);
  if (made == NULL) return TENON_E_MEMORY;
  made->owner = self;
  made->request = request->handle;
  made->last = query_number(request, "lines", 10);
  atomic_init(&made->references, 2);
  tenon_http_response head;
  memset(&head, 0, sizeof head);
  head.size = sizeof head;
  head.status = 200;
  head.content_type = TENON_LITERAL("text/plain");
  const tenon_callback writable = {stream_wake, made, stream_drop};
  const tenon_code code =
      self->http->begin(self->host, request->handle, &head, TENON_HTTP_NO_LENGTH, &writable);
  if (code == TENON_OK) stream_wake(made);
  stream_drop(made);
  return code < 0 ? code : TENON_PENDING;
}

typedef struct upload {
  exercise* owner;
  tenon_handle request;
  uint64_t bytes;
  uint32_t sum;
  uint32_t reserved;
} upload;

static tenon_code upload_data(void* ctx, tenon_span piece) TENON_NOEXCEPT {
  upload* const self = ctx;
  for (uint64_t i = 0; i < piece.size; ++i)
    self->sum = (self->sum ^ (unsigned char)piece.data[i]) * 16777619u;
  self->bytes += piece.size;
  return TENON_OK;
}

static void upload_end(void* ctx, tenon_code how) TENON_NOEXCEPT {
  upload* const self = ctx;
  if (how == TENON_E_TOO_LARGE) {
    respond_problem(self->owner, self->request, 413, "request.too_large", "The body is too large.");
  } else if (how == TENON_OK) {
    text body = {.size = 0};
    text_add(&body, "{\"bytes\":");
    text_add_number(&body, (int64_t)self->bytes);
    text_add(&body, ",\"sum\":");
    text_add_number(&body, self->sum);
    text_add(&body, "}");
    const tenon_http_request request = {.size = sizeof request, .handle = self->request};
    respond_text(self->owner, &request, 200, "application/json", &body);
  }
}

static void upload_drop(void* ctx) TENON_NOEXCEPT {
  free(ctx);
}

tenon_code handle_upload(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  upload* const made = calloc(1, sizeof *made);
  if (made == NULL) return TENON_E_MEMORY;
  made->owner = self;
  made->request = request->handle;
  made->sum = 2166136261u;
  const tenon_http_body_sink sink = {upload_data, upload_end, made, upload_drop};
  const tenon_code code = self->http->read_body(self->host, request->handle, &sink);
  return code < 0 ? code : TENON_PENDING;
}
