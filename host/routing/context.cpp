#include "routing/context.hpp"

#include <utility>

#include "base/clock.hpp"
#include "observability/tracer.hpp"

namespace tenon::routing {

namespace {

// The span that the thread inside the context began, if the request is traced. Contexts do not
// nest.
struct OpenSpan {
  std::uint64_t id = 0;
  std::int64_t begin = 0;
};
thread_local OpenSpan open_span;

}  // namespace

CallContext::CallContext() = default;

CallContext::~CallContext() {
  if (trace) tracer_->submit(std::move(trace));
}

void CallContext::set_trace(std::unique_ptr<observability::Trace> given,
                            observability::Tracer& owner) noexcept {
  trace = std::move(given);
  tracer_ = &owner;
  work.trace = trace.get();
  wants_start = true;
}

void CallContext::started() noexcept {
  waiting_since_ = base::monotonic_nanoseconds();
}

void CallContext::entered() noexcept {
  observability::innermost_work = &work;
  if (!trace) return;
  const std::int64_t now = base::monotonic_nanoseconds();
  // Set once, and taken by the first piece of code; later ones may run at the same time.
  if (waiting_since_ != 0) trace->add("wait for a thread", std::exchange(waiting_since_, 0), now);
  open_span = {trace->enter(), now};
}

void CallContext::exited() noexcept {
  observability::innermost_work = nullptr;
  if (trace) trace->leave(open_span.id, "handler", open_span.begin);
}

}  // namespace tenon::routing
