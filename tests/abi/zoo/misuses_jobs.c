/* Uses jobs in every wrong way, and says which code came back. */
#include <stdatomic.h>
#include <stdio.h>

#include <tenon/jobs.h>

#include "zoo.h"

static const tenon_jobs* jobs;
static char when_made[1024];
static int drops;
static _Atomic tenon_handle kept;
static char inside[256];
static atomic_int ended;

static void add(char* list, size_t capacity, const char* name, tenon_code code) {
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

static void count_drop(void* ctx) TENON_NOEXCEPT {
  (void)ctx;
  ++drops;
}

/* Its own handle, rightly and wrongly; kept for after the run. */
static tenon_code run_keeps(void* ctx, const tenon_job_run* run,
                            tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  (void)error;
  const tenon_span broken = {NULL, 5};
  inside[0] = 0;
  add(inside, sizeof inside, "progress", jobs->progress(zoo_host, run->handle, 1, 2, zoo_span("")));
  add(inside, sizeof inside, "broken", jobs->progress(zoo_host, run->handle, 1, 2, broken));
  add(inside, sizeof inside, "no_utf8",
      jobs->progress(zoo_host, run->handle, 1, 2, zoo_span("\xff")));
  add(inside, sizeof inside, "asked", jobs->is_cancelled(zoo_host, run->handle));
  add(inside, sizeof inside, "next", jobs->is_cancelled(zoo_host, run->handle + 1));
  add(inside, sizeof inside, "late_on", jobs->set_handler(zoo_host, zoo_span("late"), NULL, NULL));
  kept = run->handle;
  atomic_fetch_add(&ended, 1);
  return TENON_JOBS_DONE;
}

static tenon_code run_negative(void* ctx, const tenon_job_run* run,
                               tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  (void)error;
  return run->attempt == 1 ? TENON_E_BUSY : TENON_JOBS_FAIL;
}

static tenon_code run_nonsense(void* ctx, const tenon_job_run* run,
                               tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  (void)run;
  memset(error->message, '\xff', sizeof error->message);
  return 77;
}

static tenon_code handle_inside(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, atomic_load(&ended) != 0 ? inside : "");
}

static tenon_code handle_after(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[160] = "";
  const tenon_handle handle = kept;
  add(list, sizeof list, "progress", jobs->progress(zoo_host, handle, 9, 9, zoo_span("stray")));
  add(list, sizeof list, "asked", jobs->is_cancelled(zoo_host, handle));
  add(list, sizeof list, "request", jobs->is_cancelled(zoo_host, request->handle));
  add(list, sizeof list, "none", jobs->is_cancelled(zoo_host, 0));
  return zoo_respond(request->handle, list);
}

static tenon_code order_at(int64_t run_at_ms, const char* kind, const char* payload,
                           const char* key, uint32_t attempts, tenon_job_receipt* receipt) {
  tenon_job_request what;
  memset(&what, 0, sizeof what);
  what.size = sizeof what;
  what.kind = zoo_span(kind);
  what.payload = zoo_span(payload);
  what.key = zoo_span(key);
  what.max_attempts = attempts;
  what.backoff_ms = 1;
  what.run_at_ms = run_at_ms;
  return jobs->enqueue(zoo_host, &what, receipt, NULL);
}

static tenon_code order(const char* kind, const char* payload, const char* key, uint32_t attempts,
                        tenon_job_receipt* receipt) {
  return order_at(0, kind, payload, key, attempts, receipt);
}

/* Not while this test runs. */
static tenon_code order_late(const char* payload, const char* key, uint32_t attempts,
                             tenon_job_receipt* receipt) {
  return order_at(253370764800000, "keeps", payload, key, attempts, receipt);
}

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[1024] = "";
  char long_key[202];
  const tenon_span broken = {NULL, 5};
  tenon_job job = {.size = sizeof job};
  tenon_job_receipt receipt = {.size = sizeof receipt};
  tenon_job_request small = {.size = 8};
  memset(long_key, 'k', sizeof long_key - 1);
  long_key[sizeof long_key - 1] = 0;
#define TRY(name, call) add(list, sizeof list, name, call)
  TRY("null_host", jobs->enqueue(NULL, &small, NULL, NULL));
  TRY("null_order", jobs->enqueue(zoo_host, NULL, NULL, NULL));
  TRY("small_order", jobs->enqueue(zoo_host, &small, NULL, NULL));
  TRY("no_kind", order("", "1", "", 0, NULL));
  TRY("bad_kind", order("A b", "1", "", 0, NULL));
  TRY("no_json", order_late("{", "", 0, NULL));
  TRY("two_values", order_late("1,2", "", 0, NULL));
  TRY("long_key", order_late("1", long_key, 0, NULL));
  TRY("attempts", order_late("1", "", 101, NULL));
  TRY("most", order_late("1", "", UINT32_MAX, NULL));
  TRY("no_handler", order("unknown", "", "", 0, NULL));
  TRY("order", order_late("", "one", 0, &receipt));
  TRY("is_new", (tenon_code)receipt.is_new);
  TRY("again", order_late("", "one", 0, &receipt));
  TRY("is_new", (tenon_code)receipt.is_new);
  TRY("null_job", jobs->find(zoo_host, zoo_span(receipt.id), NULL, NULL));
  TRY("broken_id", jobs->find(zoo_host, broken, &job, NULL));
  TRY("unknown", jobs->find(zoo_host, zoo_span("x' OR 1=1"), &job, NULL));
  TRY("find", jobs->find(zoo_host, zoo_span(receipt.id), &job, NULL));
  TRY("state", (tenon_code)job.state);
  TRY("cancel", jobs->cancel(zoo_host, zoo_span(receipt.id), &job, NULL));
  TRY("state", (tenon_code)job.state);
  TRY("cancel_again", jobs->cancel(zoo_host, zoo_span(receipt.id), NULL, NULL));
  TRY("cancel_none", jobs->cancel(zoo_host, zoo_span(""), NULL, NULL));
  tenon_jobs_handler handler = {run_keeps, NULL, count_drop};
  drops = 0;
  TRY("late_on", jobs->set_handler(zoo_host, zoo_span("late"), &handler, NULL));
  TRY("dropped", drops);
  TRY("late_schedule", jobs->schedule(zoo_host, NULL, NULL));
#undef TRY
  return zoo_respond(request->handle, list);
}

/* A shorter struct of an older ABI: the bytes after its end are not written. */
static tenon_code handle_short(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_job_receipt receipt = {.size = sizeof receipt};
  tenon_job job;
  order_late("null", "", 3, &receipt);
  memset(&job, 'x', sizeof job);
  job.size = 16;
  jobs->find(zoo_host, zoo_span(receipt.id), &job, NULL);
  const int is_kept = job.max_attempts == 3 && job.size == 16 && job.id[0] == 'x';
  return zoo_respond(request->handle, is_kept ? "kept" : "overwritten");
}

static tenon_code handle_order(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_job_receipt receipt = {.size = sizeof receipt};
  char kind[32] = "";
  memcpy(kind, request->params[0].data,
         request->params[0].size < 31 ? request->params[0].size : 31);
  const tenon_code code = order(kind, "null", "", 2, &receipt);
  return zoo_respond(request->handle, code < 0 ? "refused" : receipt.id);
}

static tenon_code handle_job(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char text[600];
  tenon_job job = {.size = sizeof job};
  const tenon_code code = jobs->find(zoo_host, request->params[0], &job, NULL);
  snprintf(text, sizeof text, "%d %u %u %s", code, job.state, job.attempts, job.error);
  return zoo_respond(request->handle, text);
}

static tenon_code handle_inline(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[64] = "";
  add(list, sizeof list, "enqueue", order("keeps", "1", "", 0, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code handle_made(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, when_made);
}

static void register_wrongly(void) {
  const tenon_span broken = {NULL, 5};
  tenon_jobs_handler handler = {run_keeps, NULL, count_drop};
  tenon_jobs_handler empty = {NULL, NULL, count_drop};
  tenon_jobs_schedule times;
  char kind[16];
  memset(&times, 0, sizeof times);
  drops = 0;
#define TRY(name, call) add(when_made, sizeof when_made, name, jobs->call)
  TRY("early", enqueue(zoo_host, NULL, NULL, NULL));
  TRY("null", set_handler(zoo_host, zoo_span("k"), NULL, NULL));
  TRY("no_fn", set_handler(zoo_host, zoo_span("k"), &empty, NULL));
  TRY("broken", set_handler(zoo_host, broken, &handler, NULL));
  TRY("bad_kind", set_handler(zoo_host, zoo_span("A b"), &handler, NULL));
  TRY("on", set_handler(zoo_host, zoo_span("keeps"), &handler, NULL));
  TRY("twice", set_handler(zoo_host, zoo_span("keeps"), &handler, NULL));
  TRY("null_schedule", schedule(zoo_host, NULL, NULL));
  TRY("small", schedule(zoo_host, &times, NULL));
  times.size = sizeof times;
  times.kind = zoo_span("keeps");
  times.cron = zoo_span("0 0 1 1 *");
  TRY("no_name", schedule(zoo_host, &times, NULL));
  times.name = zoo_span("yearly");
  times.kind = zoo_span("unknown");
  TRY("no_handler", schedule(zoo_host, &times, NULL));
  times.kind = zoo_span("keeps");
  times.flags = 2;
  TRY("flags", schedule(zoo_host, &times, NULL));
  times.flags = TENON_JOBS_SKIP_MISSED;
  times.cron = zoo_span("61 * * * *");
  TRY("cron", schedule(zoo_host, &times, NULL));
  times.cron = zoo_span("0 0 1 1 *");
  times.time_zone = zoo_span("../../etc/passwd");
  TRY("zone", schedule(zoo_host, &times, NULL));
  times.time_zone = zoo_span("");
  times.payload = zoo_span("nope");
  TRY("payload", schedule(zoo_host, &times, NULL));
  times.payload = zoo_span("");
  TRY("schedule", schedule(zoo_host, &times, NULL));
  TRY("same_name", schedule(zoo_host, &times, NULL));
#undef TRY
  add(when_made, sizeof when_made, "drops", drops);
  handler.drop = NULL;
  handler.fn = run_negative;
  jobs->set_handler(zoo_host, zoo_span("negative"), &handler, NULL);
  handler.fn = run_nonsense;
  jobs->set_handler(zoo_host, zoo_span("nonsense"), &handler, NULL);
  int kinds = 3;
  tenon_code code = TENON_OK;
  while (kinds < 100 && code >= 0) {
    snprintf(kind, sizeof kind, "kind%d", kinds);
    code = jobs->set_handler(zoo_host, zoo_span(kind), &handler, NULL);
    kinds += code >= 0;
  }
  add(when_made, sizeof when_made, "kinds", kinds);
  add(when_made, sizeof when_made, "more", code);
  int schedules = 1;
  for (code = TENON_OK; schedules < 200 && code >= 0; schedules += code >= 0) {
    snprintf(kind, sizeof kind, "s%d", schedules);
    times.name = zoo_span(kind);
    code = jobs->schedule(zoo_host, &times, NULL);
  }
  add(when_made, sizeof when_made, "schedules", schedules);
  add(when_made, sizeof when_made, "more", code);
}

static tenon_code register_routes(tenon_error* error) {
  jobs = zoo_host->get_interface(zoo_host, zoo_span(TENON_JOBS_ID),
                                 TENON_NEED(tenon_jobs, is_cancelled));
  if (jobs == NULL) return TENON_E_UNSUPPORTED;
  when_made[0] = 0;
  register_wrongly();
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
  if (code >= 0) code = zoo_route("/inside", handle_inside, error);
  if (code >= 0) code = zoo_route("/after", handle_after, error);
  if (code >= 0) code = zoo_route("/order/{kind}", handle_order, error);
  if (code >= 0) code = zoo_route("/job/{id}", handle_job, error);
  return code < 0 ? code : zoo_route("/made", handle_made, error);
}

ZOO_PLUGIN(register_routes);
