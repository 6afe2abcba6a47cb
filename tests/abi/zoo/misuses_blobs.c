/* Uses blobs in every wrong way, and says which code came back. */
#include <stdatomic.h>
#include <stdio.h>

#include <tenon/blobs.h>

#include "zoo.h"

static const tenon_blobs* blobs;
static char when_made[512];
static _Atomic tenon_code second_response;

static void add(char* list, size_t capacity, const char* name, tenon_code code) {
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

static tenon_code put(const char* content, tenon_blob* blob) {
  tenon_handle writer = 0;
  tenon_code code = blobs->create(zoo_host, &writer, NULL);
  if (code >= 0) code = blobs->write(zoo_host, writer, zoo_span(content), NULL);
  memset(blob, 0, sizeof *blob);
  blob->size = sizeof *blob;
  return code < 0 ? code : blobs->finish(zoo_host, writer, blob, NULL);
}

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[2048] = "";
  const tenon_span broken = {NULL, 5};
  const tenon_handle mine = request->handle;
  const char* const none = "0000000000000000000000000000000000000000000000000000000000000000";
  char buffer[8];
  uint64_t size = 77;
  tenon_handle writer = 0;
  tenon_handle reader = 0;
  tenon_blob blob;
#define TRY(name, call) add(list, sizeof list, name, blobs->call)
  TRY("null_writer", create(zoo_host, NULL, NULL));
  TRY("null_host", create(NULL, &writer, NULL));
  TRY("made_up", write(zoo_host, 1, zoo_span("x"), NULL));
  TRY("none", write(zoo_host, 0, zoo_span("x"), NULL));
  TRY("request_as_writer", write(zoo_host, mine, zoo_span("x"), NULL));
  TRY("create", create(zoo_host, &writer, NULL));
  TRY("null_bytes", write(zoo_host, writer, broken, NULL));
  TRY("writer_as_reader", read(zoo_host, writer, 0, buffer, 8, &size, NULL));
  TRY("write", write(zoo_host, writer, zoo_span("misused"), NULL));
  TRY("finish", finish(zoo_host, writer, NULL, NULL));
  TRY("write_over", write(zoo_host, writer, zoo_span("x"), NULL));
  TRY("finish_over", finish(zoo_host, writer, NULL, NULL));
  TRY("abort_over", abort(zoo_host, writer));
  blobs->create(zoo_host, &writer, NULL);
  TRY("abort", abort(zoo_host, writer));
  TRY("abort_twice", abort(zoo_host, writer));
  TRY("null_id", open(zoo_host, broken, &reader, NULL, NULL));
  TRY("no_such", open(zoo_host, zoo_span(none), &reader, NULL, NULL));
  TRY("path", open(zoo_host, zoo_span("../../tenon.db"), &reader, NULL, NULL));
  put("readable", &blob);
  TRY("null_reader", open(zoo_host, zoo_span(blob.id), NULL, NULL, NULL));
  TRY("open", open(zoo_host, zoo_span(blob.id), &reader, NULL, NULL));
  TRY("null_buffer", read(zoo_host, reader, 0, NULL, 8, &size, NULL));
  TRY("null_size", read(zoo_host, reader, 0, buffer, 8, NULL, NULL));
  TRY("too_much", read(zoo_host, reader, 0, buffer, (UINT64_C(16) << 20) + 1, &size, NULL));
  TRY("end", read(zoo_host, reader, 8, buffer, 8, &size, NULL));
  TRY("far_past_end", read(zoo_host, reader, UINT64_MAX, buffer, 8, &size, NULL));
  TRY("close", close(zoo_host, reader));
  TRY("read_over", read(zoo_host, reader, 0, buffer, 8, &size, NULL));
  TRY("close_twice", close(zoo_host, reader));
  TRY("empty_key", claim(zoo_host, zoo_span(blob.id), zoo_span(""), NULL));
  TRY("claim_none", claim(zoo_host, zoo_span(none), zoo_span("k"), NULL));
  TRY("release_none", release(zoo_host, zoo_span(none), zoo_span("k"), NULL));
  TRY("null_blob", stat(zoo_host, zoo_span(blob.id), NULL, NULL));
  TRY("not_uploaded", check_uploader(zoo_host, zoo_span(blob.id), zoo_span("x"), NULL));
  TRY("late", accept_uploads(zoo_host, NULL, NULL));
  TRY("respond_none", respond(zoo_host, mine, zoo_span(none), zoo_span(""), 0, NULL));
  TRY("respond_flags", respond(zoo_host, mine, zoo_span(blob.id), zoo_span(""), 8, NULL));
  TRY("respond_name", respond(zoo_host, mine, zoo_span(blob.id), zoo_span("a\r\nb"), 0, NULL));
  TRY("respond_stray", respond(zoo_host, mine + 1, zoo_span(blob.id), zoo_span(""), 0, NULL));
#undef TRY
  add(list, sizeof list, "size", (tenon_code)size);
  return zoo_respond(mine, list);
}

/* A shorter struct of an older ABI: the bytes after its end are not written. */
static tenon_code handle_short(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_blob blob;
  put("short", &blob);
  tenon_blob small;
  memset(&small, 'x', sizeof small);
  small.size = 16;
  blobs->stat(zoo_host, zoo_span(blob.id), &small, NULL);
  const int is_kept = small.bytes == 5 && small.size == 16 && small.id[0] == 'x';
  return zoo_respond(request->handle, is_kept ? "kept" : "overwritten");
}

static tenon_code handle_hoard(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_handle writers[200];
  tenon_handle readers[400];
  tenon_blob blob;
  int written = 0;
  int read = 0;
  tenon_code writing = TENON_OK;
  tenon_code reading = TENON_OK;
  put("hoarded", &blob);
  while (written < 200 && (writing = blobs->create(zoo_host, &writers[written], NULL)) >= 0)
    ++written;
  while (read < 400 &&
         (reading = blobs->open(zoo_host, zoo_span(blob.id), &readers[read], NULL, NULL)) >= 0)
    ++read;
  for (int i = 0; i < written; ++i)
    blobs->abort(zoo_host, writers[i]);
  for (int i = 0; i < read; ++i)
    blobs->close(zoo_host, readers[i]);
  char text[96];
  snprintf(text, sizeof text, "%d writers %d, %d readers %d", written, writing, read, reading);
  return zoo_respond(request->handle, text);
}

/* Leaves a writer and a reader open, for the host to close at stop. */
static tenon_code handle_leave(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_handle left = 0;
  tenon_blob blob;
  put("left", &blob);
  blobs->open(zoo_host, zoo_span(blob.id), &left, NULL, NULL);
  blobs->create(zoo_host, &left, NULL);
  blobs->write(zoo_host, left, zoo_span("never finished"), NULL);
  return zoo_respond(request->handle, "left");
}

static tenon_code handle_inline(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_handle writer = 0;
  char list[64] = "";
  add(list, sizeof list, "create", blobs->create(zoo_host, &writer, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code handle_twice(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_blob blob;
  put("twice", &blob);
  const tenon_code code =
      blobs->respond(zoo_host, request->handle, zoo_span(blob.id), zoo_span("twice.txt"), 0, NULL);
  second_response =
      blobs->respond(zoo_host, request->handle, zoo_span(blob.id), zoo_span(""), 0, NULL);
  return code;
}

static tenon_code handle_made(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char text[600];
  snprintf(text, sizeof text, "%stwice=%d", when_made, (int)atomic_load(&second_response));
  return zoo_respond(request->handle, text);
}

static void accept_wrongly(void) {
  const tenon_span types[] = {TENON_LITERAL("image/svg+xml")};
  tenon_handle writer = 0;
  tenon_blobs_uploads uploads;
  memset(&uploads, 0, sizeof uploads);
  add(when_made, sizeof when_made, "early", blobs->create(zoo_host, &writer, NULL));
  add(when_made, sizeof when_made, "null", blobs->accept_uploads(zoo_host, NULL, NULL));
  add(when_made, sizeof when_made, "small", blobs->accept_uploads(zoo_host, &uploads, NULL));
  uploads.size = sizeof uploads;
  add(when_made, sizeof when_made, "unsaid", blobs->accept_uploads(zoo_host, &uploads, NULL));
  uploads.access = TENON_HTTP_PUBLIC;
  add(when_made, sizeof when_made, "public", blobs->accept_uploads(zoo_host, &uploads, NULL));
  uploads.access = TENON_HTTP_PERMISSION;
  uploads.permission = zoo_span("misuses-blobs.undeclared");
  add(when_made, sizeof when_made, "undeclared", blobs->accept_uploads(zoo_host, &uploads, NULL));
  uploads.access = TENON_HTTP_SIGNED_IN;
  uploads.permission = zoo_span("");
  uploads.types = types;
  uploads.type_count = 1;
  add(when_made, sizeof when_made, "svg", blobs->accept_uploads(zoo_host, &uploads, NULL));
  uploads.type_count = 17;
  add(when_made, sizeof when_made, "many_types", blobs->accept_uploads(zoo_host, &uploads, NULL));
  uploads.type_count = 0;
  uploads.access = TENON_HTTP_PERMISSION;
  uploads.permission = zoo_span("misuses-blobs.use");
  add(when_made, sizeof when_made, "accepted", blobs->accept_uploads(zoo_host, &uploads, NULL));
  add(when_made, sizeof when_made, "again", blobs->accept_uploads(zoo_host, &uploads, NULL));
  add(when_made, sizeof when_made, "same_route",
      zoo_route("/blobs/uploads/{other}", handle_made, NULL));
}

static tenon_code register_routes(tenon_error* error) {
  blobs = zoo_host->get_interface(zoo_host, zoo_span(TENON_BLOBS_ID),
                                  TENON_NEED(tenon_blobs, check_uploader));
  if (blobs == NULL) return TENON_E_UNSUPPORTED;
  when_made[0] = 0;
  accept_wrongly();
  tenon_http_route quick;
  memset(&quick, 0, sizeof quick);
  quick.size = sizeof quick;
  quick.method = TENON_HTTP_GET;
  quick.pattern = zoo_span("/inline");
  quick.access = TENON_HTTP_PUBLIC;
  quick.flags = TENON_HTTP_INLINE;
  quick.handler.fn = handle_inline;
  tenon_code code = zoo_http->add_route(zoo_host, &quick, error);
  if (code >= 0) code = zoo_route("/try", handle_try, error);
  if (code >= 0) code = zoo_route("/short", handle_short, error);
  if (code >= 0) code = zoo_route("/hoard", handle_hoard, error);
  if (code >= 0) code = zoo_route("/leave", handle_leave, error);
  if (code >= 0) code = zoo_route("/twice", handle_twice, error);
  return code < 0 ? code : zoo_route("/made", handle_made, error);
}

ZOO_PLUGIN(register_routes);
