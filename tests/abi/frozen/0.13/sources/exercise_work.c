/* Jobs, files, and writes that no request waits for. Part of what exercise_data.c adds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"

static tenon_code run_count(void* ctx, const tenon_job_run* run,
                            tenon_error* error) TENON_NOEXCEPT {
  exercise* const self = ctx;
  (void)error;
  self->jobs->progress(self->host, run->handle, 1, 1, TENON_LITERAL("counted"));
  return self->jobs->is_cancelled(self->host, run->handle) == 0 ? TENON_JOBS_DONE
                                                                : TENON_JOBS_RETRY;
}

static tenon_code respond_plain(exercise* self, const tenon_http_request* request,
                                const char* words) {
  text body = {.size = 0};
  text_add(&body, words);
  return respond_text(self, request, 200, "text/plain; charset=utf-8", &body);
}

/* With ?later=true in the year 2100, so that it can be cancelled. */
static tenon_code handle_enqueue(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_job_receipt receipt = {.size = sizeof receipt};
  tenon_job_request order;
  memset(&order, 0, sizeof order);
  order.size = sizeof order;
  order.kind = TENON_LITERAL("count");
  order.payload = request->body;
  if (query_number(request, "later", 0) != 0) order.run_at_ms = INT64_C(4102444800000);
  if (self->jobs->enqueue(self->host, &order, &receipt, &error) < 0)
    return respond_error(self, request, &error);
  return respond_plain(self, request, receipt.id);
}

static tenon_code respond_job(exercise* self, const tenon_http_request* request,
                              const tenon_job* job) {
  char words[600];
  snprintf(words, sizeof words, "%u %u %s", job->state, job->attempts, job->text);
  return respond_plain(self, request, words);
}

static tenon_code handle_find_job(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_job job = {.size = sizeof job};
  if (self->jobs->find(self->host, request->params[0], &job, &error) < 0)
    return respond_error(self, request, &error);
  return respond_job(self, request, &job);
}

static tenon_code handle_cancel_job(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_job job = {.size = sizeof job};
  if (self->jobs->cancel(self->host, request->params[0], &job, &error) < 0)
    return respond_error(self, request, &error);
  return respond_job(self, request, &job);
}

static tenon_code handle_put_blob(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_handle dropped = 0;
  tenon_handle writer = 0;
  tenon_blob blob = {.size = sizeof blob};
  tenon_code code = self->blobs->create(self->host, &dropped, &error);
  if (code >= 0) code = self->blobs->abort(self->host, dropped);
  if (code >= 0) code = self->blobs->create(self->host, &writer, &error);
  if (code >= 0) {
    code = self->blobs->write(self->host, writer, request->body, &error);
    if (code < 0) self->blobs->abort(self->host, writer);
  }
  if (code >= 0) code = self->blobs->finish(self->host, writer, &blob, &error);
  if (code >= 0)
    code =
        self->blobs->claim(self->host, zero_terminated(blob.id), TENON_LITERAL("exercise"), &error);
  return code < 0 ? respond_error(self, request, &error) : respond_plain(self, request, blob.id);
}

static tenon_code handle_read_blob(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_handle reader = 0;
  tenon_blob blob = {.size = sizeof blob};
  char bytes[256];
  uint64_t size = 0;
  tenon_code code = self->blobs->stat(self->host, request->params[0], &blob, &error);
  if (code >= 0) code = self->blobs->open(self->host, request->params[0], &reader, NULL, &error);
  if (code >= 0) {
    code = self->blobs->read(self->host, reader, 0, bytes, sizeof bytes, &size, &error);
    self->blobs->close(self->host, reader);
  }
  if (code < 0) return respond_error(self, request, &error);
  text body = {.size = 0};
  const tenon_span content = {bytes, size};
  text_add_number(&body, (int64_t)blob.bytes);
  text_add(&body, " ");
  text_add_number(&body, blob.claims);
  text_add(&body, " ");
  text_add_span(&body, content);
  return respond_text(self, request, 200, "text/plain; charset=utf-8", &body);
}

static tenon_code handle_send_blob(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  const tenon_code code =
      self->blobs->respond(self->host, request->handle, request->params[0],
                           TENON_LITERAL("exercise.txt"), TENON_BLOBS_ATTACHMENT, &error);
  return code < 0 ? respond_error(self, request, &error) : TENON_OK;
}

static tenon_code handle_release_blob(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  if (self->blobs->release(self->host, request->params[0], TENON_LITERAL("exercise"), &error) < 0)
    return respond_error(self, request, &error);
  const tenon_code code =
      self->blobs->check_uploader(self->host, request->params[0], request->user_id, &error);
  return respond_plain(self, request, code == TENON_OK ? "uploaded" : "not uploaded");
}

/* A write whose response is sent when it is on disk. */
typedef struct queued {
  exercise* owner;
  tenon_handle request;
  uint64_t size;
  char name[104];
} queued;

static tenon_code queued_work(void* ctx, tenon_handle transaction) TENON_NOEXCEPT {
  queued* const self = ctx;
  const tenon_span name = {self->name, self->size};
  const tenon_cell cell = text_cell(name);
  return self->owner->db->exec(self->owner->host, transaction,
                               TENON_LITERAL("UPDATE marks SET name = ?"), &cell, 1, NULL, NULL);
}

static void queued_done(void* ctx, tenon_code code, const tenon_error* error) TENON_NOEXCEPT {
  queued* const self = ctx;
  const tenon_http_request request = {.size = sizeof request, .handle = self->request};
  (void)error;
  if (code < 0)
    respond_problem(self->owner, self->request, 500, "exercise.write", "It could not be written.");
  else
    respond_text(self->owner, &request, 204, "", NULL);
}

static void queued_drop(void* ctx) TENON_NOEXCEPT {
  free(ctx);
}

static tenon_code handle_queued(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  queued* const made = calloc(1, sizeof *made);
  if (made == NULL) return TENON_E_MEMORY;
  made->owner = self;
  made->request = request->handle;
  made->size = request->body.size < sizeof made->name ? request->body.size : sizeof made->name;
  memcpy(made->name, request->body.data, made->size);
  const tenon_db_work work = {queued_work, queued_done, made, queued_drop};
  const tenon_code code = self->db->queue_write(self->host, 0, &work, &error);
  return code < 0 ? respond_error(self, request, &error) : TENON_PENDING;
}

static tenon_code handle_myself(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_user user = {.size = sizeof user};
  tenon_group_id groups[8];
  uint32_t count = 0;
  self->identity->find(self->host, request->user_id, &user);
  self->identity->groups(self->host, request->handle, groups, 8, &count);
  char words[160];
  snprintf(words, sizeof words, "%s %u", user.login, count);
  return respond_plain(self, request, words);
}

static const listed_route routes[] = {
    {"/job", "", handle_enqueue, 0, TENON_HTTP_POST, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_JSON, 0},
    {"/job/{id}", "", handle_find_job, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/job/{id}", "", handle_cancel_job, 0, TENON_HTTP_DELETE, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/blob", "", handle_put_blob, 0, TENON_HTTP_POST, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_WHOLE,
     0},
    {"/blob/{id}", "", handle_read_blob, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/blob/{id}", "", handle_release_blob, 0, TENON_HTTP_DELETE, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/blob/{id}/file", "", handle_send_blob, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN,
     TENON_HTTP_BODY_NONE, 0},
    {"/mark", "", handle_queued, 0, TENON_HTTP_PUT, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_WHOLE, 0},
    {"/myself", "", handle_myself, 0, TENON_HTTP_GET, TENON_HTTP_SIGNED_IN, TENON_HTTP_BODY_NONE,
     0},
};

tenon_code add_work(exercise* self, tenon_error* error) {
  const tenon_jobs_handler handler = {run_count, self, NULL};
  tenon_jobs_schedule yearly;
  memset(&yearly, 0, sizeof yearly);
  yearly.size = sizeof yearly;
  yearly.flags = TENON_JOBS_SKIP_MISSED;
  yearly.name = TENON_LITERAL("yearly");
  yearly.cron = TENON_LITERAL("0 0 1 1 *");
  yearly.kind = TENON_LITERAL("count");
  const tenon_blobs_uploads uploads = {.size = sizeof uploads, .access = TENON_HTTP_SIGNED_IN};
  tenon_code code = self->jobs->set_handler(self->host, TENON_LITERAL("count"), &handler, error);
  if (code >= 0) code = self->jobs->schedule(self->host, &yearly, error);
  if (code >= 0) code = self->blobs->accept_uploads(self->host, &uploads, error);
  if (code >= 0) code = add_listed(self, routes, sizeof routes / sizeof routes[0], error);
  return code < 0 ? code : add_services(self, error);
}
