#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/jobs/jobs_interface.hpp"

namespace tenon::plugins {

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct JobsFunctions {
  template <typename Body>
  static tenon_code with(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    return guarded(error, [&] { return body(*bridge); });
  }
  template <typename Body>
  static tenon_code setting_up(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    return with(host, error, [&](Bridge& bridge) -> tenon_code {
      if (!bridge.is_setting_up()) {
        return fail_state(
            error, "Handlers and schedules are registered inside create or start, on its thread.");
      }
      return body(bridge.jobs());
    });
  }
  template <typename Body>
  static tenon_code blocking(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    return with(host, error, [&](Bridge& bridge) -> tenon_code {
      if (!bridge.is_in(Phase::starting, Phase::quiescing))
        return fail_state(error, "Not in this state of the plugin's life.");
      if (!Frame::may_block())
        return fail_state(error, "Inline routes and queued writes must not wait for the disk.");
      return body(bridge.jobs());
    });
  }

  static tenon_code on(const tenon_host* host, tenon_span kind, const tenon_jobs_handler* handler,
                       tenon_error* error) noexcept {
    if (!handler) return fail_argument(error, "The handler is NULL.");
    tenon_jobs_handler taken = *handler;
    const tenon_code code =
        setting_up(host, error, [&](JobsInterface& jobs) { return jobs.on(kind, taken, error); });
    if (code < 0) drop(taken);
    return code;
  }
  static tenon_code schedule(const tenon_host* host, const tenon_jobs_schedule* schedule,
                             tenon_error* error) noexcept {
    return setting_up(host, error,
                      [&](JobsInterface& jobs) { return jobs.schedule(schedule, error); });
  }
  static tenon_code enqueue(const tenon_host* host, const tenon_job_request* order,
                            tenon_job_receipt* receipt, tenon_error* error) noexcept {
    return blocking(host, error,
                    [&](JobsInterface& jobs) { return jobs.enqueue(order, receipt, error); });
  }
  static tenon_code find(const tenon_host* host, tenon_span id, tenon_job* job,
                         tenon_error* error) noexcept {
    return blocking(host, error, [&](JobsInterface& jobs) { return jobs.find(id, job, error); });
  }
  static tenon_code cancel(const tenon_host* host, tenon_span id, tenon_job* job,
                           tenon_error* error) noexcept {
    return blocking(host, error, [&](JobsInterface& jobs) { return jobs.cancel(id, job, error); });
  }
  static tenon_code progress(const tenon_host* host, tenon_handle run, std::int64_t done,
                             std::int64_t total, tenon_span text) noexcept {
    return with(host, nullptr,
                [&](Bridge& bridge) { return bridge.jobs().progress(run, done, total, text); });
  }
  static tenon_code is_cancelled(const tenon_host* host, tenon_handle run) noexcept {
    return with(host, nullptr, [&](Bridge& bridge) { return bridge.jobs().is_cancelled(run); });
  }
};

const tenon_jobs JobsInterface::table = {sizeof(tenon_jobs),          0,
                                         &JobsFunctions::on,          &JobsFunctions::schedule,
                                         &JobsFunctions::enqueue,     &JobsFunctions::find,
                                         &JobsFunctions::cancel,      &JobsFunctions::progress,
                                         &JobsFunctions::is_cancelled};

}  // namespace tenon::plugins
