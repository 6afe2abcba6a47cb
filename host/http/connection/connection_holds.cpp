// Requests that wait until something has changed, and are planned anew then. Of the connection
// nothing is taken meanwhile: what follows the head is its body, or another request's affair.

#include <memory>
#include <utility>

#include "base/error.hpp"
#include "http/connection/connection.hpp"
#include "http/loop/server_context.hpp"

namespace tenon::http {

namespace {

// A hold that is over stands in no plan that is made after its release. One that does all the same
// was released too early.
constexpr int max_plans = 4;

constexpr Refusal hold_full{
    503, "http.hold_full",
    "The plugin behind this is being changed, and too many requests wait for it already; try again "
    "in a moment."};
constexpr Refusal hold_timeout{
    503, "http.hold_timeout",
    "The plugin behind this is being changed, which takes longer than requests wait; try again in "
    "a moment."};
constexpr Refusal draining{503, "plugins.draining",
                           "This plugin is being changed. Try again in a moment."};

Plan refused(const Refusal& refusal, const Request& request) {
  Plan plan;
  plan.answer = std::make_unique<Response>(problem_response(
      base::Error(refusal.status, refusal.code, refusal.message), request.request_id));
  return plan;
}

}  // namespace

// False: the plan, perhaps another than was given, is to be followed now.
bool Connection::must_wait(ActiveExchange& exchange, Plan& plan) {
  for (int plans = 1; plan.hold; ++plans) {
    switch (exchange.wait_for(plan.hold)) {
      case Hold::Entry::waits:
        // The same bound for all holds that it comes into.
        if (exchange.deadline == 0)
          exchange.deadline = loop_.now() + std::int64_t{limits().hold.count()} * 1'000'000;
        held_ = &exchange;
        return true;
      case Hold::Entry::full:
        plan = refused(hold_full, exchange.request());
        break;
      case Hold::Entry::over:
        plan = plans < max_plans ? loop_.context().application.plan(exchange.request())
                                 : refused(draining, exchange.request());
        break;
    }
  }
  return false;
}

void Connection::look_at_held() {
  if (!held_->is_resumed()) return;
  ActiveExchange& exchange = *std::exchange(held_, nullptr);
  exchange.forget_hold();
  follow_plan(exchange);
  note_early_body(exchange);
}

// At its deadline. Its body is unread, as of any request that is answered early.
void Connection::give_up_held() {
  // Or else it has been released, and comes by mail.
  if (!held_->leave_hold()) return;
  ActiveExchange& exchange = *std::exchange(held_, nullptr);
  exchange.answer_refusal(hold_timeout);
  take_up(exchange);
  note_early_body(exchange);
}

// What has come behind its head is its body, which the client did not wait to be asked for.
void Connection::note_early_body(ActiveExchange& exchange) noexcept {
  if (!input_.empty()) exchange.owes_continue = false;
}

}  // namespace tenon::http
