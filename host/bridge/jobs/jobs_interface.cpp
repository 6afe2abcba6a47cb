#include "bridge/jobs/jobs_interface.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"
#include "routing/lease.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* no_span = "A span has a size and no data.";

template <std::size_t capacity>
void put_job_text(char (&out)[capacity], std::string_view text) noexcept {
  const std::string whole = jobs::cut(text, capacity - 1);
  std::memcpy(out, whole.data(), whole.size());
  std::memset(out + whole.size(), 0, capacity - whole.size());
}

std::uint32_t state_code(jobs::State state) noexcept {
  switch (state) {
    case jobs::State::waiting:
      return TENON_JOBS_STATE_WAITING;
    case jobs::State::running:
      return TENON_JOBS_STATE_RUNNING;
    case jobs::State::done:
      return TENON_JOBS_STATE_DONE;
    case jobs::State::failed:
      return TENON_JOBS_STATE_FAILED;
    case jobs::State::cancelled:
      break;
  }
  return TENON_JOBS_STATE_CANCELLED;
}

void fill(tenon_job* taker, const jobs::Job& job) {
  if (!taker) return;
  tenon_job filled;
  filled.state = state_code(job.state);
  filled.attempts = static_cast<std::uint32_t>(job.attempts);
  filled.max_attempts = static_cast<std::uint32_t>(job.max_attempts);
  filled.done = job.progress.done;
  filled.total = job.progress.total;
  filled.run_at_ms = job.run_at_ms;
  filled.created_ms = job.created_ms;
  filled.started_ms = job.started_ms;
  filled.finished_ms = job.finished_ms;
  put_job_text(filled.id, job.id);
  put_job_text(filled.kind, job.kind);
  put_job_text(filled.text, job.progress.text);
  put_job_text(filled.error, job.error);
  copy_out(taker, filled);
}

std::string payload_of(tenon_span payload) {
  return payload.size == 0 ? "null" : std::string(view(payload));
}

// The handler's message; it may lack a terminator and may be invalid UTF-8.
std::string handler_message(const tenon_error& error) {
  const std::string_view text(error.message, strnlen(error.message, sizeof(error.message)));
  return base::is_valid_utf8(text) ? std::string(text) : "(its message is not valid UTF-8)";
}

jobs::Outcome outcome_of(tenon_code code, const tenon_error& error) {
  using Kind = jobs::Outcome::Kind;
  if (code == TENON_JOBS_DONE) return {Kind::done};
  std::string text = handler_message(error);
  if (code > TENON_JOBS_FAIL)
    text = "The handler returned " + std::to_string(code) + ", which is no known code. " + text;
  else if (text.empty())
    text = "The handler returned " + std::to_string(code) + " and no message.";
  return {code == TENON_JOBS_FAIL ? Kind::fail : Kind::retry, std::move(text)};
}

}  // namespace

class JobsInterface::Runner final : public jobs::Runner {
 public:
  Runner(std::shared_ptr<Bridge> bridge, std::vector<std::string> kinds)
      : bridge_(std::move(bridge)), kinds_(std::move(kinds)) {}

  const std::string& plugin() const noexcept override { return bridge_->plugin_id(); }
  std::vector<std::string> kinds() const override { return kinds_; }
  jobs::Outcome run(jobs::Attempt& attempt) noexcept override {
    jobs::Outcome outcome{jobs::Outcome::Kind::retry};
    guarded(nullptr, [&] {
      outcome = bridge_->jobs().run(attempt);
      return TENON_OK;
    });
    return outcome;
  }

 private:
  const std::shared_ptr<Bridge> bridge_;
  const std::vector<std::string> kinds_;
};

JobsInterface::JobsInterface(Bridge& bridge)
    : bridge_(bridge),
      runs_(HandleKind::job, max_runs, static_cast<std::uint64_t>(base::monotonic_nanoseconds())) {}

std::shared_ptr<jobs::Runner> JobsInterface::make_runner() {
  std::vector<std::string> kinds;
  for (const auto& [kind, handler] : handlers_)
    kinds.push_back(kind);
  return std::make_shared<Runner>(bridge_.shared_from_this(), std::move(kinds));
}

void JobsInterface::drop_handlers() noexcept {
  std::map<std::string, tenon_jobs_handler, std::less<>> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(handlers_);
  }
  const Frame frame(bridge_.name(), Operation::stop, {}, true);
  for (auto& [kind, handler] : dropped)
    drop(handler);
}

jobs::Outcome JobsInterface::run(jobs::Attempt& attempt) {
  using Kind = jobs::Outcome::Kind;
  if (!bridge_.gate().enter()) return {Kind::retry, "The plugin was stopped."};
  const routing::Lease lease(&bridge_.gate());
  const jobs::Job& job = attempt.job;
  const auto found = handlers_.find(job.kind);
  if (found == handlers_.end()) return {Kind::retry, "There is no handler for this kind."};
  auto opened =
      runs_.open([&](OpenRun& item) noexcept { item.attempt = attempt.shared_from_this(); });
  if (!opened.pin) return {Kind::retry, "Too many jobs of this plugin run at once."};
  const tenon_job_run run{sizeof(tenon_job_run),
                          static_cast<std::uint32_t>(job.attempts),
                          opened.handle,
                          span(job.id),
                          span(job.kind),
                          span(job.payload),
                          span(job.key),
                          span(job.schedule),
                          static_cast<std::uint32_t>(job.max_attempts),
                          0};
  tenon_error error{};
  error.size = sizeof(error);
  tenon_code code = TENON_E_INTERNAL;
  {
    RunningCalls::slot().note_job(job.id);
    const Frame frame(bridge_.name(), Operation::job, job.id, true);
    code = enter(found->second.fn, tenon_code{TENON_E_INTERNAL}, found->second.ctx, &run, &error);
  }
  opened.pin.close();
  return outcome_of(code, error);
}

tenon_code JobsInterface::on(tenon_span kind, tenon_jobs_handler& handler, tenon_error* error) {
  if (!is_sound(kind) || !jobs::is_name(view(kind)))
    return fail_argument(error, "A kind is 1 to 64 of a-z, 0-9, _, . and -.");
  if (!handler.fn) return fail_argument(error, "The handler has no function.");
  const std::lock_guard lock(mutex_);
  if (handlers_.find(view(kind)) != handlers_.end())
    return fail_argument(error, "The kind \"" + std::string(view(kind)) + "\" has a handler.");
  if (handlers_.size() == max_kinds) {
    return fail(error, TENON_E_TOO_LARGE, 500, "plugins.too_many_job_kinds",
                "A plugin has handlers for at most 64 kinds of jobs.");
  }
  handlers_.emplace(view(kind), handler);
  return TENON_OK;
}

tenon_code JobsInterface::require_handler(std::string_view kind, tenon_error* error) const {
  if (!jobs::is_name(kind)) return TENON_OK;  // jobs::check() says so
  const std::lock_guard lock(mutex_);
  if (handlers_.find(kind) != handlers_.end()) return TENON_OK;
  return fail(error, TENON_E_INVALID, 422, "jobs.no_handler",
              "The plugin has no handler for jobs of the kind \"" + std::string(kind) +
                  "\". Register it before, in create or start.");
}

tenon_code JobsInterface::schedule(const tenon_jobs_schedule* schedule, tenon_error* error) {
  if (!schedule || schedule->size < TENON_NEED(tenon_jobs_schedule, payload))
    return fail_argument(error, "The schedule is NULL or too small.");
  const tenon_jobs_schedule known = copy_in(schedule);
  if (!is_sound(known.name) || !is_sound(known.cron) || !is_sound(known.time_zone) ||
      !is_sound(known.kind) || !is_sound(known.payload))
    return fail_argument(error, no_span);
  if ((known.flags & ~TENON_JOBS_SKIP_MISSED) != 0)
    return fail_argument(error, "There are flags that this host does not know.");
  const std::string_view name = view(known.name);
  if (std::any_of(schedules_.begin(), schedules_.end(),
                  [&](const auto& other) { return other.declared.name == name; }))
    return fail_argument(error, "There is a schedule \"" + std::string(name) + "\" already.");
  if (schedules_.size() == max_schedules) {
    return fail(error, TENON_E_TOO_LARGE, 500, "plugins.too_many_schedules",
                "A plugin has at most 100 schedules.");
  }
  if (const tenon_code code = require_handler(view(known.kind), error); code < 0) return code;
  schedules_.emplace_back(
      bridge_.plugin_id(),
      jobs::Schedule{std::string(name), std::string(view(known.cron)),
                     std::string(view(known.time_zone)), std::string(view(known.kind)),
                     payload_of(known.payload), (known.flags & TENON_JOBS_SKIP_MISSED) == 0});
  return TENON_OK;
}

tenon_code JobsInterface::enqueue(const tenon_job_request* order, tenon_job_receipt* receipt,
                                  tenon_error* error) {
  if (!order || order->size < TENON_NEED(tenon_job_request, kind))
    return fail_argument(error, "The order is NULL or too small.");
  const tenon_job_request known = copy_in(order);
  if (!is_sound(known.kind) || !is_sound(known.payload) || !is_sound(known.key))
    return fail_argument(error, no_span);
  if (known.payload.size > jobs::max_payload_bytes) {
    return fail(error, TENON_E_TOO_LARGE, 413, "jobs.too_large", "A payload has at most 256 KiB.");
  }
  jobs::NewJob job{.plugin = bridge_.plugin_id(), .kind = std::string(view(known.kind))};
  job.payload = payload_of(known.payload);
  job.key = view(known.key);
  job.run_at_ms = known.run_at_ms;
  if (known.max_attempts != 0) {
    job.max_attempts = static_cast<int>(
        std::min<std::uint32_t>(known.max_attempts, jobs::max_attempts + 1));  // refused
  }
  if (known.backoff_ms != 0) job.backoff_ms = known.backoff_ms;
  job.backoff_cap_ms = known.max_backoff_ms != 0
                           ? known.max_backoff_ms
                           : std::max(jobs::default_backoff_cap_ms, job.backoff_ms);
  if (const tenon_code code = require_handler(job.kind, error); code < 0) return code;
  const jobs::Enqueued made = bridge_.services().jobs->enqueue(job);
  if (!receipt) return TENON_OK;
  tenon_job_receipt filled;
  filled.is_new = made.is_new ? 1 : 0;
  put_job_text(filled.id, made.id);
  copy_out(receipt, filled);
  return TENON_OK;
}

tenon_code JobsInterface::find(tenon_span id, tenon_job* job, tenon_error* error) {
  if (!is_sound(id) || !job)
    return fail_argument(error, "The id is no span, or the out-parameter is NULL.");
  const auto found = bridge_.services().jobs->store().find(view(id));
  if (!found || found->plugin != bridge_.plugin_id())
    return fail(error, TENON_E_NOT_FOUND, 404, "jobs.unknown", "There is no such job.");
  fill(job, *found);
  return TENON_OK;
}

tenon_code JobsInterface::cancel(tenon_span id, tenon_job* job, tenon_error* error) {
  if (!is_sound(id)) return fail_argument(error, no_span);
  fill(job, bridge_.services().jobs->cancel(view(id), bridge_.plugin_id()));
  return TENON_OK;
}

tenon_code JobsInterface::progress(tenon_handle run, std::int64_t done, std::int64_t total,
                                   tenon_span text) {
  if (!is_sound(text) || !base::is_valid_utf8(view(text))) return TENON_E_INVALID;
  const auto pin = runs_.pin(run);
  if (!pin) return TENON_E_HANDLE;
  pin->attempt->set_progress({done, total, jobs::cut(view(text), jobs::max_progress_text_bytes)});
  return TENON_OK;
}

tenon_code JobsInterface::is_cancelled(tenon_handle run) {
  const auto pin = runs_.pin(run);
  if (!pin) return TENON_E_HANDLE;
  return pin->attempt->should_stop() ? 1 : 0;
}

}  // namespace tenon::plugins
