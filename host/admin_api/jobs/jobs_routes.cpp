#include "admin_api/jobs/jobs_routes.hpp"

#include <memory>
#include <string>
#include <utility>

#include "admin_api/json_handler.hpp"
#include "admin_api/page_query.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "jobs/jobs.hpp"
#include "observability/audit.hpp"

namespace tenon::console {

namespace {

// The body has no members; the limit allows an empty object.
constexpr std::uint64_t max_job_body = 1024;

[[noreturn]] void refuse_filter(const char* field, const std::string& message) {
  throw base::Error(422, "jobs.invalid", message, {{field, "invalid", message}});
}

jobs::Filter read_filter(std::string_view query) {
  jobs::Filter filter;
  filter.plugin = http::query_value(query, "plugin");
  if (const std::string state = http::query_value(query, "state"); !state.empty()) {
    filter.state = jobs::parse_state(state);
    if (!filter.state)
      refuse_filter("state", "A state is waiting, running, done, failed or cancelled.");
  }
  return filter;
}

// A time, or null for none.
void write_job_time(base::JsonWriter& json, const char* name, std::int64_t ms) {
  json.key(name);
  if (ms == 0)
    json.null();
  else
    json.value(base::rfc3339(ms));
}

// `payload`: one JSON text; empty in the list.
std::string job_json(const jobs::Job& job, std::string_view payload) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("id", job.id)
      .member("plugin", job.plugin)
      .member("kind", job.kind)
      .member("state", jobs::to_string(job.state))
      .member("attempts", job.attempts)
      .member("max_attempts", job.max_attempts)
      .member("cancel_asked", job.is_cancel_asked)
      .member("key", job.key)
      .member("schedule", job.schedule)
      .member("error", job.error);
  json.key("progress")
      .begin_object()
      .member("done", job.progress.done)
      .member("total", job.progress.total)
      .member("text", job.progress.text)
      .end_object();
  write_job_time(json, "created", job.created_ms);
  write_job_time(json, "run_at", job.run_at_ms);
  write_job_time(json, "started", job.started_ms);
  write_job_time(json, "finished", job.finished_ms);
  if (!payload.empty()) json.key("payload").raw(payload);
  json.end_object();
  return text;
}

std::string list(const jobs::Store& store, std::string_view query) {
  const jobs::Page page =
      store.list(read_filter(query), read_limit(query, jobs::Store::max_page, "jobs.invalid"),
                 http::query_value(query, "cursor"));
  return page_json(page, [](const jobs::Job& job) { return job_json(job, {}); });
}

std::string show(const jobs::Store& store, std::string_view id) {
  const auto job = store.find(id);
  if (!job) throw base::Error(404, "jobs.unknown", "There is no such job.");
  return job_json(*job, job->payload);
}

void record(observability::Audit& audit, const std::string& user, const char* action,
            const jobs::Job& job) {
  std::string details;
  base::JsonWriter(details)
      .begin_object()
      .member("plugin", job.plugin)
      .member("kind", job.kind)
      .end_object();
  audit.record({.actor = user, .action = action, .object = job.id, .details = std::move(details)});
}

}  // namespace

JobsRoutes::JobsRoutes(jobs::Jobs& jobs, observability::Audit& audit, http::WorkerShare& share)
    : table_({routing::Access::admin, &share, max_job_body}) {
  const auto add = [&](http::Method method, const char* pattern, const char* summary,
                       JsonHandler::Work work) {
    table_.add(method, pattern, summary, std::make_unique<JsonHandler>(std::move(work)));
  };
  add(http::Method::get, "/api/core/jobs", "List jobs, newest first",
      [&jobs](const RequestView& view) { return ok(list(jobs.store(), view.request.query)); });
  add(http::Method::get, "/api/core/jobs/{id}", "Get a job with its payload",
      [&jobs](const RequestView& view) { return ok(show(jobs.store(), view.name)); });
  add(http::Method::post, "/api/core/jobs/{id}/cancel",
      "Cancel a waiting job, or ask a running one to stop",
      [&jobs, &audit](const RequestView& view) {
        const jobs::Job job = jobs.cancel(view.name);
        record(audit, view.user, "jobs.cancelled", job);
        return ok(job_json(job, {}));
      });
  add(http::Method::post, "/api/core/jobs/{id}/retry", "Run a failed or cancelled job again",
      [&jobs, &audit](const RequestView& view) {
        const jobs::Job job = jobs.retry(view.name);
        record(audit, view.user, "jobs.retried", job);
        return ok(job_json(job, {}));
      });
}

}  // namespace tenon::console
