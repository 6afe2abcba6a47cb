#include "admin_api/jobs/jobs_routes.hpp"

#include <functional>
#include <string>
#include <utility>

#include "admin_api/page_query.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "jobs/jobs.hpp"
#include "observability/audit.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

// The body has no members; the limit allows an empty object.
constexpr std::uint64_t max_job_body = 1024;

class JobsHandler final : public http::Handler {
 public:
  /// Gives the JSON for a request.
  using Work = std::function<std::string(const http::Request&, const routing::CallContext&)>;
  explicit JobsHandler(Work work) : work_(std::move(work)) {}

  void handle(const http::ExchangePtr& exchange) override {
    exchange->respond(
        http::json_response(200, work_(exchange->request(), routing::context(*exchange))));
  }

 private:
  Work work_;
};

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

void put_on_record(observability::Audit& audit, const routing::CallContext& context,
                   const char* action, const jobs::Job& job) {
  std::string details;
  base::JsonWriter(details)
      .begin_object()
      .member("plugin", job.plugin)
      .member("kind", job.kind)
      .end_object();
  audit.record({.actor = context.principal ? context.principal->user_id : std::string(),
                .action = action,
                .object = job.id,
                .details = std::move(details)});
}

}  // namespace

JobsRoutes::JobsRoutes(jobs::Jobs& jobs, observability::Audit& audit, http::WorkerShare& share) {
  const auto add = [&](http::Method method, const char* pattern, const char* summary,
                       JobsHandler::Work work) {
    handlers_.push_back(std::make_unique<JobsHandler>(std::move(work)));
    const bool has_body = method == http::Method::post;
    routes_.push_back({.method = method,
                       .pattern = pattern,
                       .access = routing::Access::admin,
                       .permission = {},
                       .handler = handlers_.back().get(),
                       .body = has_body ? http::BodyMode::json : http::BodyMode::none,
                       .body_limit = has_body ? max_job_body : 0,
                       .share = &share,
                       .summary = summary});
  };
  add(http::Method::get, "/api/core/jobs", "List the jobs of plugins, the newest first",
      [&jobs](const http::Request& request, const routing::CallContext&) {
        return list(jobs.store(), request.query);
      });
  add(http::Method::get, "/api/core/jobs/{id}", "One job with its payload",
      [&jobs](const http::Request&, const routing::CallContext& context) {
        return show(jobs.store(), context.parameters.values[0]);
      });
  add(http::Method::post, "/api/core/jobs/{id}/cancel",
      "Cancel a job that waits; ask one that runs to stop",
      [&jobs, &audit](const http::Request&, const routing::CallContext& context) {
        const jobs::Job job = jobs.cancel(context.parameters.values[0]);
        put_on_record(audit, context, "jobs.cancelled", job);
        return job_json(job, {});
      });
  add(http::Method::post, "/api/core/jobs/{id}/retry",
      "Have a job that failed or was cancelled run again",
      [&jobs, &audit](const http::Request&, const routing::CallContext& context) {
        const jobs::Job job = jobs.retry(context.parameters.values[0]);
        put_on_record(audit, context, "jobs.retried", job);
        return job_json(job, {});
      });
}

JobsRoutes::~JobsRoutes() = default;

std::vector<routing::Route> JobsRoutes::routes() const {
  return routes_;
}

}  // namespace tenon::console
