#include "jobs/job_event.hpp"

#include "base/json_writer.hpp"

namespace tenon::jobs {

std::string event_of(const Job& job, const Progress& progress) {
  std::string data;
  base::JsonWriter json(data);
  json.begin_object()
      .member("id", job.id)
      .member("plugin", job.plugin)
      .member("kind", job.kind)
      .member("state", to_string(job.state))
      .member("attempts", job.attempts);
  json.key("progress")
      .begin_object()
      .member("done", progress.done)
      .member("total", progress.total)
      .member("text", progress.text)
      .end_object()
      .end_object();
  return data;
}

}  // namespace tenon::jobs
